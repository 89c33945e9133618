import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';

export interface LostMeeting {
  readonly id: Uuid;
  /** When it was seen last. */
  readonly seen_at: Instant | null;
}

/**
 * Meetings of which nobody can be asked any more: their provider has not answered since then, however often it was asked.
 * `id` narrows the answer to one meeting.
 */
export async function lostMeetings(db: Database, unansweredSince: string, id?: Uuid): Promise<LostMeeting[]> {
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
  return rows.map(({ id: lost, seen_at: seenAt }) => ({ id: lost, seen_at: seenAt && printInstant(seenAt) }));
}

/**
 * What was given up for lost, or ended with its room, on providers that have come back since: it may still go on there.
 * Not where the room has a meeting again on the same server, by whichever provider.
 */
export async function lostAndBack(
  db: Database,
  { lostSince, backSince }: { readonly lostSince: string; readonly backSince: string },
): Promise<{ service_provider_id: Uuid | null; provider_meeting_id: string }[]> {
  const { rows } = await sql<{ service_provider_id: Uuid | null; provider_meeting_id: string }>`
    select distinct health.service_provider_id, event.payload ->> 'provider_meeting_id' as provider_meeting_id
    from events event
    join service_provider_health health on health.service_provider_id = (event.payload ->> 'service_provider_id')::uuid
    join service_providers provider on provider.id = health.service_provider_id
    where event.name = 'meeting.ended' and event.payload ->> 'end_reason' in ('provider-lost', 'room-deleted')
      and event.occurred_at >= ${lostSince}
      and health.failures_in_row = 0 and health.answered_at > event.occurred_at and greatest(health.last_failure_at, health.since) >= ${backSince}
      and not exists (
        select from meetings meeting
        join service_providers other on other.id = meeting.service_provider_id
        where meeting.state <> 'ended' and other.properties ->> 'host_url' = provider.properties ->> 'host_url'
          and meeting.provider_meeting_id = event.payload ->> 'provider_meeting_id'
      )
  `.execute(db);
  return rows;
}
