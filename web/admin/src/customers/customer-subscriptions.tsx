import { Button, Group, Text } from '@mantine/core';
import { IconPlus, IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { endOf } from '../subscriptions/subscription-phase.ts';
import { useCreation } from '../resource/actions/use-creation.tsx';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { CustomerRow } from '../nouns/rows.ts';

const maxShown = 5;

/** The latest subscriptions of a customer, with their end dates. */
export function CustomerSubscriptions({ customer }: { readonly customer: CustomerRow }) {
  const customerId = customer.id;
  const may = useMay();
  const creation = useCreation(nouns.subscriptions, { presets: { subscriber_id: customerId } });
  const isActive = customer['effective_status'] === 'active';
  const result = useQuery({
    queryKey: ['listSubscriptions', 'sold to', customerId],
    enabled: may('listSubscriptions'),
    queryFn: ({ signal }) =>
      client.listSubscriptions({
        query: {
          search: `subscriber_id:${customerId}`,
          limit: maxShown,
          orderBy: 'ends_at',
          sortedBy: 'desc',
        },
        signal,
      }),
  });
  if (!result.data) return null;
  const total = result.data.meta.pagination?.total ?? result.data.data.length;
  return (
    <Panel title="Subscriptions" flush>
      {result.data.data.length === 0 ? (
        <Placeholder
          title="No subscriptions yet"
          icon={<IconReceipt stroke={1.4} />}
          action={
            isActive &&
            creation.isAllowed && (
              <Button size="xs" leftSection={<IconPlus size={14} />} onClick={creation.open}>
                New subscription
              </Button>
            )
          }
        >
          A subscription gives the customer a package. Accounts and rooms belong to a subscription.
        </Placeholder>
      ) : (
        result.data.data.map((row) => (
          <Group key={row.id} className="line" justify="space-between" wrap="nowrap">
            <Link to="/$noun/$id" params={{ noun: 'subscriptions', id: row.id }} className="link">
              {nouns.subscriptions.titleOf(row)}
            </Link>
            <Group gap="sm" wrap="nowrap" style={{ flexShrink: 0 }}>
              <Text fz="sm" c="dimmed" component="div" visibleFrom="xs">
                <Day day={endOf(row)} />
              </Text>
              <StatusBadge value={row.status} />
            </Group>
          </Group>
        ))
      )}
      {total > maxShown && (
        <Text className="line" fz="sm" c="dimmed">
          {`And ${(total - maxShown).toLocaleString('en-GB')} more.`}
        </Text>
      )}
      {creation.drawer}
    </Panel>
  );
}
