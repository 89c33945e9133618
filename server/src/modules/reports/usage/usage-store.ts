import type { UsageRow } from '@foyer/contract/resources/platform/report.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Instant } from '../../../platform/time/instant.ts';
import { visibleAccounts, visibleCustomers } from '../../memberships/index.ts';
import type { ReportOrder } from '../report-request.ts';
import { coverPeriods, type RolledDay } from '../coverage.ts';
import { rolledDepth, rolledParts } from '../rolled-days-store.ts';
import { type FactKind, facts, levels, type UsageQuery } from './usage-facts.ts';
import { gridOf, groupColumns, stockParts, metrics, occupancyParts, aggregate } from './usage-parts.ts';

/** A row of the report before it is printed; `n` counts the periods from one. */
export type UsageTotals = Omit<UsageRow, 'period' | 'starts_at' | 'ends_at' | 'unit'> & { readonly n: number };

/**
 * One statement for the whole report, from rolled days and recorded facts. Requires at least one period.
 * @param days from `readRolledDays` in the same snapshot.
 */
export function usageStatement(query: UsageQuery, days: readonly RolledDay[]): RawBuilder<unknown> {
  const { periods, groups, filters, now } = query;
  const depth = rolledDepth(query);
  const coverage = coverPeriods(periods, depth === null ? [] : days);
  const reportDepth = groups.level === null ? 0 : levels.indexOf(groups.level) + 1;
  const bounds = [...periods.map(({ startsAt }) => startsAt), periods.at(-1)?.endsAt ?? now];
  const grids = [
    sql`grid as materialized (${gridOf(
      bounds,
      [...periods.keys()].map((index) => index + 1),
    )})`,
    ...coverage.runs.map((run, index) => sql`${liveGrid(index)} as materialized (${gridOf(run.bounds, run.periods)})`),
  ];
  const factsOf = (kind: FactKind, [from = now, ...rest]: readonly Instant[]) =>
    facts({ ...query, span: { from, to: rest.at(-1) ?? now } }, kind);
  const stockOf = (kind: 'recording' | 'room' | 'account') => stockParts(factsOf(kind, bounds), sql`grid`, kind, now);
  const parts = [
    ...(depth === null || coverage.days.length === 0 ? [] : [rolledParts(query, depth, coverage.days)]),
    ...coverage.runs.flatMap((run, index) =>
      (['entry', 'meeting'] as const).map((kind) =>
        occupancyParts(factsOf(kind, run.bounds), liveGrid(index), reportDepth, kind),
      ),
    ),
    stockOf('recording'),
    ...(groups.byFeature ? [stockOf('room')] : []),
    ...(groups.byFeature && groups.level !== 'room' && !filters.room_id ? [stockOf('account')] : []),
  ];
  return sql`
    with ${sql.join(grids)},
    part as (${sql.join(parts, sql` union all `)}),
    total as (
      select n, ${sql.join(groupColumns)}, ${sql.join(metrics.map((name) => sql`${aggregate(name)} as ${sql.ref(name)}`))}
      from part group by n, ${sql.join(groupColumns)}
    ),
    line as (${groups.byFeature ? featureLines : metricLines})
    select line.*, ${nameColumns(query)}
    from line ${nameJoins(query)}
    order by ${orderOf(query.order)}`;
}

function liveGrid(index: number): RawBuilder<unknown> {
  return sql.ref(`live_${index}`);
}

const ids = sql`n, ${sql.join(groupColumns)}`;

const metricLines = sql`
  select ${ids}, participant_minutes, meetings, peak_participants, peak_meetings, recordings, storage_bytes,
    null::text as feature, null::bigint as used
  from total
  where participant_minutes + meetings + peak_participants + peak_meetings + recordings + storage_bytes > 0`;

const featureLines = sql`
  select ${ids}, null::bigint as participant_minutes, null::bigint as meetings, null::bigint as peak_participants,
    null::bigint as peak_meetings, null::bigint as recordings, null::bigint as storage_bytes, feature, used
  from total cross join lateral (values
    ('participant_minutes', participant_minutes),
    ('max_concurrent_participants', peak_participants),
    ('max_concurrent_meetings', peak_meetings),
    ('max_accounts', kept_accounts),
    ('max_rooms', kept_rooms),
    ('max_recordings', kept_recordings),
    ('max_storage', storage_bytes)) as line (feature, used)
  where used > 0`;

function nameColumns({ reader }: UsageQuery): RawBuilder<unknown> {
  const { mayName } = reader;
  const deletedName = (kind: string, column: string) =>
    sql`(select name from past_usage where kind = ${sql.lit(kind)} and ${sql.ref(column)} = ${sql.ref(`line.${column}`)} limit 1)`;
  return sql.join([
    sql`${mayName.customer ? sql`coalesce(customer.company_name, customer.full_name)` : sql`null::text`} as customer_name`,
    sql`${mayName.subscription ? sql`subscription.name` : sql`null::text`} as subscription_name`,
    sql`${mayName.account ? sql`coalesce(account.account_name, ${deletedName('account', 'account_id')})` : sql`null::text`} as account_name`,
    sql`${mayName.room ? sql`coalesce(room.room_name, ${deletedName('room', 'room_id')})` : sql`null::text`} as room_name`,
  ]);
}

function nameJoins({ reader: { userId } }: UsageQuery): RawBuilder<unknown> {
  const isVisible = (column: string, visibleIds: RawBuilder<unknown> | null) =>
    visibleIds === null ? sql`true` : sql`${sql.ref(column)} in ${visibleIds}`;
  const visible = {
    customer: userId === null ? null : visibleCustomers(userId),
    subscriber: userId === null ? null : visibleCustomers(userId, 'read-subscriptions'),
    account: userId === null ? null : visibleAccounts(userId),
  };
  return sql`
    left join customers customer on customer.id = line.customer_id and ${isVisible('customer.id', visible.customer)}
    left join subscriptions subscription on subscription.id = line.subscription_id
      and ${isVisible('subscription.subscriber_id', visible.subscriber)}
    left join accounts account on account.id = line.account_id and ${isVisible('account.id', visible.account)}
    left join rooms room on room.id = line.room_id`;
}

/** Adds all ids to the requested order, so that it is deterministic. */
function orderOf(order: readonly ReportOrder[]): RawBuilder<unknown> {
  const periodColumns = new Set(['period', 'starts_at', 'ends_at']);
  const terms = order.map(({ member, descending }) => {
    const column = periodColumns.has(member) ? 'n' : member === 'unit' ? 'feature' : member;
    return sql`${sql.ref(column)} ${sql.raw(descending ? 'desc' : 'asc')}`;
  });
  const idColumns = ['n', ...levels.map((level) => `${level}_id`), 'feature'];
  return sql.join([...terms, ...idColumns.map((column) => sql.ref(column))]);
}
