import { Text } from '@mantine/core';
import { formatDay, nextDay } from '../../../kit/format/instants.ts';
import { formatMoney } from '../../../kit/format/money.ts';
import { Day } from '../../../kit/display/times.tsx';
import { type Row, text, textOrNull } from '../../../kit/noun/noun.ts';
import { FactList } from '../../../kit/display/facts.tsx';
import type { SubscriptionRow } from '../nouns/rows.ts';

/** First and last days of trial, period and grace. The last days are included. */
export function SubscriptionDays({ row }: { readonly row: SubscriptionRow }) {
  const [trialEnd, start, end] = [textOrNull(row, 'trial_ends_at'), text(row, 'starts_at'), text(row, 'ends_at')];
  const canceledAt = textOrNull(row, 'canceled_at');
  const lastUse = textOrNull(row, 'last_day_of_use');
  return (
    <>
      <FactList
        facts={[
          ...(trialEnd === null ? [] : [['Last day of the trial', <Day key="trial" day={trialEnd} />] as const]),
          ['First day of the period', <Day key="start" day={start} />],
          ['Last day of the period', <Day key="end" day={end} />],
          ...(canceledAt === null ? [] : [['Canceled on', <Day key="canceled" day={canceledAt} />] as const]),
          ...(lastUse === null ? [] : [['Last day of use', <Day key="use" day={lastUse} withRelativeDay />] as const]),
        ]}
      />
      {trialEnd !== null && trialEnd.slice(0, 10) === start.slice(0, 10) && (
        <Text fz="xs" c="dimmed" pb={8}>
          The last day of the trial is the first day of the paid period. The next period begins on{' '}
          {formatDay(nextDay(end))}.
        </Text>
      )}
    </>
  );
}

/** Further terms: the sign-up fee and the reseller. */
export function OtherTerms({ row }: { readonly row: SubscriptionRow }) {
  const servicePackage = included(row, 'package');
  const customer = included(row, 'customer');
  const fee = Number(servicePackage?.['signup_fee'] ?? 0);
  const isSoldDirectly = row.parent_subscription_id === null && customer?.['parent_customer_id'] != null;
  const facts = [
    ...(fee > 0
      ? [
          [
            'Sign-up fee',
            `${formatMoney(fee, text(row, 'currency'))}, once, at the current price of the package`,
          ] as const,
        ]
      : []),
    ...(isSoldDirectly ? [['Resold from', 'None: sold directly, not through the reseller'] as const] : []),
  ];
  return facts.length === 0 ? null : <FactList facts={facts} />;
}

function included(row: SubscriptionRow, name: string): Row | null {
  return (row[name] as { data?: Row | null } | undefined)?.data ?? null;
}
