import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { loadOn } from './load-store.ts';

/** Places on the provider are given away one after the other: the last one is given once. */
export async function lockPlacesOn(tx: Tx, providerId: Uuid): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`provider-places:${providerId}`}, 0))`.execute(tx);
}

export interface ProviderUseNow {
  readonly draining: boolean;
  readonly maxMeetings: number | null;
  readonly maxParticipants: number | null;
  readonly meetings: number;
  readonly participants: number;
}

/** Undefined when the provider is gone or switched off. A place of the meeting itself does not count. */
export async function useOf(
  tx: Tx,
  providerId: Uuid,
  meetingId: Uuid,
  now: string,
): Promise<ProviderUseNow | undefined> {
  const { rows } = await sql<ProviderUseNow>`
    select provider.draining, provider.max_meetings as "maxMeetings", provider.max_participants as "maxParticipants",
      own.own_meetings + coalesce(foreign_now.meetings, 0) as meetings,
      own.own_participants + coalesce(foreign_now.participants, 0) as participants
    from service_providers provider
    left join lateral (
      select foreign_meetings as meetings, foreign_participants as participants
      from service_provider_health
      where service_provider_id = provider.id and counted_at >= ${now}::timestamptz - interval '5 minutes'
    ) foreign_now on true
    ${loadOn(sql`provider.id`, now, sql`true`, meetingId)}
    where provider.id = ${providerId} and provider.active
  `.execute(tx);
  return rows[0];
}

export async function holdPlace(
  tx: Tx,
  place: { readonly meetingId: Uuid; readonly providerId: Uuid; readonly expiresAt: string },
): Promise<void> {
  const { meetingId, providerId, expiresAt } = place;
  await sql`
    insert into service_provider_places (meeting_id, service_provider_id, expires_at)
    values (${meetingId}, ${providerId}, ${expiresAt})
    on conflict (meeting_id) do update
      set service_provider_id = excluded.service_provider_id, expires_at = excluded.expires_at
  `.execute(tx);
}

export async function removePlacesBefore(db: Database, before: string): Promise<void> {
  await db.deleteFrom('service_provider_places').where('expires_at', '<=', before).execute();
}
