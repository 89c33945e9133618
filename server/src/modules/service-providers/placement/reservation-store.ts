import { removeUnlocked } from '../../../database/row-store.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { loadColumns, loadJoins, sharedServers } from './load-store.ts';

/** Advisory lock per server: serializes reservations, so that its capacity is not exceeded. */
export async function lockServerCapacity(tx: Tx, providerId: Uuid): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('provider-places:' || server_key, 0))
    from service_providers where id = ${providerId}
  `.execute(tx);
}

export interface ProviderLoad {
  readonly draining: boolean;
  readonly maxMeetings: number | null;
  readonly maxParticipants: number | null;
  readonly meetings: number;
  readonly participants: number;
}

/**
 * The limits and the current load of the provider, without the meeting's own reservation. Undefined if the provider is
 * deleted or inactive.
 */
export async function findLoad(
  tx: Tx,
  providerId: Uuid,
  meetingId: Uuid,
  now: string,
): Promise<ProviderLoad | undefined> {
  const { rows } = await sql<ProviderLoad>`
    with member as (
      select provider.id, provider.draining, provider.max_meetings, provider.max_participants,
        health.foreign_meetings, health.foreign_participants, true as is_needed,
        provider.max_participants is not null as is_exact
      from service_providers provider
      left join service_provider_health health on health.service_provider_id = provider.id
        and health.counted_at >= ${now}::timestamptz - interval '5 minutes'
      where provider.id = ${providerId} and provider.active
    ), ${sharedServers}, loaded as (
      select member.*, ${loadColumns} from member ${loadJoins(now, meetingId)}
    )
    select draining, max_meetings as "maxMeetings", max_participants as "maxParticipants",
      own_meetings + coalesce(foreign_meetings, 0) as meetings,
      own_participants + coalesce(foreign_participants, 0) as participants
    from loaded
  `.execute(tx);
  return rows[0];
}

export async function storeReservation(
  tx: Tx,
  reservation: { readonly meetingId: Uuid; readonly providerId: Uuid; readonly expiresAt: string },
): Promise<void> {
  const { meetingId, providerId, expiresAt } = reservation;
  await sql`
    insert into service_provider_places (meeting_id, service_provider_id, expires_at)
    values (${meetingId}, ${providerId}, ${expiresAt})
    on conflict (meeting_id) do update
      set service_provider_id = excluded.service_provider_id, expires_at = excluded.expires_at
  `.execute(tx);
}

export async function removeExpiredReservations(db: Database, before: string): Promise<void> {
  await removeUnlocked(db, 'service_provider_places', sql`expires_at <= ${before}`);
}
