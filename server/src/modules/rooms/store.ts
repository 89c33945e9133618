import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { RoomAccessCodes, Rooms, RoomTokens } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identifier.ts';

export type RoomRow = Selectable<Rooms>;
export type RoomTokenRow = Selectable<RoomTokens>;
export type RoomAccessCodeRow = Selectable<RoomAccessCodes>;
/** A token with what its address is made of; `token` once it is opened. */
export type PrintedTokenRow = RoomTokenRow & { slug: string; token?: string };

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

/** The room, kept from being deleted until the transaction ends. @throws 404 */
export async function shareRoom(tx: Tx, id: Uuid): Promise<RoomRow> {
  const row = await tx.selectFrom('rooms').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst();
  if (!row) throw notFound('The room was not found.');
  return row;
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

/** The rooms of an account or a customer, locked, in the order in which everybody locks them. */
export async function lockRoomsBelow(tx: Tx, column: 'account_id' | 'customer_id', id: Uuid): Promise<RoomRow[]> {
  return await tx.selectFrom('rooms').selectAll().where(column, '=', id).orderBy('id').forUpdate().execute();
}

/** The rooms that it switched off, as they are now. */
export async function deactivateRooms(tx: Tx, customerId: Uuid, now: string): Promise<RoomRow[]> {
  return await tx
    .updateTable('rooms')
    .set({ status: 'inactive', updated_at: now })
    .where('customer_id', '=', customerId)
    .where('status', '=', 'active')
    .returningAll()
    .execute();
}

/** Tag to value of what the subscription has. */
export interface SoldFeature {
  readonly tag: string;
  readonly value: string;
  /** Whether it is what the package has. */
  readonly is_of_package: boolean;
}

export async function soldFeatures(db: Database | Tx, subscriptionId: Uuid): Promise<SoldFeature[]> {
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

export async function insertRoomToken(tx: Tx, row: Insertable<RoomTokens>): Promise<RoomTokenRow> {
  return await tx.insertInto('room_tokens').values(row).returningAll().executeTakeFirstOrThrow();
}

/** @throws 404 */
export async function requireRoomToken(db: Database | Tx, roomId: Uuid, id: Uuid): Promise<PrintedTokenRow> {
  const row = await db
    .selectFrom('room_tokens')
    .innerJoin('rooms', 'rooms.id', 'room_tokens.room_id')
    .selectAll('room_tokens')
    .select('rooms.slug')
    .where('room_tokens.id', '=', id)
    .where('room_id', '=', roomId)
    .executeTakeFirst();
  if (!row) throw notFound('The token was not found.');
  return row;
}

/** @throws 404 */
export async function lockRoomToken(tx: Tx, roomId: Uuid, id: Uuid): Promise<RoomTokenRow> {
  const row = await tx
    .selectFrom('room_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('room_id', '=', roomId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound('The token was not found.');
  return row;
}

export async function findRoomToken(
  db: Database | Tx,
  roomId: Uuid,
  tokenHash: Buffer,
): Promise<RoomTokenRow | undefined> {
  return await db
    .selectFrom('room_tokens')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('room_id', '=', roomId)
    .executeTakeFirst();
}

export async function storeRoomToken(tx: Tx, id: Uuid, changes: Updateable<RoomTokens>): Promise<RoomTokenRow> {
  return await tx.updateTable('room_tokens').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function removeRoomToken(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('room_tokens').where('id', '=', id).execute();
}

/** Null when the room has the code already, whatever its case. */
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

export async function listAccessCodes(db: Database | Tx, roomId: Uuid): Promise<RoomAccessCodeRow[]> {
  return await db.selectFrom('room_access_codes').selectAll().where('room_id', '=', roomId).execute();
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

/** The token and the code were used; when several use them at once the latest use stays. */
export async function markUsed(tx: Tx, tokenId: Uuid | null, codeId: Uuid | null, now: string): Promise<void> {
  if (tokenId) await tx.updateTable('room_tokens').set({ last_usage: now }).where('id', '=', tokenId).execute();
  if (codeId) await tx.updateTable('room_access_codes').set({ last_usage: now }).where('id', '=', codeId).execute();
}
