import { Alert, Button, Group, Menu, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { WebhookRow } from '../nouns/rows.ts';

/** @throws EditConflict if another person has enabled or disabled it in the meantime */
function setActive(webhook: WebhookRow, active: boolean): Promise<unknown> {
  const params = { webhook_id: webhook.id };
  return writeIfUnchanged({ read: 'readWebhook', params, fields: ['active'] }, versionOfListRow(webhook), (ifMatch) =>
    client.updateWebhook({ params, body: { active }, ifMatch }),
  );
}

/** Why the webhook gets no events, with a button that enables it again. */
export function WebhookNotice({ webhook }: { readonly webhook: WebhookRow }) {
  const may = useMay();
  const { isBusy, run } = useAction();
  if (webhook.state === 'active') return null;
  const isDisabled = webhook.state === 'disabled';
  return (
    <Alert
      mb="lg"
      color={isDisabled ? 'red' : 'yellow'}
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={isDisabled ? 'This webhook gets no events' : 'The last delivery failed'}
    >
      <Group justify="space-between" gap="sm">
        <Text inherit style={{ flex: '1 1 320px' }}>
          {isDisabled ? (
            <>
              {webhook.disabled_reason}{' '}
              {webhook.disabled_at !== null && (
                <>
                  Disabled <RelativeTime instant={webhook.disabled_at} />.{' '}
                </>
              )}
              Events that occur while it is disabled are not delivered later.
            </>
          ) : (
            'Foyer retries it with growing delays. If no delivery succeeds for three days, the webhook is disabled.'
          )}
        </Text>
        {isDisabled && may('updateWebhook') && (
          <Button
            size="xs"
            leftSection={<IconPlayerPlay size={15} />}
            loading={isBusy}
            onClick={() => run(() => setActive(webhook, true), 'The webhook gets events again.')}
          >
            Enable again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

export function useDisabling(webhook: WebhookRow, name: string): { item: ReactNode; dialog: ReactNode } {
  const [isAsking, setAsking] = useState(false);
  const may = useMay();
  if (!webhook.active || !may('updateWebhook')) return { item: null, dialog: null };
  return {
    item: (
      <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => setAsking(true)}>
        Disable…
      </Menu.Item>
    ),
    dialog: (
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Disable “${name}”?`}
        confirmLabel="Disable"
        onConfirm={async () => {
          await setActive(webhook, false);
          await refreshEverything();
          showDone('The webhook has been disabled.');
        }}
      >
        It gets no further events. Events that occur while it is disabled are not delivered later. Pending deliveries
        wait until the webhook is enabled again.
      </ConfirmDialog>
    ),
  };
}
