import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { formatDay } from '../fields/instants.ts';
import { ConfirmDialog } from '../layout/confirm-dialog.tsx';
import { useNow } from '../layout/times.tsx';
import { showDone } from '../layout/toasts.ts';
import type { Row } from '../nouns/noun.ts';
import { client, refreshEverything } from '../platform.ts';

export function CancelDialog({ row, onClose }: { readonly row: Row; readonly onClose: () => void }) {
  const [when, setWhen] = useState('end');
  const nowMs = useNow();
  const trialEndsAt = typeof row['trial_ends_at'] === 'string' ? row['trial_ends_at'] : null;
  const isOnTrial = trialEndsAt !== null && trialEndsAt.slice(0, 10) >= new Date(nowMs).toISOString().slice(0, 10);
  const end = isOnTrial ? trialEndsAt : String(row['ends_at']);

  async function cancel(): Promise<void> {
    await client.cancelSubscription({
      params: { subscription_id: row.id },
      body: { cancel: true, cancel_now: when === 'now' },
    });
    await refreshEverything();
    showDone('The subscription has been canceled.');
  }

  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Cancel “${String(row['name'])}”?`}
      confirmLabel="Cancel subscription"
      onConfirm={cancel}
    >
      <Radio.Group value={when} onChange={setWhen} aria-label="When">
        <Stack gap="sm">
          <Radio
            value="end"
            label={isOnTrial ? 'At the end of the trial' : 'At the end of the period'}
            description={`The customer uses it until ${formatDay(end)}.`}
          />
          <Radio value="now" label="Now" description="Nobody enters its rooms any more, from this moment on." />
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  );
}
