import { type RawBuilder, sql } from 'kysely';

/**
 * What our own meetings on a provider come to, as `own_meetings` and `own_participants` (those on their way in among
 * them), counted only where `isNeeded`; and what its young meetings may yet bring, as `expected_participants`: the people
 * of a meeting come some minutes after it.
 */
export function loadOn(
  providerId: RawBuilder<unknown>,
  now: string,
  isNeeded: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select count(*)::int as own_meetings,
        coalesce(sum(meeting.participant_count + (
          select count(*) from room_entries entry
          where entry.meeting_id = meeting.id and entry.left_at is null and entry.joined_at is null
            and entry.expires_at > ${now}
        )), 0)::int as own_participants
      from meetings meeting
      where ${isNeeded} and meeting.service_provider_id = ${providerId} and meeting.state <> 'ended'
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
