import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { type Instant, printInstant } from '../../platform/time/instant.ts';
import type { Coverage, RolledDay } from './coverage.ts';
import type { RunQuery } from './report-cursor.ts';
import { facts, levels, type UsageQuery } from './usage/usage-facts.ts';
import { metricColumns, gridOf, groupColumns, idColumnsTo, occupancyParts, aggregate } from './usage/usage-parts.ts';

/** The days within the span whose stored totals are valid. */
export async function readRolledDays(runQuery: RunQuery, from: Instant, to: Instant): Promise<readonly RolledDay[]> {
  const days = await runQuery(sql<{ starts_at: string; ends_at: string }>`
    select starts_at, ends_at from usage_days
    where starts_at >= ${from} and ends_at <= ${to} and not is_stale
      and not tstzrange(starts_at, ends_at) && ${staleSpans(sql`usage_touched`)}
    order by starts_at`);
  return days.map((day) => ({ startsAt: printInstant(day.starts_at), endsAt: printInstant(day.ends_at) }));
}

/** The number of id columns that the totals need to answer the query; null if they cannot answer it. */
export function rolledDepth({ groups, filters, reader }: UsageQuery): number | null {
  const { customer_id, ...finer } = filters;
  if (reader.userId !== null || Object.keys(finer).length > 0) return null;
  const depth = groups.level === null ? 0 : levels.indexOf(groups.level) + 1;
  return customer_id === undefined ? depth : Math.max(depth, 1);
}

/** A query of the stored totals of the days. */
export function rolledParts(
  { groups, filters }: UsageQuery,
  depth: number,
  days: Coverage['days'],
): RawBuilder<unknown> {
  const { customer_id } = filters;
  return sql`
    select day.n, ${idColumnsTo(groups.level === null ? 0 : depth)}, ${metricColumns(rolledMetrics)}
    from unnest(${days.map(({ startsAt }) => startsAt)}::timestamptz[], ${days.map(({ n }) => n)}::int[]) day (starts_at, n)
    join usage_by_day using (starts_at)
    where depth = ${depth} ${customer_id === undefined ? sql`` : sql`and customer_id = ${customer_id}`}`;
}

const rolledNames = ['participant_minutes', 'meetings', 'peak_participants', 'peak_meetings'] as const;
const rolledMetrics = Object.fromEntries(rolledNames.map((name) => [name, sql.ref(name)]));

/**
 * Advances `reaches_at` and marks days as stale that were changed since the last run.
 * @returns the start of the recorded facts; null if another process is running the roll-up.
 */
export async function prepareRollUp(
  db: Database,
  { timeZone, reachesAt }: { timeZone: string; reachesAt: Instant },
): Promise<Instant | null> {
  return await withRollUpLock(db, 'read committed', async (tx) => {
    const { rows } = await sql<{ time_zone: string }>`select time_zone from usage_roll_up`.execute(tx);
    if (rows[0]?.time_zone !== timeZone) await resetRollUp(tx, timeZone, reachesAt);
    const { rows: updated } = await sql<{ begins_at: string }>`
      with touched as (delete from usage_touched returning from_at, until_at),
      stale as (
        update usage_days set is_stale = true
        where not is_stale and tstzrange(starts_at, ends_at) && ${staleSpans(sql`touched`)}
      )
      update usage_roll_up set reaches_at = greatest(reaches_at, ${reachesAt}),
        begins_at = least(begins_at, (select min(from_at) from touched where isfinite(from_at)))
      returning begins_at`.execute(tx);
    return updated[0] ? printInstant(updated[0].begins_at) : null;
  });
}

/** Drops all totals when the time zone changes, because days then start at other instants. */
async function resetRollUp(tx: Tx, timeZone: string, reachesAt: Instant): Promise<void> {
  await sql`delete from usage_by_day`.execute(tx);
  await sql`delete from usage_days`.execute(tx);
  await sql`
    insert into usage_roll_up (time_zone, begins_at, reaches_at)
    select ${timeZone}, least(${reachesAt}, (select min(started_at) from meetings), (select min(joined_at) from room_entries),
      (select min(started_at) from past_usage)), ${reachesAt}
    on conflict (is_only) do update set time_zone = excluded.time_zone, begins_at = excluded.begins_at`.execute(tx);
}

/** The open transactions that write facts, and may still use an older `reaches_at`. */
export async function listOpenWriters(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ writer: string }>`
    select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and relation = any(array['meetings', 'room_entries', 'past_usage']::regclass[])`.execute(db);
  return rows.map(({ writer }) => writer);
}

/** The days that have no valid totals, the latest first. */
export async function findDaysToRoll(db: Database, days: readonly RolledDay[]): Promise<readonly RolledDay[]> {
  const { rows } = await sql<{ position: number }>`
    select n::int as position from unnest(${days.map(({ startsAt }) => startsAt)}::timestamptz[],
      ${days.map(({ endsAt }) => endsAt)}::timestamptz[]) with ordinality day (starts_at, ends_at, n)
    where not exists (select from usage_days known
      where known.starts_at = day.starts_at and known.ends_at = day.ends_at and not is_stale)
    order by n desc`.execute(db);
  return rows.flatMap(({ position }) => days[position - 1] ?? []);
}

/** @returns false if another process is running the roll-up. */
export async function rollDay(db: Database, { startsAt, endsAt }: RolledDay, now: Instant): Promise<boolean> {
  const isDone = await withRollUpLock(db, 'repeatable read', async (tx) => {
    await sql`
      with outdated as (
        delete from usage_days where starts_at < ${endsAt} and ends_at > ${startsAt} returning starts_at
      )
      delete from usage_by_day using outdated where usage_by_day.starts_at = outdated.starts_at`.execute(tx);
    // The planner overestimates a span that is bounded on both sides, and would scan whole tables for one day.
    await sql`select set_config(name, 'off', true)
      from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`.execute(tx);
    await sql`insert into usage_days (starts_at, ends_at) values (${startsAt}, ${endsAt})`.execute(tx);
    await usageOfDay(startsAt, endsAt, now).execute(tx);
    return true;
  });
  return isDone ?? false;
}

/** Inserts the totals of a day. Reads entries and meetings once, and counts them at each depth. */
function usageOfDay(startsAt: Instant, endsAt: Instant, now: Instant): RawBuilder<unknown> {
  const query: Parameters<typeof facts>[0] = {
    span: { from: startsAt, to: endsAt },
    now,
    groups: { level: 'room', byFeature: false },
    filters: {},
    reader: { userId: null },
  };
  const kinds = ['entry', 'meeting'] as const;
  const parts = [0, 1, 2, 3, 4].flatMap((depth) =>
    kinds.map((kind) => {
      const source = sql`select ${idColumnsTo(depth)}, started_at, ended_at from ${sql.ref(kind)}`;
      return sql`select ${sql.lit(depth)}::smallint as depth, part.* from (${occupancyParts(source, sql`grid`, depth, kind)}) part`;
    }),
  );
  const columns = rolledNames.map((name) => sql.ref(name));
  return sql`
    with grid as materialized (${gridOf([startsAt, endsAt], [1])}),
    entry as materialized (${facts(query, 'entry')}),
    meeting as materialized (${facts(query, 'meeting')}),
    part as (${sql.join(parts, sql` union all `)})
    insert into usage_by_day (starts_at, depth, ${sql.join(groupColumns)}, ${sql.join(columns)})
    select ${startsAt}, depth, ${sql.join(groupColumns)}, ${sql.join(rolledNames.map(aggregate))}
    from part group by depth, ${sql.join(groupColumns)}`;
}

/**
 * Only one process has the lock at a time. The lock is the first statement, so that the snapshot includes the previous process's work.
 * @returns null if another process has the lock.
 */
async function withRollUpLock<Outcome>(
  db: Database,
  level: 'read committed' | 'repeatable read',
  act: (tx: Tx) => Promise<Outcome>,
): Promise<Outcome | null> {
  try {
    return await db
      .transaction()
      .setIsolationLevel(level)
      .execute(async (tx) => {
        await sql`lock table usage_roll_up in share row exclusive mode nowait`.execute(tx);
        await sql`select set_config('work_mem', '32MB', true), set_config('jit', 'off', true)`.execute(tx);
        return await act(tx);
      });
  } catch (error) {
    if ((error as { code?: unknown }).code === lockNotAvailable) return null;
    throw error;
  }
}

const lockNotAvailable = '55P03';

function staleSpans(table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(range_agg(tstzrange(from_at, until_at, '[]')), '{}') from ${table})`;
}
