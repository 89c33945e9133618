import { ActionIcon, Badge, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { VideoRow } from '../nouns/rows.ts';
import { CaptionsDialog } from './captions-dialog.tsx';

type Caption = VideoRow['captions'][number];

export function CaptionsPanel({ row }: { readonly row: VideoRow }) {
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const [captionToDelete, setCaptionToDelete] = useState<Caption | null>(null);

  async function remove(): Promise<void> {
    if (captionToDelete === null) return;
    await client.deleteVideoCaptions({ params: { video_id: row.id, language: captionToDelete.language } });
    await refreshEverything();
    showDone('The captions have been deleted.');
  }

  return (
    <Panel
      flush
      title="Captions"
      aside={
        may('setVideoCaptions') && (
          <Button size="xs" variant="light" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
            Add captions
          </Button>
        )
      }
    >
      {row.captions.length === 0 && (
        <Text className="line" c="dimmed">
          No captions yet.
        </Text>
      )}
      {row.captions.map((caption) => (
        <Group key={caption.language} className="line" justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Text fw={540}>{caption.label}</Text>
            <Badge variant="default" tt="none" fw={450}>
              {caption.language}
            </Badge>
          </Group>
          {may('deleteVideoCaptions') && (
            <Tooltip label="Delete">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete the captions “${caption.label}”`}
                onClick={() => setCaptionToDelete(caption)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ))}
      {isAdding && <CaptionsDialog row={row} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        isOpen={captionToDelete !== null}
        onClose={() => setCaptionToDelete(null)}
        title={`Delete the captions “${captionToDelete?.label ?? ''}”?`}
        confirmLabel="Delete captions"
        onConfirm={remove}
      >
        Viewers can no longer turn them on.
      </ConfirmDialog>
    </Panel>
  );
}
