import { removeUnlocked } from '../../../database/row-store.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { ServiceProviderHealth } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';

export type HealthRow = Selectable<ServiceProviderHealth>;

/** The length of a stored entry of the history. */
export const historyStepMs = 5 * 60_000;

/** Locks the health of the provider, so that the provider cannot be deleted meanwhile. Undefined if it was deleted. */
export async function lockHealth(tx: Tx, providerId: Uuid, now: string): Promise<HealthRow | undefined> {
  await sql`
    with provider as (select id from service_providers where id = ${providerId} for key share)
    insert into service_provider_health (service_provider_id, state, since, asked_at)
    select id, 'unknown', ${now}, ${now} from provider
    on conflict (service_provider_id) do nothing
  `.execute(tx);
  return await tx
    .selectFrom('service_provider_health')
    .selectAll()
    .where('service_provider_id', '=', providerId)
    .forUpdate()
    .executeTakeFirst();
}

export async function storeHealth(tx: Tx, providerId: Uuid, changes: Updateable<ServiceProviderHealth>): Promise<void> {
  await tx.updateTable('service_provider_health').set(changes).where('service_provider_id', '=', providerId).execute();
}

/**
 * Resets the health of a provider whose properties have changed: earlier results no longer apply, and it is checked
 * next. If it was down, it stays down until it answers.
 */
export async function resetHealth(tx: Tx, providerId: Uuid, now: string): Promise<void> {
  await sql`
    update service_provider_health set
      asked_at = '-infinity', checked_at = null, last_failure_at = null, problem = null, since = ${now},
      state = case when state = 'down' then state else 'unknown' end,
      failures_in_row = case when state = 'down' then failures_in_row else 0 end
    where service_provider_id = ${providerId}
  `.execute(tx);
}

export interface CheckToAdd {
  readonly beginsAt: string;
  readonly answered: boolean;
  readonly latencyMs: number | null;
  readonly meetings: number | null;
  readonly participants: number | null;
}

export async function addCheck(tx: Tx, providerId: Uuid, check: CheckToAdd): Promise<void> {
  const { beginsAt, answered, latencyMs, meetings, participants } = check;
  await sql`
    insert into service_provider_checks as stored
      (service_provider_id, begins_at, checks, failures, latency_sum_ms, latency_max_ms, peak_meetings, peak_participants)
    values (${providerId}, ${beginsAt}, 1, ${answered ? 0 : 1}, ${latencyMs ?? 0}, ${latencyMs}, ${meetings}, ${participants})
    on conflict (service_provider_id, begins_at) do update set
      checks = stored.checks + 1,
      failures = stored.failures + excluded.failures,
      latency_sum_ms = stored.latency_sum_ms + excluded.latency_sum_ms,
      latency_max_ms = greatest(stored.latency_max_ms, excluded.latency_max_ms),
      peak_meetings = greatest(stored.peak_meetings, excluded.peak_meetings),
      peak_participants = greatest(stored.peak_participants, excluded.peak_participants)
  `.execute(tx);
}

export async function removeChecksBefore(db: Database, before: string): Promise<void> {
  await removeUnlocked(db, 'service_provider_checks', sql`begins_at < ${before}`);
}

/** Those of the meetings that Foyer created on the server, through this or another provider with the same server. */
export async function listOwnMeetingIds(db: Database, providerId: Uuid, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select provider_meeting_id as id from meetings
    where service_provider_id = any(array(
        select other.id from service_providers provider
        join service_providers other on other.server_key = provider.server_key
        where provider.id = ${providerId}
      ))
      and state <> 'ended' and provider_meeting_id = any(${[...ids]})
  `.execute(db);
  return new Set(idsOf(rows));
}

/**
 * Claims due checks: of active providers that were not checked since `before`, or since `beforeWithMeetings` if they
 * have meetings, since those are polled anyway.
 */
export async function claimChecks(
  db: Database,
  { now, before, beforeWithMeetings }: { now: string; before: string; beforeWithMeetings: string },
): Promise<Uuid[]> {
  // A provider with meetings that was never checked is left to its next poll.
  const { rows } = await sql<{ id: Uuid }>`
    with candidate as (
      select provider.id, health.asked_at,
        exists (select from meetings where service_provider_id = provider.id and state <> 'ended') as has_meetings
      from service_providers provider
      left join service_provider_health health on health.service_provider_id = provider.id
      where provider.active
    ), due as materialized (
      -- A provider that is being deleted or changed is left to the next run.
      select provider.id from service_providers provider join candidate using (id)
      where asked_at is null
        or asked_at <= case when has_meetings then ${beforeWithMeetings}::timestamptz else ${before}::timestamptz end
      order by provider.id for key share of provider skip locked
    ), claimed as (
      insert into service_provider_health as stored (service_provider_id, state, since, asked_at)
      select id, 'unknown', ${now}, ${now} from due order by id
      on conflict (service_provider_id) do update set asked_at = excluded.asked_at where stored.asked_at <= ${before}
      returning service_provider_id as id
    )
    select id from claimed join candidate using (id) where not (has_meetings and asked_at is null) order by id
  `.execute(db);
  return idsOf(rows);
}

/** Providers that answer and whose version was not read since `before`. */
export async function listOutdatedVersions(
  db: Database,
  { answeredSince, before }: { answeredSince: string; before: string },
): Promise<Uuid[]> {
  const rows = await db
    .selectFrom('service_provider_health')
    .innerJoin('service_providers', 'service_providers.id', 'service_provider_id')
    .select('service_provider_id as id')
    .where('active', '=', true)
    .where('failures_in_row', '=', 0)
    .where('answered_at', '>=', answeredSince)
    .where((where) => where.or([where('version_read_at', 'is', null), where('version_read_at', '<=', before)]))
    .execute();
  return idsOf(rows);
}

export async function storeVersion(
  db: Database,
  providerId: Uuid,
  version: string | null,
  readAt: string,
): Promise<void> {
  await db
    .updateTable('service_provider_health')
    .set({ api_version: version, version_read_at: readAt })
    .where('service_provider_id', '=', providerId)
    .execute();
}

export interface HistoryPart {
  /** The index of the interval, counted from the start of the history. */
  readonly slot: number;
  readonly checks: number;
  readonly failures: number;
  /** In milliseconds, as `latency_max`. */
  readonly latency: number | null;
  readonly latency_max: number | null;
  readonly meetings: number | null;
  readonly participants: number | null;
}

export async function readHistory(
  db: Database,
  providerId: Uuid,
  { from, stepMs }: { from: string; stepMs: number },
): Promise<HistoryPart[]> {
  const { rows } = await sql<HistoryPart>`
    select floor(extract(epoch from begins_at - ${from}::timestamptz) * 1000 / ${stepMs}::int)::int as slot,
      sum(checks)::int as checks, sum(failures)::int as failures,
      round(sum(latency_sum_ms) / nullif(sum(checks - failures), 0))::int as latency,
      max(latency_max_ms) as latency_max, max(peak_meetings) as meetings, max(peak_participants) as participants
    from service_provider_checks
    where service_provider_id = ${providerId} and begins_at >= ${from}
    group by slot order by slot
  `.execute(db);
  return rows;
}

export interface Availability {
  readonly day: number | null;
  readonly week: number | null;
}

/** The percentage of successful checks in the last day and week; null without checks. */
export async function readAvailability(
  db: Database,
  providerId: Uuid,
  { dayAgo, weekAgo }: { dayAgo: string; weekAgo: string },
): Promise<Availability> {
  const { rows } = await sql<Availability>`
    select
      (100.0 * sum(checks - failures) filter (where begins_at > ${dayAgo})
        / nullif(sum(checks) filter (where begins_at > ${dayAgo}), 0))::float8 as day,
      (100.0 * sum(checks - failures) / nullif(sum(checks), 0))::float8 as week
    from service_provider_checks
    where service_provider_id = ${providerId} and begins_at > ${weekAgo}
  `.execute(db);
  return rows[0] ?? { day: null, week: null };
}
