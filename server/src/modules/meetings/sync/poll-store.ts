import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';

export interface Poll {
  /** When all meetings were last reconciled. */
  readonly looked_at: Instant | null;
}

/** The webhook of a provider, and when its registration was last requested. */
export interface Hook {
  readonly hook_id: string | null;
  readonly hook_url: string | null;
  readonly hooked_at: Instant | null;
  /** When the provider last failed or changed its state. It may have been restarted at that time. */
  readonly unstable_at: Instant | null;
}

/** Providers with meetings that have not ended. */
export async function providersWithMeetings(db: Database): Promise<Uuid[]> {
  // One index look-up per provider, instead of reading all meetings.
  const { rows } = await sql<{ id: Uuid }>`
    select provider.id from service_providers provider
    where exists (select from meetings where service_provider_id = provider.id and state <> 'ended')
    order by provider.id
  `.execute(db);
  return idsOf(rows);
}

/** Running meetings and their participants at the last observation. */
export async function countOpenMeetings(db: Database): Promise<{ meetings: number; participants: number }> {
  const { rows } = await sql<{ meetings: number; participants: number }>`
    select count(*)::int as meetings, coalesce(sum(participant_count), 0)::int as participants
    from meetings where state <> 'ended' and state = 'open'
  `.execute(db);
  return rows[0] ?? { meetings: 0, participants: 0 };
}

/**
 * Claims the provider, so that only one process at a time polls it. Returns undefined if another process has the claim or
 * the provider was deleted. The claim of a crashed process expires at `until`.
 */
export async function claimPoll(
  db: Database,
  providerId: Uuid,
  { now, until }: { now: Instant; until: Instant },
): Promise<Poll | undefined> {
  const { rows } = await sql<Poll>`
    with provider as (select id from service_providers where id = ${providerId} for key share)
    insert into provider_polls as poll (service_provider_id, claimed_until) select id, ${until} from provider
    on conflict (service_provider_id) do update set claimed_until = excluded.claimed_until
      where poll.claimed_until is null or poll.claimed_until <= ${now}
    returning looked_at
  `.execute(db);
  const [row] = rows;
  return row && { looked_at: row.looked_at && printInstant(row.looked_at) };
}

/** Extends the claim of this process. */
export async function renewPoll(db: Database, providerId: Uuid, until: Instant): Promise<void> {
  await sql`update provider_polls set claimed_until = ${until} where service_provider_id = ${providerId}`.execute(db);
}

/** @param lookedAt null if not all meetings were reconciled */
export async function releasePoll(db: Database, providerId: Uuid, lookedAt: Instant | null): Promise<void> {
  await sql`
    update provider_polls set claimed_until = null, looked_at = coalesce(${lookedAt}, looked_at)
    where service_provider_id = ${providerId}
  `.execute(db);
}

/** The webhook of a provider, also of one that was never polled. */
export async function findHook(db: Database, providerId: Uuid): Promise<Hook> {
  const row = await db
    .selectFrom('provider_polls as poll')
    .leftJoin('service_provider_health as health', 'health.service_provider_id', 'poll.service_provider_id')
    .select(['hook_id', 'hook_url', 'hooked_at'])
    .select(sql<string | null>`greatest(health.last_failure_at, health.since)`.as('unstable_at'))
    .where('poll.service_provider_id', '=', providerId)
    .executeTakeFirst();
  if (!row) return { hook_id: null, hook_url: null, hooked_at: null, unstable_at: null };
  return {
    ...row,
    hooked_at: row.hooked_at && printInstant(row.hooked_at),
    unstable_at: row.unstable_at && printInstant(row.unstable_at),
  };
}

export async function storeHook(
  db: Database,
  providerId: Uuid,
  hook: { readonly id: string | null; readonly url: string | null; readonly at: Instant },
): Promise<void> {
  await sql`
    with provider as (select id from service_providers where id = ${providerId} for key share)
    insert into provider_polls (service_provider_id, hook_id, hook_url, hooked_at)
    select id, ${hook.id}, ${hook.url}, ${hook.at} from provider
    on conflict (service_provider_id) do update
      set hook_id = excluded.hook_id, hook_url = excluded.hook_url, hooked_at = excluded.hooked_at
  `.execute(db);
}

export async function lastPolledAt(db: Database | Tx, providerId: Uuid | null): Promise<Instant | null> {
  if (providerId === null) return null;
  const row = await db
    .selectFrom('provider_polls')
    .select('looked_at')
    .where('service_provider_id', '=', providerId)
    .executeTakeFirst();
  return row?.looked_at ? printInstant(row.looked_at) : null;
}
