import { Button, Text } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged, type WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { text } from '../../../kit/noun/noun.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RecordingRow } from '../nouns/rows.ts';

/** Publishes or unpublishes a recording. */
export function PublishAction({ row }: { readonly row: RecordingRow }): ReactNode {
  const may = useMay();
  const { isBusy, run } = useAction();
  const [isConfirming, setConfirming] = useState(false);
  if (!may('updateRecording')) return null;
  const isPublished = row.published;
  const isProcessed = text(row, 'state') === 'published' || text(row, 'state') === 'unpublished';

  function change(published: boolean): Promise<unknown> {
    const params = { recording_id: row.id };
    const target: WriteTarget = { read: 'readRecording', params, fields: ['published'] };
    return writeIfUnchanged(target, versionOfListRow(row), (ifMatch) =>
      client.updateRecording({ params, body: { published }, ifMatch }),
    );
  }

  if (!isPublished) {
    return (
      <Button
        leftSection={<IconEye size={16} />}
        loading={isBusy}
        onClick={() =>
          run(
            () => change(true),
            isProcessed
              ? 'The recording can be watched now.'
              : 'The recording can be watched as soon as it is processed.',
          )
        }
      >
        Publish
      </Button>
    );
  }
  return (
    <>
      <Button variant="default" leftSection={<IconEyeOff size={16} />} onClick={() => setConfirming(true)}>
        Unpublish
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Unpublish “${text(row, 'name')}”?`}
        confirmLabel="Unpublish"
        isDangerous={false}
        onConfirm={async () => {
          await change(false);
          await refreshEverything();
          showDone('The recording can no longer be watched.');
        }}
      >
        <Text c="dimmed">
          The recording can no longer be watched, even with existing links. It still uses storage. You can publish it
          again at any time.
        </Text>
      </ConfirmDialog>
    </>
  );
}
