import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { type Instant, printInstant } from '../../platform/time/instant.ts';
import type { Coverage, RolledDay } from './coverage.ts';
import type { RunQuery } from './report-cursor.ts';
import { facts, levels, type UsageQuery } from './usage-facts.ts';
import { metricColumns, gridOf, groupColumns, idColumnsTo, occupancyParts, aggregate } from './usage-parts.ts';

/** The days within the span that can be read instead of what is recorded, as they are in the snapshot of `ask`. */
export async function readRolledDays(ask: RunQuery, from: Instant, to: Instant): Promise<readonly RolledDay[]> {
  const days = await ask(sql<{ starts_at: string; ends_at: string }>`
    select starts_at, ends_at from usage_days
    where starts_at >= ${from} and ends_at <= ${to} and not is_stale
      and not tstzrange(starts_at, ends_at) && ${touchedSpans(sql`usage_touched`)}
    order by starts_at`);
  return days.map((day) => ({ startsAt: printInstant(day.starts_at), endsAt: printInstant(day.ends_at) }));
}

/** How finely the days must be told apart to answer the question, as the number of ids; null where they cannot. */
export function rolledDepth({ groups, filters, reader }: UsageQuery): number | null {
  const { customer_id, ...finer } = filters;
  if (reader.userId !== null || Object.keys(finer).length > 0) return null;
  const depth = groups.level === null ? 0 : levels.indexOf(groups.level) + 1;
  return customer_id === undefined ? depth : Math.max(depth, 1);
}

/** What the rolled days hold, a row for each of them. */
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
 * Brings the roll-up up to the moment, and gives the days to be added up again that were changed since.
 * @returns since when there is something to add up; null while another process does this.
 */
export async function prepareRollUp(
  db: Database,
  { timeZone, reachesAt }: { timeZone: string; reachesAt: Instant },
): Promise<Instant | null> {
  return await withRollUpLock(db, 'read committed', async (tx) => {
    const { rows } = await sql<{ time_zone: string }>`select time_zone from usage_roll_up`.execute(tx);
    if (rows[0]?.time_zone !== timeZone) await resetRollUp(tx, timeZone, reachesAt);
    const { rows: begun } = await sql<{ begins_at: string }>`
      with touched as (delete from usage_touched returning from_at, until_at),
      stale as (
        update usage_days set is_stale = true
        where not is_stale and tstzrange(starts_at, ends_at) && ${touchedSpans(sql`touched`)}
      )
      update usage_roll_up set reaches_at = greatest(reaches_at, ${reachesAt}),
        begins_at = least(begins_at, (select min(from_at) from touched where isfinite(from_at)))
      returning begins_at`.execute(tx);
    return begun[0] ? printInstant(begun[0].begins_at) : null;
  });
}

/** In another zone other moments part the days. */
async function resetRollUp(tx: Tx, timeZone: string, reachesAt: Instant): Promise<void> {
  await sql`delete from usage_by_day`.execute(tx);
  await sql`delete from usage_days`.execute(tx);
  await sql`
    insert into usage_roll_up (time_zone, begins_at, reaches_at)
    select ${timeZone}, least(${reachesAt}, (select min(started_at) from meetings), (select min(joined_at) from room_entries),
      (select min(started_at) from past_usage)), ${reachesAt}
    on conflict (is_only) do update set time_zone = excluded.time_zone, begins_at = excluded.begins_at`.execute(tx);
}

/** The transactions that write what usage is counted from, and may not know yet how far the roll-up reaches. */
export async function listOpenWriters(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ writer: string }>`
    select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and relation = any(array['meetings', 'room_entries', 'past_usage']::regclass[])`.execute(db);
  return rows.map(({ writer }) => writer);
}

/** Those of the days, the latest first, that are still to be added up. */
export async function findDaysToRoll(db: Database, days: readonly RolledDay[]): Promise<readonly RolledDay[]> {
  const { rows } = await sql<{ place: number }>`
    select place::int from unnest(${days.map(({ startsAt }) => startsAt)}::timestamptz[],
      ${days.map(({ endsAt }) => endsAt)}::timestamptz[]) with ordinality day (starts_at, ends_at, place)
    where not exists (select from usage_days known
      where known.starts_at = day.starts_at and known.ends_at = day.ends_at and not is_stale)
    order by place desc`.execute(db);
  return rows.flatMap(({ place }) => days[place - 1] ?? []);
}

/** @returns whether it was done: not while another process does it. */
export async function rollDay(db: Database, { startsAt, endsAt }: RolledDay, now: Instant): Promise<boolean> {
  const done = await withRollUpLock(db, 'repeatable read', async (tx) => {
    await sql`
      with outdated as (
        delete from usage_days where starts_at < ${endsAt} and ends_at > ${startsAt} returning starts_at
      )
      delete from usage_by_day using outdated where usage_by_day.starts_at = outdated.starts_at`.execute(tx);
    // A span that is bounded on both sides looks far wider to the planner than one day is.
    await sql`select set_config(name, 'off', true)
      from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`.execute(tx);
    await sql`insert into usage_days (starts_at, ends_at) values (${startsAt}, ${endsAt})`.execute(tx);
    await usageOfDay(startsAt, endsAt, now).execute(tx);
    return true;
  });
  return done ?? false;
}

/** Stays and meetings are looked up once, and counted at each depth. */
function usageOfDay(startsAt: Instant, endsAt: Instant, now: Instant): RawBuilder<unknown> {
  const question: Parameters<typeof facts>[0] = {
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
    entry as materialized (${facts(question, 'entry')}),
    meeting as materialized (${facts(question, 'meeting')}),
    part as (${sql.join(parts, sql` union all `)})
    insert into usage_by_day (starts_at, depth, ${sql.join(groupColumns)}, ${sql.join(columns)})
    select ${startsAt}, depth, ${sql.join(groupColumns)}, ${sql.join(rolledNames.map(aggregate))}
    from part group by depth, ${sql.join(groupColumns)}`;
}

/**
 * One process at a time; the lock comes before the snapshot, so that it holds whatever the one before has done.
 * @returns null while there is another.
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

function touchedSpans(table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(range_agg(tstzrange(from_at, until_at, '[]')), '{}') from ${table})`;
}
