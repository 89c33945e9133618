import { rowOrNotFound } from '../../../database/row-store.ts';
import { type Selectable, sql } from 'kysely';
import type { Rooms } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { anyOf, findRecording, selectNotDeleted, type RecordingRow } from '../store.ts';

/** @throws 404, also for a deleted recording */
export async function lockRecording(tx: Tx, id: Uuid): Promise<RecordingRow> {
  const unlocked = await findRecording(tx, id);
  if (unlocked) await lockReferencedRows(tx, [unlocked]);
  const row = await lockIfNotDeleted(tx, id);
  return rowOrNotFound(row, 'recording');
}

export async function lockIfNotDeleted(tx: Tx, id: Uuid): Promise<RecordingRow | undefined> {
  return (await selectNotDeleted(tx, sql`id = ${id} for update`))[0];
}

/** Locks the recordings of a room that the caller has locked. */
export async function lockRecordingsOfRoom(tx: Tx, roomId: Uuid): Promise<RecordingRow[]> {
  await lockProviders(tx, await selectNotDeleted(tx, sql`room_id = ${roomId}`));
  return await selectNotDeleted(tx, sql`room_id = ${roomId} order by id for update`);
}

/** Locks at most `limit` expired recordings, and skips those that another node has locked. */
export async function lockExpired(tx: Tx, now: string, limit: number): Promise<RecordingRow[]> {
  const expired = await selectNotDeleted(tx, sql`expires_at <= ${now} order by expires_at limit ${limit}`);
  if (expired.length === 0) return [];
  await lockReferencedRows(tx, expired);
  const isExpired = sql`id = ${anyOf(idsOf(expired))} and expires_at <= ${now}`;
  return await selectNotDeleted(tx, sql`${isExpired} order by id for update skip locked`);
}

interface RecordingReferences {
  readonly room_id: Uuid;
  readonly service_provider_id: Uuid | null;
}

/**
 * Locks the rows that recordings refer to, before the recordings are locked. Uses the same order as deletions of
 * customers, subscriptions and accounts, which hold locks on usages while they lock the next room.
 */
export async function lockReferencedRows(tx: Tx, rows: readonly RecordingReferences[]): Promise<void> {
  const rooms = sql`any(${[...new Set(rows.map(({ room_id: id }) => id))]}::uuid[])`;
  await sql`
    select from customers where id in (select customer_id from rooms where id = ${rooms}) order by id for key share
  `.execute(tx);
  await sql`
    select from subscriptions where id in (select subscription_id from rooms where id = ${rooms}) order by id for key share
  `.execute(tx);
  await sql`select from rooms where id = ${rooms} order by id for key share`.execute(tx);
  await lockProviders(tx, rows);
}

async function lockProviders(tx: Tx, rows: readonly Pick<RecordingReferences, 'service_provider_id'>[]): Promise<void> {
  const ids = [...new Set(rows.flatMap(({ service_provider_id: id }) => id ?? []))];
  await sql`select from service_providers where id = any(${ids}::uuid[]) order by id for key share`.execute(tx);
}

export type StoredRecording = RecordingRow & {
  /** Whether its provider was deleted, is inactive or is down. */
  readonly is_unreachable: boolean;
};

/**
 * Locks the stored recordings of the rooms on the provider, including deleted ones. Also locks stored recordings of other
 * providers that this provider lists, since several providers can have the same server.
 */
export async function lockRecordingsOnProvider(
  tx: Tx,
  providerId: Uuid,
  roomIds: readonly Uuid[],
  recordingIds: readonly string[],
): Promise<StoredRecording[]> {
  const { rows } = await sql<StoredRecording>`
    select recording.*, not exists (
        select from service_providers provider
        left join service_provider_health health on health.service_provider_id = provider.id
        where provider.id = recording.service_provider_id and provider.active
          and coalesce(health.failures_in_row, 0) < 2
      ) as is_unreachable
    from recordings recording
    where (recording.service_provider_id = ${providerId}
        and (recording.room_id = any(${[...roomIds]}::uuid[])
          or recording.provider_recording_id = any(${[...recordingIds]}::text[])))
      or (recording.room_id = any(${[...roomIds]}::uuid[])
        and recording.provider_recording_id = any(${[...recordingIds]}::text[]))
    order by recording.id for update of recording
  `.execute(tx);
  return rows;
}

export type RecordedRoom = Pick<
  Selectable<Rooms>,
  'id' | 'room_name' | 'customer_id' | 'subscription_id' | 'room_features'
> & { readonly record_expiration: string | null };

/** The rooms among these ids that exist. Locks them and the provider against deletion until the transaction ends. */
export async function lockRoomsForKeyShare(
  tx: Tx,
  ids: readonly Uuid[],
  providerId: Uuid | null = null,
): Promise<RecordedRoom[]> {
  await lockReferencedRows(
    tx,
    ids.map((id) => ({ room_id: id, service_provider_id: providerId })),
  );
  const { rows } = await sql<RecordedRoom>`
    select room.id, room.room_name, room.customer_id, room.subscription_id, room.room_features,
      (select value from subscription_features
        where subscription_id = room.subscription_id and tag = 'record_expiration') as record_expiration
    from rooms room where room.id = any(${[...ids]}::uuid[])
    order by room.id
  `.execute(tx);
  return rows;
}
