import { type RawBuilder, sql } from 'kysely';
import type { Instant } from '../../../platform/time/instant.ts';
import { type FactKind, levels, microseconds } from './usage-facts.ts';

export const groupColumns = levels.map((level) => sql.ref(`${level}_id`));

/** The parts of a period are combined by sum, or by maximum for peaks. */
export const metrics = [
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
export type Metric = (typeof metrics)[number];

export function aggregate(name: Metric): RawBuilder<unknown> {
  return sql`coalesce(${sql.raw(name.startsWith('peak_') ? 'max' : 'sum')}(${sql.ref(name)}), 0)::bigint`;
}

/** All metric columns, null if `values` has none. */
export function metricColumns(values: Partial<Record<Metric, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql.join(metrics.map((name) => sql`${values[name] ?? sql`null`}::bigint as ${sql.ref(name)}`));
}

/** One row with the bounds of the parts, their periods and their number. */
export function gridOf(bounds: readonly Instant[], periods: readonly number[]): RawBuilder<unknown> {
  return sql`
    select array_agg(${microseconds(sql`bound`)} order by bound) as bounds, ${periods}::int[] as periods,
      ${periods.length}::int as size
    from unnest(${bounds}::timestamptz[]) bound`;
}

/** The ids down to the depth; null below it. */
export function idColumnsTo(depth: number): RawBuilder<unknown> {
  return sql.join(
    levels.map((level, index) =>
      index < depth ? sql.ref(`${level}_id`) : sql`null::uuid as ${sql.ref(`${level}_id`)}`,
    ),
  );
}

/**
 * Splits entries or meetings at the bounds, and counts their amounts and their peak. The peak is the maximum of a
 * running sum over starts and ends; at the same instant, ends come first.
 * @param facts rows of `facts`, with ids down to the depth.
 */
export function occupancyParts(
  facts: RawBuilder<unknown>,
  grid: RawBuilder<unknown>,
  depth: number,
  kind: 'entry' | 'meeting',
): RawBuilder<unknown> {
  const level = levels[depth - 1];
  const key = [...(level ? [sql.ref(`${level}_id`)] : []), sql`slot`];
  const amount = kind === 'entry' ? beganMinutes : sql`(${isWithin})::int`;
  const [sum, peak]: readonly [Metric, Metric] =
    kind === 'entry' ? ['participant_minutes', 'peak_participants'] : ['meetings', 'peak_meetings'];
  return sql`
    select n, ${sql.join(groupColumns)}, ${metricColumns({ [sum]: sql`sum(amount)`, [peak]: sql`max(running)` })}
    from (
      select periods[slot] as n, ${sql.join(groupColumns)}, amount,
        sum(delta) over (partition by ${sql.join(key)} order by at, delta rows unbounded preceding) as running
      from (${facts}) fact cross join ${grid} grid
      cross join lateral (select greatest(ended_at, started_at + 1) as until_at) stay
      cross join lateral generate_series(
        greatest(width_bucket(started_at, bounds), 1),
        least(width_bucket(until_at - 1, bounds), size)) as slot
      cross join lateral (values
        (greatest(started_at, bounds[slot]), 1, ${amount}),
        (least(until_at, bounds[slot + 1]), -1, 0)) as step (at, delta, amount)
    ) step
    group by n, ${sql.join(groupColumns)}`;
}

const isWithin = sql`started_at >= bounds[slot] and started_at < bounds[slot + 1]`;

/** Started minutes, at least one, by milliseconds, as they are charged. */
const minutesOfStay = sql`greatest(1, ceil((floor(ended_at / 1000) - floor(started_at / 1000)) / 60000))`;

/** Each minute counts in the part where it starts. The first branch is the common case. */
const beganMinutes = sql`(case
  when ${isWithin} and until_at <= bounds[slot + 1] then ${minutesOfStay}
  else ${minutesBegunBefore(sql`bounds[slot + 1]`)} - ${minutesBegunBefore(sql`bounds[slot]`)} end)::int`;

function minutesBegunBefore(bound: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`least(${minutesOfStay}, greatest(0, ceil((${bound} - started_at) / 60000000)))`;
}

/** Counts the resources that exist at the end of each period. */
export function stockParts(
  facts: RawBuilder<unknown>,
  grid: RawBuilder<unknown>,
  kind: Exclude<FactKind, 'entry' | 'meeting'>,
  now: Instant,
): RawBuilder<unknown> {
  const countExisting = sql`count(*) filter (where is_there)`;
  const values: Partial<Record<Metric, RawBuilder<unknown>>> =
    kind === 'recording'
      ? {
          recordings: sql`count(*) filter (where ${isWithin})`,
          kept_recordings: countExisting,
          storage_bytes: sql`sum(size_bytes) filter (where is_there)`,
        }
      : { [`kept_${kind}s`]: countExisting };
  return sql`
    select periods[slot] as n, ${sql.join(groupColumns)}, ${metricColumns(values)}
    from (${facts}) fact cross join ${grid} grid
    cross join lateral generate_series(
      greatest(width_bucket(started_at, bounds), 1),
      least(coalesce(width_bucket(ended_at, bounds), size), size)) as slot
    cross join lateral (
      select ended_at is null
        or ended_at >= least(bounds[slot + 1], ${microseconds(sql`${now}::timestamptz`)}) as is_there) state
    group by periods[slot], ${sql.join(groupColumns)}`;
}
