import { type Selectable, sql } from 'kysely';
import type { RoomEntries } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';
import type { MeetingRow } from '../store.ts';

/** One stay of a participant, or a reserved slot. Instants are texts that sort by time. */
export type EntryRow = Readonly<Omit<Selectable<RoomEntries>, 'has_token' | 'room_token_id' | 'user_id'>>;

/** All entries of the meetings. The entries of one person are in the order of their joins. */
export async function entriesOf(tx: Tx, meetingIds: readonly Uuid[]): Promise<EntryRow[]> {
  if (meetingIds.length === 0) return [];
  const { rows } = await sql<EntryRow>`
    select id, room_id, meeting_id, subscription_id, first_entry_id, outsider_key, role, full_name, expires_at, joined_at,
      left_at, join_times::text[], leave_times::text[], created_at
    from room_entries where meeting_id = any(${[...meetingIds]}::uuid[])
    order by first_entry_id is not null, joined_at, id
  `.execute(tx);
  return rows.map((row) => ({
    ...row,
    expires_at: printInstant(row.expires_at),
    joined_at: row.joined_at && printInstant(row.joined_at),
    left_at: row.left_at && printInstant(row.left_at),
    join_times: row.join_times.map(printInstant),
    leave_times: row.leave_times.map(printInstant),
  }));
}

/** Inserts or updates entries in one statement. */
export async function upsertEntries(tx: Tx, rows: readonly EntryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into room_entries (id, room_id, meeting_id, subscription_id, first_entry_id, outsider_key, role, full_name,
      expires_at, joined_at, left_at, join_times, leave_times, created_at)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, room_id uuid, meeting_id uuid,
      subscription_id uuid, first_entry_id uuid, outsider_key text, role text, full_name text, expires_at timestamptz,
      joined_at timestamptz, left_at timestamptz, join_times timestamptz[], leave_times timestamptz[], created_at timestamptz)
    order by id
    on conflict (id) do update set full_name = excluded.full_name, joined_at = excluded.joined_at,
      left_at = excluded.left_at, join_times = excluded.join_times, leave_times = excluded.leave_times
  `.execute(tx);
}

export async function removeEntries(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  if (ids.length > 0)
    await sql`
      with locked as materialized (
        select id from room_entries where id = any(${[...ids]}::uuid[]) order by id for update
      )
      delete from room_entries using locked where room_entries.id = locked.id
    `.execute(tx);
}

/** The data of a meeting without its participants. */
export interface MeetingFacts {
  readonly id: Uuid;
  /** The participant count of the provider; null if the provider was not queried. */
  readonly provider_count: number | null;
  readonly provider_internal_id: string | null;
  readonly provider_created_at: number | null;
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
  readonly end_reason: string | null;
  /** The peak of participants, if it is known exactly; otherwise null. */
  readonly peak: number | null;
  readonly attendance_at: Instant | null;
}

/** A column: the minutes that a stay has begun by `now`. */
export function begunMinutes(now: Instant) {
  return sql`greatest(1, ceil((floor(date_part('epoch', coalesce(entry.left_at, ${now}::timestamptz)) * 1000)
    - floor(date_part('epoch', entry.joined_at) * 1000)) / 60000))`;
}

/**
 * Stores the meetings with count, peak and minutes computed from their entries, in one statement. The caller locks the
 * meetings.
 * @returns the meetings that changed
 */
export async function storeFacts(tx: Tx, facts: readonly MeetingFacts[], now: Instant): Promise<MeetingRow[]> {
  if (facts.length === 0) return [];
  const { rows } = await sql<MeetingRow>`
    with input as (
      select * from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb) as input (id uuid, provider_count integer,
        provider_internal_id text, provider_created_at bigint, started_at timestamptz, ended_at timestamptz,
        end_reason text, peak integer, attendance_at timestamptz)
    ), counted as (
      select entry.meeting_id, (count(*) filter (where entry.left_at is null))::integer as present,
        sum(${begunMinutes(now)})::bigint as minutes
      from room_entries entry
      where entry.meeting_id = any(${idsOf(facts)}::uuid[]) and entry.joined_at is not null
      group by entry.meeting_id
    ), known as (
      select input.*, coalesce(counted.minutes, 0) as minutes,
        case when input.ended_at is null then greatest(input.provider_count, counted.present, 0) else 0 end as present
      from input left join counted on counted.meeting_id = input.id
    )
    update meetings set
      state = case when known.ended_at is null then 'open' else 'ended' end,
      participant_count = known.present,
      peak_participants = coalesce(known.peak, greatest(meetings.peak_participants, known.present)),
      participant_minutes = known.minutes,
      provider_internal_id = coalesce(known.provider_internal_id, meetings.provider_internal_id),
      provider_created_at = coalesce(known.provider_created_at, meetings.provider_created_at),
      started_at = coalesce(meetings.started_at, known.started_at),
      ended_at = known.ended_at,
      end_reason = known.end_reason,
      attendance_at = coalesce(known.attendance_at, meetings.attendance_at),
      observed_at = case when known.provider_count is null then meetings.observed_at else ${now} end,
      updated_at = ${now}
    from known where meetings.id = known.id
      and (known.provider_count is not null or known.attendance_at is not null
        or (meetings.ended_at, meetings.end_reason) is distinct from (known.ended_at, known.end_reason)
        or (meetings.participant_minutes, meetings.participant_count) <> (known.minutes, known.present))
    returning meetings.*
  `.execute(tx);
  return rows;
}
