import { Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { SecretDialog } from '../../../kit/dialog/secret-dialog.tsx';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import type { WebhookRow } from '../nouns/rows.ts';

const overlaps = [
  { value: '0', label: 'No time: it stops working immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
];

/** Replaces the secret. The old secret stays valid for a chosen time, so that the receiver can be updated with the new one. */
export function useSecretRotation(webhook: WebhookRow, name: string): { ask: () => void; dialogs: ReactNode } {
  const [isAsking, setAsking] = useState(false);
  const [hours, setHours] = useState('24');
  const [secret, setSecret] = useState<string | null>(null);

  async function rotate(): Promise<void> {
    const { data } = await client.rotateWebhookSecret({
      params: { webhook_id: webhook.id },
      body: { overlap_hours: Number(hours) },
    });
    await refreshEverything();
    setSecret(data.secret);
  }

  return {
    ask: () => setAsking(true),
    dialogs: (
      <>
        <ConfirmDialog
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          title={`Create a new secret for “${name}”?`}
          confirmLabel="Create new secret"
          isDangerous={hours === '0'}
          onConfirm={rotate}
        >
          <Stack gap="sm">
            <Select
              label="The old secret stays valid for"
              allowDeselect={false}
              data={overlaps}
              value={hours}
              onChange={(next) => setHours(next ?? hours)}
            />
            <Text c="dimmed" fz="sm">
              {hours === '0'
                ? 'Requests will be signed only with the new secret. The receiver rejects them until it has the new secret.'
                : 'During this time, every request has two signatures, one with each secret.'}
            </Text>
          </Stack>
        </ConfirmDialog>
        {secret !== null && (
          <SecretDialog title="The new secret" label="Secret" value={secret} onClose={() => setSecret(null)} />
        )}
      </>
    ),
  };
}
