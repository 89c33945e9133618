import { Alert, Radio, Stack } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useScheduledChange } from './package-change/package-changes.tsx';
import { PreviewChanges, useSubscriptionPreview } from './preview-changes.tsx';
import { termsTarget } from './terms-target.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

export function CancelDialog({ row, onClose }: { readonly row: SubscriptionRow; readonly onClose: () => void }) {
  const [when, setWhen] = useState('end');
  const change = useScheduledChange(row.id);
  const nowMs = useNow();
  const body = { cancel: true, cancel_now: when === 'now' };
  const { after, refusal } = useSubscriptionPreview(row.id, body);
  const trialEndsAt = typeof row.trial_ends_at === 'string' ? row.trial_ends_at : null;
  const isOnTrial = trialEndsAt !== null && trialEndsAt.slice(0, 10) >= new Date(nowMs).toISOString().slice(0, 10);

  async function cancel(): Promise<void> {
    await writeIfUnchanged(termsTarget(row.id), versionOfListRow(row), (ifMatch) =>
      client.cancelSubscription({ params: { subscription_id: row.id }, body, ifMatch }),
    );
    await refreshEverything();
    showDone('The subscription has been canceled.');
  }

  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Cancel “${row.name}”?`}
      confirmLabel="Cancel subscription"
      onConfirm={cancel}
    >
      <Stack>
        <Radio.Group value={when} onChange={setWhen} aria-label="When">
          <Stack gap="sm">
            <Radio
              value="end"
              label={isOnTrial ? 'At the end of the trial' : 'At the end of the period'}
              description="The customer can use it until then."
            />
            <Radio value="now" label="Now" description="Its rooms can’t be joined from now on." />
          </Stack>
        </Radio.Group>
        {change && (
          <Alert color="yellow" variant="light" icon={<IconAlertCircle size={18} />}>
            The package change on <Day day={change.effective_at} /> is withdrawn. Undoing the cancellation does not
            restore it.
          </Alert>
        )}
        <PreviewChanges before={row} after={after} refusal={refusal} />
      </Stack>
    </ConfirmDialog>
  );
}
