import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { RoomTokens } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import { notFound } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type RoomTokenRow = Selectable<RoomTokens>;
/** A token with what its address is made of; `token` once it is opened. */
export type PrintedTokenRow = RoomTokenRow & { slug: string; token?: string };

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

/**
 * Entries made with the tokens stay, without them: their meetings and they are locked in order before the foreign key
 * clears them.
 */
export async function removeRoomTokens(tx: Tx, ids: readonly Uuid[]): Promise<RoomTokenRow[]> {
  const removed = sql<Uuid>`any(${[...ids]}::uuid[])`;
  await sql`
    select from meetings where id in (select meeting_id from room_entries where room_token_id = ${removed})
    order by id for key share
  `.execute(tx);
  await sql`select from room_tokens where id = ${removed} order by id for update`.execute(tx);
  await sql`select from room_entries where room_token_id = ${removed} order by id for no key update`.execute(tx);
  return await tx.deleteFrom('room_tokens').where('id', '=', removed).returningAll().execute();
}

/**
 * Counts an entry with the token, if it has one left: one conditional statement, so that no number of entries at once
 * passes the limit. When several use it at once the latest use stays.
 */
export async function countUse(tx: Tx, id: Uuid, now: string): Promise<'counted' | 'used-up' | 'gone'> {
  const { rows } = await sql<{ counted: boolean }>`
    with counted as (
      update room_tokens set uses = uses + 1, last_usage = ${now}
      where id = ${id} and (max_uses is null or uses < max_uses) returning id
    )
    select exists (select from counted) as counted from room_tokens where id = ${id}
  `.execute(tx);
  const [row] = rows;
  if (!row) return 'gone';
  return row.counted ? 'counted' : 'used-up';
}

/** The same as a query of a `with` clause, if `condition` holds: it has a row where the entry was counted. */
export function countUseSql(id: Uuid, now: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`update room_tokens set uses = uses + 1, last_usage = ${now}
    where id = ${id} and (max_uses is null or uses < max_uses) and ${condition} returning id`;
}

/** Of the users, those who are there; they stay until the transaction ends. */
export async function lockUsersForKeyShare(tx: Tx, ids: readonly Uuid[]): Promise<Uuid[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forKeyShare()
    .execute();
  return rows.map(({ id }) => id);
}

/** Case is for the database to tell, as wherever users are known by email. @returns each email as it was given */
export async function usersByEmail(tx: Tx, emails: readonly string[]): Promise<{ id: Uuid; email: string }[]> {
  const { rows } = await sql<{ id: Uuid; email: string }>`
    select users.id, given.email from unnest(${[...emails]}::text[]) given(email)
    join users on lower(users.email) = lower(given.email)
  `.execute(tx);
  return rows;
}

/** Of the users, those who belong to the customer, or to an account or a room of it. */
export async function usersOfCustomer(db: Database | Tx, customerId: Uuid, ids: readonly Uuid[]): Promise<Uuid[]> {
  const { rows } = await sql<{ user_id: Uuid }>`
    select user_id from customer_users where customer_id = ${customerId} and user_id = any(${ids}::uuid[])
    union
    select user_id from account_users join accounts on accounts.id = account_id
    where subscriber_id = ${customerId} and user_id = any(${ids}::uuid[])
    union
    select user_id from room_users join rooms on rooms.id = room_id
    where customer_id = ${customerId} and user_id = any(${ids}::uuid[])
  `.execute(db);
  return rows.map(({ user_id: id }) => id);
}

/** The tokens that only the user may show, which go with the user. */
export async function removeTokensOfUser(tx: Tx, userId: Uuid): Promise<(RoomTokenRow & { customer_id: Uuid })[]> {
  const tokens = await tx
    .selectFrom('room_tokens')
    .innerJoin('rooms', 'rooms.id', 'room_tokens.room_id')
    .select(['room_tokens.id', 'rooms.customer_id'])
    .where('user_id', '=', userId)
    .execute();
  const customers = new Map(tokens.map(({ id, customer_id: customerId }) => [id, customerId]));
  const removed = await removeRoomTokens(tx, [...customers.keys()]);
  return removed.map((row) => ({ ...row, customer_id: customers.get(row.id) ?? '' }));
}
