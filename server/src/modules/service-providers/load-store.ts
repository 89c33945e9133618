import { type RawBuilder, sql } from 'kysely';
import type { Uuid } from '../../platform/identifier.ts';

/**
 * What our own meetings on a provider come to, as `own_meetings` and `own_participants` (those on their way in, and
 * places of meetings that are about to open, among them), counted only where `isNeeded`; and what its young meetings may
 * yet bring, as `expected_participants`: the people of a meeting come some minutes after it.
 * @param openingId a meeting whose own place does not count
 */
export function loadOn(
  providerId: RawBuilder<unknown>,
  now: string,
  isNeeded: RawBuilder<unknown>,
  openingId: Uuid | null = null,
): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select open.meetings + place.meetings as own_meetings, open.participants + place.meetings as own_participants
      from (
        select count(*)::int as meetings,
          coalesce(sum(meeting.participant_count + (
            select count(*) from room_entries entry
            where entry.meeting_id = meeting.id and entry.left_at is null and entry.joined_at is null
              and entry.expires_at > ${now}
          )), 0)::int as participants
        from meetings meeting
        where ${isNeeded} and meeting.service_provider_id = ${providerId} and meeting.state <> 'ended'
      ) open, (
        select count(*)::int as meetings
        from service_provider_places held
        join meetings meeting on meeting.id = held.meeting_id
        where ${isNeeded} and held.service_provider_id = ${providerId} and held.expires_at > ${now}
          and meeting.service_provider_id is null and meeting.state <> 'ended'
          and held.meeting_id is distinct from ${openingId}::uuid
      ) place
    ) own on true
    left join lateral (
      select coalesce(sum(greatest(0, ${expectedParticipants}::int - meeting.participant_count)), 0)::int
        as expected_participants
      from meetings meeting
      where meeting.service_provider_id = ${providerId} and meeting.state <> 'ended'
        and meeting.created_at > ${now}::timestamptz - ${youngMinutes} * interval '1 minute'
    ) young on true
  `;
}

const expectedParticipants = 10;
const youngMinutes = 10;
