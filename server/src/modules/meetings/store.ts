import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Meetings, RoomEntries } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';

export type MeetingRow = Selectable<Meetings>;
export type RoomEntryRow = Selectable<RoomEntries>;

/** The meeting of the room that has not ended; there is at most one. */
export async function currentMeeting(db: Database | Tx, roomId: Uuid): Promise<MeetingRow | undefined> {
  return await db
    .selectFrom('meetings')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('state', '<>', 'ended')
    .executeTakeFirst();
}

export async function lockMeeting(tx: Tx, id: Uuid): Promise<MeetingRow | undefined> {
  return await tx.selectFrom('meetings').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function insertMeeting(tx: Tx, row: Insertable<Meetings>): Promise<MeetingRow> {
  return await tx.insertInto('meetings').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeMeeting(tx: Tx, id: Uuid, changes: Updateable<Meetings>): Promise<MeetingRow> {
  return await tx.updateTable('meetings').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function insertEntry(tx: Tx, row: Insertable<RoomEntries>): Promise<RoomEntryRow> {
  return await tx.insertInto('room_entries').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function removeEntry(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('room_entries').where('id', '=', id).where('joined_at', 'is', null).execute();
}

export async function openEntries(tx: Tx, meetingId: Uuid): Promise<RoomEntryRow[]> {
  return await tx
    .selectFrom('room_entries')
    .selectAll()
    .where('meeting_id', '=', meetingId)
    .where('left_at', 'is', null)
    .execute();
}

export async function storeEntry(tx: Tx, id: Uuid, changes: Updateable<RoomEntries>): Promise<void> {
  await tx.updateTable('room_entries').set(changes).where('id', '=', id).execute();
}

/** Changes of the subscription's places run one after the other: the last one is given away once. */
export async function lockPlaces(tx: Tx, subscriptionId: Uuid): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`places:${subscriptionId}`}, 0))`.execute(tx);
}

export interface Occupancy {
  /** In the room, or with a place that has not lapsed. */
  readonly inRoom: number;
  readonly inSubscription: number;
  readonly otherMeetings: number;
}

/**
 * Who is in, and who is on the way in. Of a meeting that was looked at, the server's own count holds where it is
 * higher than the number of those who came by this door.
 */
export async function countOccupancy(tx: Tx, subscriptionId: Uuid, roomId: Uuid, now: string): Promise<Occupancy> {
  const { rows } = await sql<Occupancy>`
    with occupied as (
      select meeting.room_id,
        greatest(meeting.participant_count, count(entry.id) filter (where entry.joined_at is not null))
          + count(entry.id) filter (where entry.joined_at is null and entry.expires_at > ${now}) as places
      from meetings meeting
      left join room_entries entry on entry.meeting_id = meeting.id and entry.left_at is null
      where meeting.subscription_id = ${subscriptionId} and meeting.state <> 'ended'
      group by meeting.id
    )
    select coalesce(sum(places) filter (where room_id = ${roomId}), 0)::int as "inRoom",
      coalesce(sum(places), 0)::int as "inSubscription",
      (count(*) filter (where room_id <> ${roomId}))::int as "otherMeetings"
    from occupied
  `.execute(tx);
  return rows[0] ?? { inRoom: 0, inSubscription: 0, otherMeetings: 0 };
}

/** Meetings that have not ended, by their provider. */
export async function openMeetingsByProvider(db: Database): Promise<Map<Uuid, MeetingRow[]>> {
  const rows = await db.selectFrom('meetings').selectAll().where('state', '<>', 'ended').orderBy('id').execute();
  const byProvider = new Map<Uuid, MeetingRow[]>();
  for (const row of rows) {
    if (row.service_provider_id === null) continue;
    const group = byProvider.get(row.service_provider_id);
    if (group) group.push(row);
    else byProvider.set(row.service_provider_id, [row]);
  }
  return byProvider;
}

/** How long a meeting may take to open before it counts as never opened. */
export const openingMs = 120_000;

/** Meetings whose opening began before then and has not come to anything. */
export async function abandonedOpenings(db: Database, before: string): Promise<{ id: Uuid }[]> {
  return await db
    .selectFrom('meetings')
    .select('id')
    .where('state', '=', 'opening')
    .where('created_at', '<=', before)
    .execute();
}

export interface SubscriptionProviderRow {
  readonly id: Uuid;
  readonly provider_name: string;
  readonly provider_type: string;
  readonly properties: Record<string, unknown>;
}

export async function findProvider(db: Database | Tx, id: Uuid): Promise<SubscriptionProviderRow | undefined> {
  return await db
    .selectFrom('service_providers')
    .select(['id', 'provider_name', 'provider_type', 'properties'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The entries of guests who are in. */
export async function guestEntries(db: Database, meetingId: Uuid): Promise<Set<Uuid>> {
  const rows = await db
    .selectFrom('room_entries')
    .select('id')
    .where('meeting_id', '=', meetingId)
    .where('role', '=', 'guest')
    .where('left_at', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
