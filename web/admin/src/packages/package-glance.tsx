import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { counted } from '../../../kit/format/counted.ts';
import { intervalText } from '../../../kit/format/label.ts';
import { formatMoney } from '../../../kit/format/money.ts';
import { hasActiveProvider } from './package-readiness.tsx';
import { text } from '../../../kit/noun/noun.ts';
import type { ServicePackageRow } from '../nouns/rows.ts';

/** The status of a package, and whether it can be sold. */
export function PackageBadges({ row }: { readonly row: ServicePackageRow }) {
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex">
      <StatusBadge value={text(row, 'status')} />
      {row.hidden && <StatusBadge value="hidden" />}
      {row.retired && <StatusBadge value="retired" />}
      {row.providers !== undefined && !row.retired && !hasActiveProvider(row) && (
        <Badge variant="light" color="yellow" tt="none" fw={560}>
          Not sellable yet
        </Badge>
      )}
    </Group>
  );
}

/** The remaining stock. */
export function StockLeft({ row }: { readonly row: ServicePackageRow }) {
  if (!row.has_stock)
    return (
      <Text span inherit c="dimmed">
        unlimited
      </Text>
    );
  const left = row.stock_qty ?? 0;
  return left === 0 ? (
    <Text span inherit c="var(--mantine-color-error)" fw={560}>
      sold out
    </Text>
  ) : (
    <span>{left.toLocaleString('en-GB')} left</span>
  );
}

/** Price and terms of a package. */
export function PackageGlance({ row }: { readonly row: ServicePackageRow }) {
  const currency = text(row, 'currency');
  const [trial, grace, fee] = [row.trial_period, row.grace_period, row.signup_fee];
  return (
    <section className="panel glance" aria-label="At a glance">
      <Figure label="Price" note={`every ${intervalText(row.periodicity, text(row, 'periodicity_type'))}`}>
        {formatMoney(row.price, currency)}
      </Figure>
      <Figure label="Sign-up fee" note={fee > 0 ? 'once, at the start' : 'free to start'}>
        {fee > 0 ? formatMoney(fee, currency) : 'None'}
      </Figure>
      <Figure
        label="Trial"
        note={
          trial === 0
            ? 'paid from the first day'
            : row.trial_mode === 'outside'
              ? 'before the first period'
              : 'within the first period'
        }
      >
        {trial === 0 ? 'None' : counted(trial, text(row, 'trial_interval'))}
      </Figure>
      <Figure label="Grace" note={grace === 0 ? 'ends on its last day' : 'of use after the end'}>
        {grace === 0 ? 'None' : counted(grace, text(row, 'grace_interval'))}
      </Figure>
      <Figure label="Tier" note={row.tier === null ? 'not ranked against other packages' : 'higher is an upgrade'}>
        {row.tier === null ? 'None' : row.tier.toLocaleString('en-GB')}
      </Figure>
      <Figure label="Stock" note={row.has_stock ? 'left to be sold' : 'can be sold at any time'}>
        {row.has_stock ? (row.stock_qty ?? 0).toLocaleString('en-GB') : 'Unlimited'}
      </Figure>
    </section>
  );
}

function Figure(props: { readonly label: string; readonly note: string; readonly children: ReactNode }) {
  return (
    <div className="figure">
      <Text fz="xs" fw={560} c="dimmed">
        {props.label}
      </Text>
      <Text fz="xl" fw={620} lh={1.35}>
        {props.children}
      </Text>
      <Text fz="xs" c="dimmed">
        {props.note}
      </Text>
    </div>
  );
}
