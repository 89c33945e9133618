import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { RoomAccessCodes, Rooms } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type RoomRow = Selectable<Rooms>;
export type RoomAccessCodeRow = Selectable<RoomAccessCodes>;

/** @throws 404 */
export async function requireRoom(db: Database | Tx, id: Uuid): Promise<RoomRow> {
  const row = await db.selectFrom('rooms').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The room was not found.');
  return row;
}

/** @throws 404 */
export async function lockRoom(tx: Tx, id: Uuid): Promise<RoomRow> {
  const row = await tx.selectFrom('rooms').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw notFound('The room was not found.');
  return row;
}

/** Only prevents deletion of the room. @throws 404 */
export async function lockRoomForKeyShare(tx: Tx, id: Uuid): Promise<RoomRow> {
  const row = await tx.selectFrom('rooms').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst();
  if (!row) throw notFound('The room was not found.');
  return row;
}

/** Only prevents deletion of the room. */
export async function findRoomForTokens(tx: Tx, id: Uuid): Promise<Pick<RoomRow, 'customer_id'> | undefined> {
  return await tx.selectFrom('rooms').select('customer_id').where('id', '=', id).forKeyShare().executeTakeFirst();
}

export async function insertRoom(tx: Tx, row: Insertable<Rooms>): Promise<RoomRow> {
  return await tx.insertInto('rooms').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeRoom(tx: Tx, id: Uuid, changes: Updateable<Rooms>): Promise<RoomRow> {
  return await tx.updateTable('rooms').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function removeRoom(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('rooms').where('id', '=', id).execute();
}

export async function lockRoomsOf(tx: Tx, column: 'account_id' | 'customer_id', id: Uuid): Promise<RoomRow[]> {
  return await tx.selectFrom('rooms').selectAll().where(column, '=', id).orderBy('id').forUpdate().execute();
}

/** @returns the rooms that were active. */
export async function deactivateRooms(tx: Tx, customerId: Uuid, now: string): Promise<RoomRow[]> {
  return await tx
    .updateTable('rooms')
    .set({ status: 'inactive', updated_at: now })
    .where('id', 'in', (rooms) =>
      rooms
        .selectFrom('rooms')
        .select('id')
        .where('customer_id', '=', customerId)
        .where('status', '=', 'active')
        .orderBy('id')
        .forNoKeyUpdate(),
    )
    .returningAll()
    .execute();
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

/** Null if the room already has the code, ignoring case. */
export async function insertAccessCode(tx: Tx, row: Insertable<RoomAccessCodes>): Promise<RoomAccessCodeRow | null> {
  const inserted = await tx
    .insertInto('room_access_codes')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

/** @throws 404 */
export async function requireAccessCode(db: Database | Tx, roomId: Uuid, id: Uuid): Promise<RoomAccessCodeRow> {
  const row = await db
    .selectFrom('room_access_codes')
    .selectAll()
    .where('id', '=', id)
    .where('room_id', '=', roomId)
    .executeTakeFirst();
  if (!row) throw notFound('The access code was not found.');
  return row;
}

export async function isCodeTaken(tx: Tx, roomId: Uuid, code: string, exceptId: Uuid): Promise<boolean> {
  const row = await tx
    .selectFrom('room_access_codes')
    .select('id')
    .where('room_id', '=', roomId)
    .where(sql`lower(code)`, '=', code.toLowerCase())
    .where('id', '!=', exceptId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function storeAccessCode(
  tx: Tx,
  id: Uuid,
  changes: Updateable<RoomAccessCodes>,
): Promise<RoomAccessCodeRow> {
  return await tx
    .updateTable('room_access_codes')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeAccessCode(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('room_access_codes').where('id', '=', id).execute();
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
