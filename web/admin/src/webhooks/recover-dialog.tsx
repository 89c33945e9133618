import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { fromLocalInput, toLocalInput } from '../../../kit/format/instants.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import type { WebhookRow } from '../nouns/rows.ts';

interface Props {
  readonly webhook: WebhookRow;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const dayMs = 86_400_000;

/** Sends deliveries again that have failed since a chosen time. */
export function RecoverDialog({ webhook, isOpen, onClose }: Props) {
  const [since, setSince] = useState(() => toLocalInput(new Date(Date.now() - dayMs).toISOString()));

  async function recover(): Promise<void> {
    const { data } = await client.recoverWebhook({
      params: { webhook_id: webhook.id },
      body: { since: fromLocalInput(since) },
    });
    await refreshEverything();
    showDone(recoveredText(data.recovered));
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Send failed deliveries again?"
      confirmLabel="Send again"
      isDangerous={false}
      onConfirm={recover}
    >
      <Stack gap="sm">
        <TextInput
          type="datetime-local"
          label="Since"
          value={since}
          onChange={({ currentTarget: { value } }) => setSince(value === '' ? since : value)}
        />
        <Text c="dimmed" fz="sm">
          All deliveries that have failed since then are sent again, in the order of their events.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}

function recoveredText(count: number): string {
  if (count === 0) return 'Nothing has failed since then.';
  return count === 1
    ? '1 delivery is being sent again.'
    : `${count.toLocaleString('en-GB')} deliveries are being sent again.`;
}
