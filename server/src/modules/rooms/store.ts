import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, isTrue, requireIn, rowStore } from '../../database/row-store.ts';
import type { RoomAccessCodes, Rooms } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type RoomRow = Selectable<Rooms>;
export type RoomAccessCodeRow = Selectable<RoomAccessCodes>;

const rooms = rowStore('rooms', 'room');

export const {
  require: requireRoom,
  lock: lockRoom,
  lockAllOf: lockRoomsOf,
  insert: insertRoom,
  store: storeRoom,
  remove: removeRoom,
} = rooms;

export const {
  insertUnlessTaken: insertAccessCode,
  store: storeAccessCode,
  remove: removeAccessCode,
} = rowStore('room_access_codes', 'room access code');

export const requireAccessCode = requireIn('room_access_codes', 'room_id', 'access code');

/** A `for key share` lock: prevents only the deletion of the room. @throws 404 */
export async function lockRoomForKeyShare(tx: Tx, id: Uuid): Promise<RoomRow> {
  const row = await tx.selectFrom('rooms').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst();
  return rowOrNotFound(row, 'room');
}

/** A `for key share` lock: prevents only the deletion of the room. */
export async function findRoomForTokens(tx: Tx, id: Uuid): Promise<Pick<RoomRow, 'customer_id'> | undefined> {
  return await tx.selectFrom('rooms').select('customer_id').where('id', '=', id).forKeyShare().executeTakeFirst();
}

/** @returns the rooms that were active. */
export async function deactivateRooms(tx: Tx, customerId: Uuid, now: string): Promise<RoomRow[]> {
  const active = sql`customer_id = ${customerId} and status = 'active'`;
  return await rooms.storeWhere(tx, active, { status: 'inactive', updated_at: now });
}

export interface FeatureValue {
  readonly tag: string;
  readonly value: string;
  /** Whether the package has the same value. */
  readonly is_of_package: boolean;
}

export async function listFeatureValues(db: Database | Tx, subscriptionId: Uuid): Promise<FeatureValue[]> {
  return await db
    .selectFrom('subscription_features as feature')
    .leftJoin('service_package_features as model', 'model.id', 'feature.package_feature_id')
    .select([
      'feature.tag',
      'feature.value',
      sql<boolean>`feature.value is not distinct from model.value`.as('is_of_package'),
    ])
    .where('feature.subscription_id', '=', subscriptionId)
    .execute();
}

export async function isCodeTaken(tx: Tx, roomId: Uuid, code: string, exceptId: Uuid): Promise<boolean> {
  const same = sql`room_id = ${roomId} and lower(code) = ${code.toLowerCase()} and id <> ${exceptId}`;
  return await isTrue(tx, sql`exists(select from room_access_codes where ${same})`);
}

/** The caller locks the room. @returns the deleted codes */
export async function removeAccessCodesOf(tx: Tx, roomId: Uuid): Promise<RoomAccessCodeRow[]> {
  return await tx.deleteFrom('room_access_codes').where('room_id', '=', roomId).returningAll().execute();
}

export async function markCodeUsed(tx: Tx, id: Uuid, now: string): Promise<void> {
  await tx.updateTable('room_access_codes').set({ last_usage: now }).where('id', '=', id).execute();
}

/** `markCodeUsed` for a `with` clause; does nothing without an id or if `condition` is false. */
export function markCodeUsedSql(id: Uuid | null, now: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`update room_access_codes set last_usage = ${now} where id = ${id}::uuid and ${condition}`;
}
