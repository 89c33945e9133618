import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Page } from '../../events/emit-deletions.ts';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, rowStore } from '../../database/row-store.ts';
import type { Meetings, RoomEntries } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../platform/time/instant.ts';

export type MeetingRow = Selectable<Meetings>;
export type PrintedMeetingRow = MeetingRow & { provider_name: string | null; provider_type: string | null };

const meetings = rowStore('meetings', 'meeting');

export const {
  find: findMeeting,
  require: requireMeeting,
  findAndLock: lockMeeting,
  insert: insertMeeting,
  store: storeMeeting,
  remove: removeMeeting,
} = meetings;

/** The meeting of the room that has not ended; there is at most one. */
export async function currentMeeting(db: Database | Tx, roomId: Uuid): Promise<MeetingRow | undefined> {
  return await meetings.selectFirst(db, sql`room_id = ${roomId} and state <> 'ended'`);
}

/** Locks the meeting of a session on a media server, also if the session was not observed yet. */
export async function lockMeetingOfSession(tx: Tx, roomId: Uuid, sessionId: string): Promise<MeetingRow | undefined> {
  const isNotObserved = sql`(provider_internal_id is null and state = 'open')`;
  const [row] = await meetings.select(
    tx,
    sql`room_id = ${roomId} and (provider_internal_id = ${sessionId} or ${isNotObserved})
      order by provider_internal_id nulls last limit 1 for update`,
  );
  return row;
}

/**
 * Locks the meetings before their entries are written. Entries refer to subscription and room, so these are locked
 * first, in the order in which deletions lock them, against deadlocks.
 */
export async function lockMeetings(tx: Tx, ids: readonly Uuid[]): Promise<MeetingRow[]> {
  const selectIds = (column: 'subscription_id' | 'room_id') =>
    sql`(select ${sql.ref(column)} from meetings where id = any(${[...ids]}::uuid[]))`;
  await sql`select from subscriptions where id in ${selectIds('subscription_id')} order by id for key share`.execute(
    tx,
  );
  await sql`select from rooms where id in ${selectIds('room_id')} order by id for key share`.execute(tx);
  return await meetings.select(tx, sql`id = any(${[...ids]}::uuid[]) order by id for update`);
}

/** The meeting with the columns of the provider that the API returns. @throws 404 */
export async function requirePrintedMeeting(db: Database, id: Uuid): Promise<PrintedMeetingRow> {
  const row = await db
    .selectFrom('meetings')
    .leftJoin('service_providers', 'service_providers.id', 'meetings.service_provider_id')
    .selectAll('meetings')
    .select(['service_providers.provider_name', 'service_providers.provider_type'])
    .where('meetings.id', '=', id)
    .executeTakeFirst();
  return rowOrNotFound(row, 'meeting');
}

/** Locks the meetings of the room, without failed openings, in the order of their ids. */
export async function lockMeetingsOfRoom(tx: Tx, roomId: Uuid, { after, limit }: Page): Promise<PrintedMeetingRow[]> {
  const { rows } = await sql<PrintedMeetingRow>`
    select meetings.*, service_providers.provider_name, service_providers.provider_type
    from meetings left join service_providers on service_providers.id = meetings.service_provider_id
    where meetings.room_id = ${roomId} and ${isMeeting} and (${after}::uuid is null or meetings.id > ${after})
    order by meetings.id limit ${limit} for update of meetings
  `.execute(tx);
  return rows;
}

/** A CTE that inserts the entry if the CTE `cause` returned a row. */
export function insertEntryQuery(row: Insertable<RoomEntries>, cause: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into room_entries (
      id, room_id, meeting_id, subscription_id, room_token_id, has_token, user_id, role, expires_at, created_at)
    select ${row.id}::uuid, ${row.room_id}::uuid, ${row.meeting_id}::uuid, ${row.subscription_id}::uuid,
      ${row.room_token_id ?? null}::uuid, ${row.room_token_id != null}, ${row.user_id ?? null}::uuid, ${row.role}, ${row.expires_at}::timestamptz, ${row.created_at}::timestamptz
    from ${cause} returning id
  `;
}

export async function removeEntry(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('room_entries').where('id', '=', id).where('joined_at', 'is', null).execute();
}

/**
 * Advisory lock on the participant slots of a subscription, until the end of the transaction. Under an exclusive lock,
 * the last slot cannot be reserved twice. Under a shared lock, there may be concurrent reservations that this transaction
 * does not see: at most one per database connection.
 */
export async function lockSlots(tx: Tx, subscriptionId: Uuid, { isShared = false } = {}): Promise<void> {
  const lock = isShared ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${lock}(hashtextextended(${`places:${subscriptionId}`}, 0))`.execute(tx);
}

export interface Occupancy {
  /** Participants in the room or with a reservation that has not expired. */
  readonly inRoom: number;
  readonly inSubscription: number;
  readonly otherMeetings: number;
}

/** If the provider cannot be polled, a reservation expires this long after its minute. */
const uncheckedSeconds = 300;

/**
 * The participants and reservations (`slots`) of each current meeting of the subscription. In an open meeting a
 * reservation lasts until a poll after its expiry finds the participant missing; in one that was not opened it ends at
 * its expiry. The participant count is stored with the meeting at each reconciliation, so only reservations are counted.
 */
export function occupiedSlots(subscriptionId: Uuid, now: string): RawBuilder<unknown> {
  return sql`
    select meeting.id, meeting.room_id, meeting.updated_at, reservations.awaited, meeting.participant_count + reservations.awaited as slots,
      meeting.participant_count + reservations.unseen as current
    from meetings meeting
    cross join lateral (
      select count(*) as unseen,
        count(*) filter (where entry.expires_at > ${now}::timestamptz
          - make_interval(secs => case when meeting.state = 'open' then ${uncheckedSeconds} else 0 end)) as awaited
      from room_entries entry
      where entry.meeting_id = meeting.id and entry.left_at is null and entry.joined_at is null
    ) reservations
    where meeting.subscription_id = ${subscriptionId}
      and (meeting.state = 'open' or (meeting.state = 'opening' and reservations.awaited > 0))
  `;
}

export async function countOccupancy(tx: Tx, subscriptionId: Uuid, roomId: Uuid, now: string): Promise<Occupancy> {
  const { rows } = await sql<Occupancy>`
    with occupied as (${occupiedSlots(subscriptionId, now)}) select ${occupancyColumns(roomId)} from occupied
  `.execute(tx);
  return rows[0] ?? { inRoom: 0, inSubscription: 0, otherMeetings: 0 };
}

/** Columns over the CTE `occupied`, the result of `occupiedSlots`. */
export function occupancyColumns(roomId: Uuid): RawBuilder<unknown> {
  return sql`coalesce(sum(slots) filter (where room_id = ${roomId}), 0)::int as "inRoom",
    coalesce(sum(slots), 0)::int as "inSubscription",
    (count(*) filter (where room_id <> ${roomId}))::int as "otherMeetings"`;
}

/** A current stay or reservation, with the columns that are compared with the provider's attendees. */
export interface CurrentEntry {
  readonly meeting_id: string;
  /** Identifies the attendee on the provider: the id of the first entry, or the digest of the provider's user id. */
  readonly key: string;
  readonly has_joined: boolean;
  /** Null for a reservation. */
  readonly joined_at: Instant | null;
  expires_at: Instant;
}

/** The participants and reservations of the meetings. */
export async function currentEntries(db: Database | Tx, meetingIds: readonly Uuid[]): Promise<CurrentEntry[]> {
  if (meetingIds.length === 0) return [];
  const { rows } = await sql<CurrentEntry>`
    select meeting_id, coalesce(outsider_key, coalesce(first_entry_id, id)::text) as key, joined_at is not null as has_joined,
      joined_at, expires_at
    from room_entries where left_at is null and meeting_id = any(${[...meetingIds]}::uuid[])
  `.execute(db);
  for (const row of rows) row.expires_at = printInstant(row.expires_at);
  return rows;
}

/** The running meetings on the provider. */
export async function openMeetingsOn(db: Database, providerId: Uuid): Promise<MeetingRow[]> {
  return await meetings.select(db, sql`service_provider_id = ${providerId} and state = 'open' order by id`);
}

/** Our meetings among the provider's sessions: those that are running or ended after `endedSince`. */
export async function meetingIdsOfSessions(
  db: Database,
  providerId: Uuid,
  internalIds: readonly string[],
  endedSince: string,
): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select id from meetings
    where provider_internal_id = any(${[...internalIds]}) and service_provider_id = ${providerId}
      and (state = 'open' or (state = 'ended' and ended_at >= ${endedSince}))
  `.execute(db);
  return idsOf(rows);
}

/** How long the row of a failed opening is kept for another attempt. After this time, meeting servers have ended empty sessions. */
export const failedOpeningMs = 600_000;

/** Removes the rows of openings that failed before the instant and have no reservation. */
export async function removeFailedOpenings(db: Database, before: string, now: string): Promise<void> {
  await sql`
    with failed as (
      select id from meetings meeting
      where state = 'opening' and updated_at <= ${before} and not exists (
        select from room_entries where meeting_id = meeting.id and expires_at > ${now})
      order by id for update skip locked
    )
    delete from meetings using failed where meetings.id = failed.id
  `.execute(db);
}

/** False for the row of a failed opening: it was never open, and no participant has a reservation. */
export const isMeeting = sql`(meetings.state <> 'opening' or exists (
  select from room_entries where meeting_id = meetings.id and left_at is null))`;

/** The entries of guests who are in the meeting. */
export async function guestEntries(db: Database, meetingId: Uuid): Promise<Set<Uuid>> {
  const entries = sql<{ id: Uuid }>`
    select id from room_entries where meeting_id = ${meetingId} and role = 'guest' and left_at is null
  `;
  return new Set(idsOf((await entries.execute(db)).rows));
}
