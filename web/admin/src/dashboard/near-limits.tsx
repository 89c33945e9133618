import { Group, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { featureAmountText, isCounted, featureName, usedShare } from '../../../kit/format/feature-values.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import type { Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { CustomerRow } from '../nouns/rows.ts';

const nearLimitPercent = 80;
const maxRows = 6;

/** Subscriptions near their limits (at most 100), and their total number. */
export function useNearLimits() {
  const may = useMay();
  const result = useQuery({
    queryKey: ['listSubscriptions', 'near-limit'],
    enabled: may('listSubscriptions'),
    queryFn: ({ signal }) =>
      client.listSubscriptions({
        query: {
          near_limit: nearLimitPercent,
          limit: 100,
          include: 'features,customer',
          filter: 'id,name,features,customer',
        },
        signal,
      }),
  });
  return { rows: result.data?.data ?? [], total: result.data?.meta.pagination?.total ?? 0 };
}

/** Lists the subscriptions by their most used limit, the highest usage first. */
export function NearLimits({ rows, total }: ReturnType<typeof useNearLimits>) {
  const sorted = rows
    .map((subscription) => ({ subscription, limits: limitsOf(subscription) }))
    .toSorted((one, other) => (other.limits[0]?.share ?? 0) - (one.limits[0]?.share ?? 0));
  return (
    <Panel title="Near or over a limit" flush>
      {sorted.slice(0, maxRows).map(({ subscription, limits }) => (
        <Group key={subscription.id} className="line" justify="space-between" wrap="nowrap">
          <div style={{ minWidth: 0, flex: 1 }}>
            <Text lineClamp={2} component="div">
              <Link
                to="/$noun/$id"
                params={{ noun: 'subscriptions', id: subscription.id }}
                search={{ tab: 'features' }}
                className="link"
              >
                {nouns.subscriptions.titleOf(subscription)}
              </Link>
            </Text>
            <Text fz="sm" c="dimmed" truncate>
              {customerOf(subscription)}
            </Text>
          </div>
          <div style={{ flexShrink: 0 }}>
            {limits.slice(0, 2).map(({ tag, used, value, share }) => (
              <Text key={tag} fz="sm" ta="right" {...(share > 1 ? { c: 'var(--mantine-color-error)', fw: 560 } : {})}>
                {featureName(tag)}: {used.toLocaleString('en-GB')} of {featureAmountText(tag, value)}
              </Text>
            ))}
            {limits.length > 2 && (
              <Text fz="xs" ta="right" c="dimmed">
                and {limits.length - 2} more
              </Text>
            )}
          </div>
        </Group>
      ))}
      {total > maxRows && (
        <Group className="line" justify="flex-end">
          <Link
            to="/$noun"
            params={{ noun: 'subscriptions' }}
            search={{ only: `near_limit:${nearLimitPercent}` }}
            className="quiet-link"
          >
            <Text fz="sm" c="dimmed" component="span">
              All {total.toLocaleString('en-GB')} near a limit
            </Text>
          </Link>
        </Group>
      )}
    </Panel>
  );
}

interface Limit {
  readonly tag: string;
  readonly value: string;
  readonly used: number;
  readonly share: number;
}

type Feature = EndpointAnswer<'listSubscriptionFeatures'>['data'][number];

/** The limits of the subscription that are nearly used up, the highest usage first. */
function limitsOf(subscription: Row): Limit[] {
  const features = (subscription['features'] as { data?: readonly Feature[] } | undefined)?.data ?? [];
  return features
    .filter(({ tag }) => isCounted(tag))
    .map(({ tag, value, usage }) => {
      const used = usage.data.used + usage.data.handed_down;
      return { tag, value, used, share: used === 0 || usedShare(value, used) === null ? 0 : used / Number(value) };
    })
    .filter(({ share }) => share >= nearLimitPercent / 100)
    .toSorted((one, other) => other.share - one.share);
}

function customerOf(row: Row): string {
  const included = row.customer as { data?: CustomerRow | null } | undefined;
  return included?.data ? nouns.customers.titleOf(included.data) : '';
}
