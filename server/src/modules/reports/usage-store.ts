import { type RawBuilder, sql } from 'kysely';
import type { Uuid } from '../../platform/identifier.ts';
import { accountsInReach, customersInReach } from '../memberships/index.ts';
import type { ReportOrder } from './report-request.ts';
import { facts, levels, microseconds, type UsageQuestion } from './usage-facts.ts';

/** A row of the report before it is printed; `n` counts the periods from one. */
export interface UsageTotals {
  readonly n: number;
  readonly customer_id: Uuid | null;
  readonly customer_name: string | null;
  readonly subscription_id: Uuid | null;
  readonly subscription_name: string | null;
  readonly account_id: Uuid | null;
  readonly account_name: string | null;
  readonly room_id: Uuid | null;
  readonly room_name: string | null;
  readonly participant_minutes: number | null;
  readonly meetings: number | null;
  readonly peak_participants: number | null;
  readonly peak_meetings: number | null;
  readonly recordings: number | null;
  readonly storage_bytes: number | null;
  readonly feature: string | null;
  readonly used: number | null;
}

/** One statement for the whole report. There must be a period. */
export function usageStatement(question: UsageQuestion): RawBuilder<unknown> {
  const { periods, groups } = question;
  const bounds = [...periods.map(({ startsAt }) => startsAt), periods.at(-1)?.endsAt ?? ''];
  const parts = [
    occupied(question, 'entry', beganMinutes, ['participant_minutes', 'peak_participants']),
    occupied(question, 'meeting', sql`(${isWithin})::int`, ['meetings', 'peak_meetings']),
    kept(question, 'recording'),
    ...(groups.byFeature ? [kept(question, 'room')] : []),
    ...(groups.byFeature && groups.level !== 'room' && !question.filters.room_id ? [kept(question, 'account')] : []),
  ];
  return sql`
    with grid as materialized (
      select array_agg(${microseconds(sql`bound`)} order by bound) as bounds, ${periods.length}::int as size
      from unnest(${bounds}::timestamptz[]) bound
    ),
    part as (${sql.join(parts, sql` union all `)}),
    total as (
      select n, ${sql.join(groupColumns)}, ${sql.join(metrics.map((name) => sql`${aggregate(name)} as ${sql.ref(name)}`))}
      from part group by n, ${sql.join(groupColumns)}
    ),
    line as (${groups.byFeature ? featureLines : metricLines})
    select line.*, ${names(question)}
    from line ${nameJoins(question)}
    order by ${orderOf(question.order)}`;
}

const groupColumns = levels.map((level) => sql.ref(`${level}_id`));

/** What is counted, and whether periods' parts add up or the greatest stands. */
const metrics = [
  'participant_minutes',
  'meetings',
  'peak_participants',
  'peak_meetings',
  'recordings',
  'kept_recordings',
  'storage_bytes',
  'kept_rooms',
  'kept_accounts',
] as const;
type Metric = (typeof metrics)[number];

function aggregate(name: Metric): RawBuilder<unknown> {
  return sql`coalesce(sum(${sql.ref(`part.${name}`)}), 0)::bigint`;
}

/** The columns of a part of which only some metrics are filled. */
function filled(values: Partial<Record<Metric, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql.join(metrics.map((name) => sql`${values[name] ?? sql`null`}::bigint as ${sql.ref(name)}`));
}

/**
 * What lasts and is counted at once: parted at the bounds, so that each part counts where it lies. The running sum
 * over comings and goings, where who goes at an instant has gone before who comes, gives the most at one moment.
 */
function occupied(
  question: UsageQuestion,
  kind: 'entry' | 'meeting',
  amount: RawBuilder<unknown>,
  [sum, peak]: readonly [Metric, Metric],
): RawBuilder<unknown> {
  const { level } = question.groups;
  const key = level === null ? [] : [sql.ref(`${level}_id`)];
  return sql`
    select n, ${sql.join(groupColumns)}, ${filled({ [sum]: sql`sum(amount)`, [peak]: sql`max(running)` })}
    from (
      select n, ${sql.join(groupColumns)}, amount,
        sum(delta) over (partition by ${sql.join([...key, sql`n`])} order by at, delta rows unbounded preceding) as running
      from (${facts(question, kind)}) fact cross join grid
      cross join lateral (select greatest(ended_at, started_at + 1) as until_at) stay
      cross join lateral generate_series(
        greatest(width_bucket(started_at, bounds), 1),
        least(width_bucket(until_at - 1, bounds), size)) as n
      cross join lateral (values
        (greatest(started_at, bounds[n]), 1, ${amount}),
        (least(until_at, bounds[n + 1]), -1, 0)) as step (at, delta, amount)
    ) step
    group by n, ${sql.join(groupColumns)}`;
}

const isWithin = sql`started_at >= bounds[n] and started_at < bounds[n + 1]`;

/** All minutes that were begun, at least one, counted to the millisecond as they are charged. */
const minutesOfStay = sql`greatest(1, ceil((floor(ended_at / 1000) - floor(started_at / 1000)) / 60000))`;

/** Each minute counts where it begins: nearly always all of them in one period. */
const beganMinutes = sql`(case
  when ${isWithin} and until_at <= bounds[n + 1] then ${minutesOfStay}
  else ${begunBefore(sql`bounds[n + 1]`)} - ${begunBefore(sql`bounds[n]`)} end)::int`;

function begunBefore(bound: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`least(${minutesOfStay}, greatest(0, ceil((${bound} - started_at) / 60000000)))`;
}

/** What is made at one moment and there until another: counted at the end of each period. */
function kept(question: UsageQuestion, kind: 'recording' | 'room' | 'account'): RawBuilder<unknown> {
  const there = sql`count(*) filter (where is_there)`;
  const values: Partial<Record<Metric, RawBuilder<unknown>>> =
    kind === 'recording'
      ? {
          recordings: sql`count(*) filter (where ${isWithin})`,
          kept_recordings: there,
          storage_bytes: sql`sum(size_bytes) filter (where is_there)`,
        }
      : { [`kept_${kind}s`]: there };
  return sql`
    select n, ${sql.join(groupColumns)}, ${filled(values)}
    from (${facts(question, kind)}) fact cross join grid
    cross join lateral generate_series(
      greatest(width_bucket(started_at, bounds), 1),
      least(coalesce(width_bucket(ended_at, bounds), size), size)) as n
    cross join lateral (
      select ended_at is null or ended_at >= least(bounds[n + 1], ${microseconds(sql`${question.now}::timestamptz`)}) as is_there) state
    group by n, ${sql.join(groupColumns)}`;
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

function names({ reader }: UsageQuestion): RawBuilder<unknown> {
  const { mayName } = reader;
  const gone = (kind: string, column: string) =>
    sql`(select name from past_usage where kind = ${sql.lit(kind)} and ${sql.ref(column)} = ${sql.ref(`line.${column}`)} limit 1)`;
  return sql.join([
    sql`${mayName.customer ? sql`coalesce(customer.company_name, customer.full_name)` : sql`null::text`} as customer_name`,
    sql`${mayName.subscription ? sql`subscription.name` : sql`null::text`} as subscription_name`,
    sql`${mayName.account ? sql`coalesce(account.account_name, ${gone('account', 'account_id')})` : sql`null::text`} as account_name`,
    sql`${mayName.room ? sql`coalesce(room.room_name, ${gone('room', 'room_id')})` : sql`null::text`} as room_name`,
  ]);
}

function nameJoins({ reader: { userId } }: UsageQuestion): RawBuilder<unknown> {
  const within = (column: string, reach: RawBuilder<unknown> | null) =>
    reach === null ? sql`true` : sql`${sql.ref(column)} in ${reach}`;
  const reach = {
    customer: userId === null ? null : customersInReach(userId),
    subscriber: userId === null ? null : customersInReach(userId, 'read-subscriptions'),
    account: userId === null ? null : accountsInReach(userId),
  };
  return sql`
    left join customers customer on customer.id = line.customer_id and ${within('customer.id', reach.customer)}
    left join subscriptions subscription on subscription.id = line.subscription_id
      and ${within('subscription.subscriber_id', reach.subscriber)}
    left join accounts account on account.id = line.account_id and ${within('account.id', reach.account)}
    left join rooms room on room.id = line.room_id`;
}

/** By the same rows again whatever is alike in what was asked for. */
function orderOf(order: readonly ReportOrder[]): RawBuilder<unknown> {
  const ofPeriod = new Set(['period', 'starts_at', 'ends_at']);
  const terms = order.map(({ member, descending }) => {
    const column = ofPeriod.has(member) ? 'n' : member === 'unit' ? 'feature' : member;
    return sql`${sql.ref(column)} ${sql.raw(descending ? 'desc' : 'asc')}`;
  });
  const rest = ['n', ...levels.map((level) => `${level}_id`), 'feature'];
  return sql.join([...terms, ...rest.map((column) => sql.ref(column))]);
}
