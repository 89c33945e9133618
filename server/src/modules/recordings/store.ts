import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, rowStore } from '../../database/row-store.ts';
import type { Recordings } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';

export type RecordingRow = Selectable<Recordings>;

const recordings = rowStore('recordings', 'recording');

export const { store: storeRecording } = recordings;

/** @throws 404, also for a deleted recording */
export async function requireRecording(db: Database | Tx, id: Uuid): Promise<RecordingRow> {
  const row = await findRecording(db, id);
  return rowOrNotFound(row, 'recording');
}

export async function findRecording(db: Database | Tx, id: Uuid): Promise<RecordingRow | undefined> {
  return (await selectNotDeleted(db, sql`id = ${id}`))[0];
}

/** Recordings that were not deleted. @param condition with any `order by`, `limit` and `for update` after it */
export async function selectNotDeleted(db: Database | Tx, condition: RawBuilder<unknown>): Promise<RecordingRow[]> {
  return await recordings.select(db, sql`deleted_at is null and ${condition}`);
}

/** A statement has 65,535 parameters at most. */
const insertBatchSize = 1000;

/** Inserts the recordings that do not exist yet. */
export async function insertRecordings(tx: Tx, rows: readonly Insertable<Recordings>[]): Promise<RecordingRow[]> {
  // Sorted, against deadlocks with processes that insert the same rows.
  const inOrder = rows.toSorted((one, other) => (one.provider_recording_id < other.provider_recording_id ? -1 : 1));
  const added: RecordingRow[] = [];
  for (let index = 0; index < inOrder.length; index += insertBatchSize) {
    const batch = await tx
      .insertInto('recordings')
      .values(inOrder.slice(index, index + insertBatchSize))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute();
    added.push(...batch);
  }
  return added;
}

export function anyOf(ids: readonly Uuid[]) {
  return sql<Uuid>`any(${[...ids]}::uuid[])`;
}

/** Stores when the recordings were last confirmed. The caller locks the rows. */
export async function markSynced(tx: Tx, ids: readonly Uuid[], requestedAt: string): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('recordings').set({ synced_at: requestedAt }).where('id', '=', anyOf(ids)).execute();
}

/** The caller locks the rows. */
export async function markMissing(tx: Tx, ids: readonly Uuid[], now: string): Promise<void> {
  await recordings.storeWhere(tx, sql`id = ${anyOf(ids)} and missing_since is null`, { missing_since: now });
}

/** The provider's ids of stored recordings of the rooms, except those in `listedIds`. */
export async function unlistedRecordings(
  db: Database,
  providerId: Uuid,
  roomIds: readonly Uuid[],
  listedIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select provider_recording_id as id from recordings
    where service_provider_id = ${providerId} and room_id = any(${[...roomIds]}::uuid[]) and deleted_at is null
      and provider_recording_id <> all(${[...listedIds]}::text[])
  `.execute(db);
  return idsOf(rows);
}

/** Marks recordings as deleted: they use no storage, and their links stop working. The caller locks the rows. */
export async function markDeleted(tx: Tx, ids: readonly Uuid[], reason: string, now: string): Promise<void> {
  await tx
    .updateTable('recordings')
    .set({
      state: 'deleted',
      deleted_at: now,
      deletion_reason: reason,
      playback: '[]',
      playback_sealed: null,
      playback_hash: null,
      pending: [],
      push_at: null,
      missing_since: null,
      updated_at: now,
    })
    .where('id', '=', anyOf(ids))
    .execute();
}

/** Counting a view does not change `updated_at`. */
export async function countPlay(db: Database, id: Uuid, now: string): Promise<void> {
  await sql`update recordings set plays = plays + 1, last_played_at = ${now} where id = ${id}`.execute(db);
}

/** The meetings of the rooms by the provider's session id. */
export async function meetingsOfSessions(
  tx: Tx,
  roomIds: readonly Uuid[],
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, Uuid>> {
  if (sessionIds.length === 0) return new Map();
  const { rows } = await sql<{ id: Uuid; session: string }>`
    select id, provider_internal_id as session from meetings
    where room_id = any(${[...roomIds]}::uuid[]) and provider_internal_id = any(${[...sessionIds]}::text[])
  `.execute(tx);
  return new Map(rows.map(({ id, session }) => [session, id]));
}

/** The rooms with recordings, in the order of their ids, from the room after `after`. */
export async function roomsWithRecordings(tx: Tx, after: Uuid | null, limit: number): Promise<Uuid[]> {
  const { rows } = await sql<{ room_id: Uuid }>`
    select distinct room_id from recordings
    where deleted_at is null and (${after}::uuid is null or room_id > ${after}::uuid)
    order by room_id limit ${limit}
  `.execute(tx);
  return rows.map(({ room_id }) => room_id);
}

/**
 * Sets the expiry of recordings from the retention of their rooms in days; null: they never expire. Recordings that
 * another transaction has locked are left to the next run: the caller may hold locks on other recordings.
 */
export async function storeExpiry(tx: Tx, days: ReadonlyMap<Uuid, number | null>): Promise<void> {
  await sql`
    with locked as materialized (
      select recordings.id, retention.days
      from recordings
      join unnest(${[...days.keys()]}::uuid[], ${[...days.values()]}::int[]) retention(room_id, days) using (room_id)
      where deleted_at is null and expires_at is distinct from ${expiryOf(sql`retention.days`)}
      for no key update of recordings skip locked
    )
    update recordings set expires_at = ${expiryOf(sql`locked.days`)}
    from locked where recordings.id = locked.id
  `.execute(tx);
}

/** Days are counted from the end of the recording. */
function expiryOf(days: ReturnType<typeof sql>) {
  return sql`coalesce(recordings.ended_at, recordings.started_at, recordings.created_at) + ${days} * interval '24 hours'`;
}

/** The newest recordings of the room that can be watched. */
export async function publishedRecordings(
  db: Database,
  roomId: Uuid,
  now: string,
  limit: number,
): Promise<RecordingRow[]> {
  const isWatchable = sql`state = 'published' and (expires_at is null or expires_at > ${now})`;
  return await selectNotDeleted(db, sql`room_id = ${roomId} and ${isWatchable} order by id desc limit ${limit}`);
}

/** A recording that its provider has finished processing. */
export async function findReadyByProviderId(
  db: Database,
  providerId: Uuid,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  const isReady = sql`provider_recording_id = ${recordingId} and ready_at is not null`;
  return await recordings.selectFirst(db, sql`service_provider_id = ${providerId} and ${isReady}`);
}

export async function findRecordedMeeting(db: Database, id: Uuid) {
  return await db
    .selectFrom('meetings')
    .select(['room_id', 'service_provider_id', 'provider_meeting_id'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The customer of the recording, even if the recording is deleted; null if it never existed. */
export async function customerOf(db: Database, id: Uuid): Promise<Uuid | null> {
  const row = await db.selectFrom('recordings').select('customer_id').where('id', '=', id).executeTakeFirst();
  return row?.customer_id ?? null;
}
