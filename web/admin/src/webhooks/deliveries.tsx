import './webhooks.css';
import { Group, SegmentedControl, Table, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useExistingPage } from '../../../kit/list/existing-page.ts';
import { ListFooter } from '../../../kit/list/list-footer.tsx';
import { defaultPageSize, type ListState } from '../../../kit/list/list-state.ts';
import { searchQuery } from '../../../kit/list/search.ts';
import { client } from '../../../kit/api/client.ts';
import type { WebhookRow } from '../nouns/rows.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type Delivery, isInProgress, outcomeOf } from './delivery-state.ts';

const states = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

const pollMs = 2000;

/** The deliveries of a webhook, newest first. */
export function Deliveries({ webhook }: { readonly webhook: WebhookRow }) {
  const [state, setState] = useState('');
  const [list, setList] = useState<ListState>({});
  const [opened, setOpened] = useState<Delivery | null>(null);
  const query = {
    limit: list.limit ?? defaultPageSize,
    page: list.page ?? 1,
    ...searchQuery('', state === '' ? {} : { state }),
  };
  const result = useQuery({
    queryKey: ['listWebhookDeliveries', webhook.id, query],
    queryFn: ({ signal }) => client.listWebhookDeliveries({ params: { webhook_id: webhook.id }, query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      webhook.active && data?.data.some((delivery) => isInProgress(delivery, Date.now())) ? pollMs : false,
  });
  useExistingPage(list, setList, result);
  const deliveries = result.data?.data;
  useWebhookRefresh(webhook.id, deliveries);
  const pagination = result.data?.meta.pagination;
  const current = opened && (deliveries?.find(({ id }) => id === opened.id) ?? opened);
  return (
    <Panel
      flush
      title="Deliveries"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="State"
          data={states}
          value={state}
          onChange={(next) => {
            setState(next);
            setList({});
          }}
        />
      }
    >
      {result.error && deliveries === undefined ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : deliveries === undefined ? (
        <LoadingNotice />
      ) : deliveries.length === 0 ? (
        <Placeholder title={state === '' ? 'No deliveries yet' : 'Nothing matches'} icon={<IconSend stroke={1.4} />}>
          {state === ''
            ? 'Each event for this webhook appears here, with every attempt to deliver it.'
            : 'No delivery is in this state.'}
        </Placeholder>
      ) : (
        <DeliveryTable deliveries={deliveries} onOpen={setOpened} />
      )}
      {pagination && (pagination.total ?? 0) > 10 && (
        <ListFooter state={list} onStateChange={setList} pagination={pagination} />
      )}
      <DeliveryDrawer webhook={webhook} delivery={current} onClose={() => setOpened(null)} />
    </Panel>
  );
}

/** Reads the webhook again after each attempt, which can change its state and the time of its last delivery. */
function useWebhookRefresh(id: string, deliveries: readonly Delivery[] | undefined): void {
  const queries = useQueryClient();
  const attempts = deliveries?.reduce((sum, delivery) => sum + delivery.attempts.length, 0);
  useEffect(() => {
    if (attempts !== undefined) void queries.invalidateQueries({ queryKey: ['readWebhook', id] });
  }, [queries, id, attempts]);
}

function DeliveryTable(props: {
  readonly deliveries: readonly Delivery[];
  readonly onOpen: (delivery: Delivery) => void;
}) {
  return (
    <div className="scroll-x">
      <Table className="list" data-static>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Last attempt</Table.Th>
            <Table.Th data-numeric>Attempts</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.deliveries.map((delivery) => (
            <Table.Tr key={delivery.id}>
              <Table.Td>
                <button type="button" className="row-name" onClick={() => props.onOpen(delivery)}>
                  {delivery.event_name}
                </button>
              </Table.Td>
              <Table.Td data-label="State" data-whole>
                <StatusBadge value={delivery.state} />
              </Table.Td>
              <Table.Td data-label="Last attempt">
                <LastAttempt delivery={delivery} />
              </Table.Td>
              <Table.Td data-label="Attempts" data-numeric>
                {delivery.attempts.length}
              </Table.Td>
              <Table.Td data-label="Created" data-whole>
                <RelativeTime instant={delivery.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function LastAttempt({ delivery }: { readonly delivery: Delivery }) {
  const lastAttempt = delivery.attempts.at(-1);
  if (lastAttempt === undefined) return <Text c="dimmed">not yet</Text>;
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex">
      <span>{outcomeOf(lastAttempt)}</span>
      {delivery.next_attempt_at !== null && (
        <Text component="span" inherit c="dimmed">
          retry <RelativeTime instant={delivery.next_attempt_at} />
        </Text>
      )}
    </Group>
  );
}
