import { removeUnlocked } from '../../../database/row-store.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';

export interface LostMeeting {
  readonly id: Uuid;
  /** When the provider last reported the meeting. */
  readonly seen_at: Instant | null;
}

/** Running meetings whose provider has not responded since `unansweredSince`. With `id`, checks only this meeting. */
export async function findLostMeetings(db: Database, unansweredSince: string, id?: Uuid): Promise<LostMeeting[]> {
  const { rows } = await sql<LostMeeting>`
    select meeting.id, greatest(meeting.observed_at, meeting.started_at, poll.looked_at, stays.seen_at) as seen_at
    from meetings meeting
    join service_provider_health health on health.service_provider_id = meeting.service_provider_id
    left join provider_polls poll on poll.service_provider_id = meeting.service_provider_id
    cross join lateral (
      select greatest(max(joined_at), max(left_at) filter (where joined_at is not null)) as seen_at
      from room_entries where meeting_id = meeting.id
    ) stays
    where meeting.state = 'open' and health.failures_in_row >= 2
      and coalesce(health.answered_at, meeting.started_at) <= ${unansweredSince}
      and coalesce(meeting.observed_at, meeting.started_at) <= ${unansweredSince}
      and ${id === undefined ? sql`true` : sql`meeting.id = ${id}`}
    order by meeting.id
  `.execute(db);
  return rows.map(({ id: meetingId, seen_at: seenAt }) => ({ id: meetingId, seen_at: seenAt && printInstant(seenAt) }));
}

export type UnconfirmedReason = 'provider-lost' | 'room-deleted';

/** Records that the provider still has to end the meeting. */
export async function insertUnconfirmedEnd(
  tx: Tx,
  { service_provider_id: providerId, provider_meeting_id: meetingId }: MeetingOnProvider,
  reason: UnconfirmedReason,
  now: Instant,
): Promise<void> {
  if (providerId === null) return;
  await tx
    .insertInto('unconfirmed_ends')
    .values({ service_provider_id: providerId, provider_meeting_id: meetingId, reason, ended_at: now })
    .onConflict((conflict) =>
      conflict.columns(['service_provider_id', 'provider_meeting_id']).doUpdateSet({ reason, ended_at: now }),
    )
    .execute();
}

export interface MeetingOnProvider {
  readonly service_provider_id: Uuid | null;
  readonly provider_meeting_id: string;
}

export async function listOfDeletedRooms(db: Database, since: string): Promise<MeetingOnProvider[]> {
  return await db
    .selectFrom('unconfirmed_ends')
    .select(['service_provider_id', 'provider_meeting_id'])
    .where('reason', '=', 'room-deleted')
    .where('ended_at', '>=', since)
    .execute();
}

/**
 * Meetings that were recorded as ended because their provider did not respond, if it has responded again since
 * `recoveredSince`: they may still be running there. Leaves out rooms that have another meeting on the same server, through
 * any provider.
 */
export async function listLostOnRecovered(
  db: Database,
  { lostSince, recoveredSince }: { readonly lostSince: string; readonly recoveredSince: string },
): Promise<MeetingOnProvider[]> {
  const { rows } = await sql<MeetingOnProvider>`
    select unconfirmed.service_provider_id, unconfirmed.provider_meeting_id
    from unconfirmed_ends unconfirmed
    join service_provider_health health on health.service_provider_id = unconfirmed.service_provider_id
    join service_providers provider on provider.id = health.service_provider_id
    where unconfirmed.ended_at >= ${lostSince}
      and health.failures_in_row = 0 and health.answered_at > unconfirmed.ended_at
      and greatest(health.last_failure_at, health.since) >= ${recoveredSince}
      and not exists (
        select from meetings meeting
        join service_providers other on other.id = meeting.service_provider_id
        where meeting.state <> 'ended' and other.server_key = provider.server_key
          and meeting.provider_meeting_id = unconfirmed.provider_meeting_id
      )
  `.execute(db);
  return rows;
}

export async function removeUnconfirmedEnds(db: Database, before: string): Promise<void> {
  await removeUnlocked(db, 'unconfirmed_ends', sql`ended_at < ${before}`);
}
