import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { SideDrawer } from '../../../kit/dialog/side-drawer.tsx';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { FactList } from '../../../kit/display/facts.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { formatInstant } from '../../../kit/format/instants.ts';
import { client } from '../../../kit/api/client.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { WebhookRow } from '../nouns/rows.ts';
import { AttemptOutcome } from './attempt-outcome.tsx';
import type { Delivery } from './delivery-state.ts';

interface Props {
  readonly webhook: WebhookRow;
  readonly delivery: Delivery | null;
  readonly onClose: () => void;
}

/** One delivery: its attempts, and the request that was sent. */
export function DeliveryDrawer({ webhook, delivery, onClose }: Props) {
  return (
    <SideDrawer title={delivery?.event_name ?? ''} isOpen={delivery !== null} onClose={onClose} size={720}>
      {delivery && (
        <Stack p="xl" pt="lg" gap="lg">
          <Group justify="space-between">
            <Group gap="xs">
              <StatusBadge value={delivery.state} />
              {delivery.next_attempt_at !== null && (
                <Text c="dimmed" fz="sm">
                  Next attempt <RelativeTime instant={delivery.next_attempt_at} />
                </Text>
              )}
            </Group>
            <Resend webhook={webhook} delivery={delivery} />
          </Group>
          <Attempts delivery={delivery} />
          <SentRequest webhook={webhook} delivery={delivery} />
        </Stack>
      )}
    </SideDrawer>
  );
}

function Resend({ webhook, delivery }: { readonly webhook: WebhookRow; readonly delivery: Delivery }) {
  const may = useMay();
  const { isBusy, run } = useAction();
  if (!may('resendWebhookDelivery')) return null;
  const params = { webhook_id: webhook.id, delivery_id: delivery.id };
  return (
    <Button
      variant="light"
      size="xs"
      leftSection={<IconRefresh size={15} />}
      loading={isBusy}
      onClick={() => run(() => client.resendWebhookDelivery({ params }), 'The event is being sent again.')}
    >
      {delivery.state === 'pending' ? 'Send now' : 'Send again'}
    </Button>
  );
}

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  return (
    <Panel flush title="Attempts">
      {delivery.attempts.length === 0 ? (
        <Text className="attempt" c="dimmed">
          The event has not been sent yet.
        </Text>
      ) : (
        delivery.attempts.toReversed().map((attempt) => (
          <div key={attempt.at} className="attempt">
            <AttemptOutcome
              attempt={attempt}
              aside={
                <Text c="dimmed" fz="sm">
                  {formatInstant(attempt.at)}
                </Text>
              }
            />
          </div>
        ))
      )}
    </Panel>
  );
}

function SentRequest({ webhook, delivery }: { readonly webhook: WebhookRow; readonly delivery: Delivery }) {
  return (
    <Panel title="Request">
      <FactList
        facts={[
          ['POST', webhook.url],
          ['webhook-id', delivery.event_id],
          ['webhook-timestamp', 'The time of the attempt'],
          ['webhook-signature', 'A new signature for each attempt, with the secret'],
        ]}
      />
      <SentBody eventId={delivery.event_id} />
    </Panel>
  );
}

function SentBody({ eventId }: { readonly eventId: string }) {
  const may = useMay();
  const isAllowed = may('readEvent');
  const result = useQuery({
    queryKey: ['readEvent', eventId],
    enabled: isAllowed,
    staleTime: Infinity,
    queryFn: ({ signal }) => client.readEvent({ params: { event_id: eventId }, signal }),
  });
  if (!isAllowed) return <Missing>You have no permission to read events, so the body is not shown.</Missing>;
  if (result.error instanceof FoyerError && result.error.status === 404) {
    return <Missing>The event is no longer stored, so its body can’t be shown or sent again.</Missing>;
  }
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <LoadingNotice />;
  const { data: event } = result.data;
  const body = JSON.stringify({ type: event.name, timestamp: event.occurred_at, data: event }, null, 2);
  return (
    <>
      <Group justify="space-between" mt="sm" mb={4}>
        <Text fz="sm" fw={560}>
          Body
        </Text>
        <CopyAction value={body} label="the body" />
      </Group>
      <Code block className="sent-body" tabIndex={0} aria-label="Body">
        {body}
      </Code>
    </>
  );
}

function Missing({ children }: { readonly children: string }) {
  return (
    <Text c="dimmed" fz="sm" mt="sm">
      {children}
    </Text>
  );
}
