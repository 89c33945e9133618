import { ActionIcon, Badge, Group, Menu, Stack, Switch, Text } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { bytesText } from '../../../kit/format/lengths.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { OutputRow } from '../nouns/rows.ts';
import { kbpsText } from '../streams/stream-words.ts';
import { outputStateTexts, platforms } from './platforms.ts';

/** An output with its state, its bit rate and its last error. */
export function OutputLine({ output, onEdit }: { readonly output: OutputRow; readonly onEdit: () => void }) {
  const may = useMay();
  const { isBusy, run } = useAction();
  const { name, enabled, state, last_error: error } = output;
  const params = { room_id: output.room_id, output_id: output.id };
  const { title, color } = enabled ? outputStateTexts[state] : { title: 'Off', color: 'gray' };
  const hasProblem = enabled && (state === 'failed' || state === 'reconnecting');

  function setEnabled(next: boolean): void {
    const target = { read: 'readOutput', params, fields: ['enabled'] } as const;
    run(
      () =>
        writeIfUnchanged(target, versionOfListRow(output), (ifMatch) =>
          client.updateOutput({ params, body: { enabled: next }, ifMatch }),
        ),
      next ? `${name} receives the picture while the room is live.` : `${name} no longer receives the picture.`,
    );
  }

  return (
    <div className="output-row">
      <Stack gap={2} style={{ minWidth: 0 }}>
        <Text fw={560} truncate>
          {name}
        </Text>
        <Text fz="sm" c="dimmed" truncate title={output.url}>
          {platforms[output.platform].name} · {output.url}
        </Text>
        {hasProblem && error !== null && (
          <Text fz="sm" c="red">
            {error}
          </Text>
        )}
      </Stack>
      <Stack gap={2} className="output-state">
        <Badge variant="light" color={color} tt="none" fw={560} size="md">
          {title}
        </Badge>
        {enabled && state === 'live' && (
          <Text fz="sm" c="dimmed">
            {kbpsText(output.kbps)} · {bytesText(output.bytes_sent)} sent
          </Text>
        )}
        {hasProblem && output.since !== null && (
          <Text fz="sm" c="dimmed" component="div">
            since <RelativeTime instant={output.since} />
          </Text>
        )}
      </Stack>
      <Group gap="sm" wrap="nowrap">
        {may('updateOutput') && (
          <Switch
            aria-label={`Send to ${name}`}
            checked={enabled}
            disabled={isBusy}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
        )}
        <OutputMenu output={output} onEdit={onEdit} />
      </Group>
    </div>
  );
}

function OutputMenu({ output, onEdit }: { readonly output: OutputRow; readonly onEdit: () => void }) {
  const may = useMay();
  const [isConfirming, setConfirming] = useState(false);
  if (!may('updateOutput') && !may('deleteOutput')) return null;

  async function remove(): Promise<void> {
    await client.deleteOutput({ params: { room_id: output.room_id, output_id: output.id } });
    await refreshEverything();
    showDone(`${output.name} has been deleted.`);
  }

  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${output.name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may('updateOutput') && (
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
              Edit
            </Menu.Item>
          )}
          {may('deleteOutput') && (
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setConfirming(true)}>
              Delete output…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Delete “${output.name}”?`}
        confirmLabel="Delete output"
        onConfirm={remove}
      >
        This platform no longer receives the picture, and the stream key is deleted.
      </ConfirmDialog>
    </>
  );
}
