import { type RawBuilder, sql } from 'kysely';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/**
 * The CTE `shared_server`, to be placed after the CTE `member`. It has a row for each member (`id`) and provider
 * (`through_id`) with the same server: a server can be added several times, and its load counts for each provider.
 */
export const sharedServers = sql`shared_server as (
  select id, id as through_id, is_needed, is_exact from member
  union
  select member.id, other.id, member.is_needed, member.is_exact
  from member
  join service_providers provider on provider.id = member.id
  join service_providers other on other.server_key = provider.server_key
)`;

/**
 * The load of our own meetings on the servers of the CTE `member` (`id`, `is_needed`, `is_exact`), in one query.
 * `own_meetings` and `own_participants` are set if `is_needed`, and include meetings that are about to open; if
 * `is_exact`, also participants who are joining. `expected_participants` are those who will probably join meetings that
 * have just started.
 */
export const loadColumns = sql`
  coalesce(open.meetings, 0) + coalesce(reserved.meetings, 0) as own_meetings,
  coalesce(open.participants, 0) + coalesce(joining.participants, 0) + coalesce(reserved.meetings, 0) as own_participants,
  coalesce(recent.participants, 0) as expected_participants
`;

/** @param openingId a meeting whose own reservation does not count */
export function loadJoins(now: string, openingId: Uuid | null = null): RawBuilder<unknown> {
  return sql`
    left join (${perServer(sql`
      select service_provider_id as through_id, count(*) as meetings, sum(participant_count) as participants
      from meetings
      where state <> 'ended' and service_provider_id = any(array(select through_id from shared_server where is_needed))
      group by service_provider_id
    `)}) open on open.id = member.id
    left join (${perServer(sql`
      select meeting.service_provider_id as through_id, 0 as meetings, count(*) as participants
      from meetings meeting
      join room_entries entry on entry.meeting_id = meeting.id and entry.left_at is null and entry.joined_at is null
        and entry.expires_at > ${now}
      where meeting.state <> 'ended'
        and meeting.service_provider_id = any(array(select through_id from shared_server where is_exact))
      group by meeting.service_provider_id
    `)}) joining on joining.id = member.id
    left join (${perServer(sql`
      select reservation.service_provider_id as through_id, count(*) as meetings, 0 as participants
      from service_provider_places reservation
      join meetings meeting on meeting.id = reservation.meeting_id
      where reservation.expires_at > ${now} and reservation.meeting_id is distinct from ${openingId}::uuid
        and meeting.service_provider_id is null and meeting.state <> 'ended'
        and exists (select from room_entries entry where entry.meeting_id = meeting.id and entry.left_at is null)
        and reservation.service_provider_id = any(array(select through_id from shared_server where is_needed))
      group by reservation.service_provider_id
    `)}) reserved on reserved.id = member.id
    left join (${perServer(sql`
      select service_provider_id as through_id, 0 as meetings,
        sum(greatest(0, ${expectedParticipants}::int - participant_count)) as participants
      from meetings
      where state <> 'ended' and service_provider_id = any(array(select through_id from shared_server))
        and created_at > ${now}::timestamptz - ${recentMinutes} * interval '1 minute'
      group by service_provider_id
    `)}) recent on recent.id = member.id
  `;
}

/** @param counts a query of `through_id`, `meetings` and `participants` */
function perServer(counts: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select shared_server.id, sum(counted.meetings)::int as meetings, sum(counted.participants)::int as participants
    from shared_server join (${counts}) counted using (through_id)
    group by shared_server.id
  `;
}

const expectedParticipants = 10;
const recentMinutes = 10;
