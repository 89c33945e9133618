import { Meeting, Participant } from '@foyer/contract/resources/meetings/meeting.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { RoomEntries } from '../../database/tables.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { printInstant } from '../../platform/time/instant.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import { begunMinutes } from './participants/entry-store.ts';
import { minutesOf } from './participants/stays.ts';
import type { PrintedMeetingRow } from './store.ts';

export const meetingView = defineView<typeof Meeting.fields, PrintedMeetingRow>({
  resource: Meeting,
  table: 'meetings',
  from: sql`meetings left join service_providers on service_providers.id = meetings.service_provider_id`,
  select: sql`meetings.*, service_providers.provider_name, service_providers.provider_type`,
  transform: (row, reader) => ({
    // Customers of a reseller must not see the reseller's providers.
    provider:
      row.service_provider_id === null || row.provider_name === null || reader.userId !== null
        ? null
        : {
            id: printIdentifier('prov', row.service_provider_id),
            name: row.provider_name,
            type: row.provider_type ?? '',
          },
  }),
});

export interface ParticipantRow extends Omit<
  Selectable<RoomEntries>,
  'subscription_id' | 'first_entry_id' | 'expires_at' | 'has_token' | 'join_times' | 'leave_times'
> {
  readonly updated_at: string;
  readonly stays: readonly { joined_at: string; left_at: string | null }[];
}

/** A column over all stays of the participant; the row itself is the first stay. */
function overStays(expression: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select ${expression} from room_entries entry
    where entry.id = room_entries.id or entry.first_entry_id = room_entries.id)`;
}

const leftAtColumn = overStays(sql`nullif(max(coalesce(entry.left_at, 'infinity')), 'infinity')`);

export const participantView = defineView<typeof Participant.fields, ParticipantRow>({
  resource: Participant,
  table: 'room_entries',
  // One row for each participant: neither later stays nor unused reservations.
  from: sql`(select * from room_entries where first_entry_id is null and joined_at is not null) room_entries`,
  select: sql`room_entries.id, room_entries.meeting_id, room_entries.room_id, room_entries.room_token_id, room_entries.user_id,
    room_entries.outsider_key, room_entries.full_name, room_entries.role, room_entries.joined_at,
    room_entries.created_at, ${leftAtColumn} as left_at,
    coalesce(${leftAtColumn}, room_entries.joined_at) as updated_at,
    ${overStays(sql`json_agg(json_build_object('joined_at', entry.joined_at, 'left_at', entry.left_at) order by entry.joined_at)`)} as stays`,
  expressions: {
    name: sql`room_entries.full_name`,
    by_door: sql`(room_entries.outsider_key is null)`,
    left_at: leftAtColumn,
    minutes: overStays(sql`sum(${begunMinutes('now')})`),
    updated_at: sql`coalesce(${leftAtColumn}, room_entries.joined_at)`,
  },
  transform: (row, reader) => {
    const now = new Date(reader.nowMs).toISOString();
    const stays = row.stays.map(({ joined_at: joinedAt, left_at: leftAt }) => {
      const stay = { joinedAt: printInstant(joinedAt), leftAt: instantOrNull(leftAt) };
      return { joined_at: stay.joinedAt, left_at: stay.leftAt, minutes: minutesOf(stay, now) };
    });
    return {
      name: row.full_name,
      by_door: row.outsider_key === null,
      minutes: stays.reduce((sum, { minutes }) => sum + minutes, 0),
      stays,
    };
  },
});
