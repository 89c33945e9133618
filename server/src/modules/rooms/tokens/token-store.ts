import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { rowOrNotFound, rowStore } from '../../../database/row-store.ts';
import type { RoomTokens } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type RoomTokenRow = Selectable<RoomTokens>;
/** A token with the slug for its URL; `token` is set after decryption. */
export type PrintedTokenRow = RoomTokenRow & { slug: string; token?: string };

const roomTokens = rowStore('room_tokens', 'room token');

export const { insert: insertRoomToken, select: selectRoomTokens, store: storeRoomToken } = roomTokens;

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
  return rowOrNotFound(row, 'token');
}

/** @throws 404 */
export async function lockRoomToken(tx: Tx, roomId: Uuid, id: Uuid): Promise<RoomTokenRow> {
  const row = await roomTokens.selectFirst(tx, sql`id = ${id} and room_id = ${roomId} for update`);
  return rowOrNotFound(row, 'token');
}

export async function findRoomToken(
  db: Database | Tx,
  roomId: Uuid,
  tokenHash: Buffer,
): Promise<RoomTokenRow | undefined> {
  return await roomTokens.selectFirst(db, sql`token_hash = ${tokenHash} and room_id = ${roomId}`);
}

/**
 * Entries that used the tokens stay, and the foreign key clears their reference to the token. Locks the entries and their
 * meetings first, in lock order, against deadlocks.
 */
export async function removeRoomTokens(tx: Tx, ids: readonly Uuid[]): Promise<RoomTokenRow[]> {
  const anyTokenId = sql<Uuid>`any(${[...ids]}::uuid[])`;
  await sql`
    select from meetings where id in (select meeting_id from room_entries where room_token_id = ${anyTokenId})
    order by id for key share
  `.execute(tx);
  await sql`select from room_tokens where id = ${anyTokenId} order by id for update`.execute(tx);
  await sql`select from room_entries where room_token_id = ${anyTokenId} order by id for no key update`.execute(tx);
  return await tx.deleteFrom('room_tokens').where('id', '=', anyTokenId).returningAll().execute();
}

/**
 * Counts an entry with the token if it has uses left. One conditional statement, so that concurrent entries cannot
 * exceed the limit.
 */
export async function countUse(tx: Tx, id: Uuid, now: string): Promise<'counted' | 'used-up' | 'unknown'> {
  const { rows } = await sql<{ counted: boolean }>`
    with counted as (
      update room_tokens set uses = uses + 1, last_usage = ${now}
      where id = ${id} and (max_uses is null or uses < max_uses) returning id
    )
    select exists (select from counted) as counted from room_tokens where id = ${id}
  `.execute(tx);
  const [row] = rows;
  if (!row) return 'unknown';
  return row.counted ? 'counted' : 'used-up';
}

/** `countUse` for a `with` clause; returns a row if the entry was counted. Does nothing if `condition` is false. */
export function countUseSql(id: Uuid, now: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`update room_tokens set uses = uses + 1, last_usage = ${now}
    where id = ${id} and (max_uses is null or uses < max_uses) and ${condition} returning id`;
}

/** Prevents deletion of the users. @returns the ids that exist. */
export async function lockUsersForKeyShare(tx: Tx, ids: readonly Uuid[]): Promise<Uuid[]> {
  const users = sql<{ id: Uuid }>`select id from users where id = any(${[...ids]}::uuid[]) order by id for key share`;
  return (await users.execute(tx)).rows.map(({ id }) => id);
}

/** PostgreSQL compares the lower-case emails, like the unique index. @returns emails as in the request */
export async function usersByEmail(tx: Tx, emails: readonly string[]): Promise<{ id: Uuid; email: string }[]> {
  const { rows } = await sql<{ id: Uuid; email: string }>`
    select users.id, requested.email from unnest(${[...emails]}::text[]) requested(email)
    join users on lower(users.email) = lower(requested.email)
  `.execute(tx);
  return rows;
}

/** Those of the ids whose users are members of the customer or of one of its accounts or rooms. */
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

/** Removes the tokens bound to the user. */
export async function removeTokensOfUser(tx: Tx, userId: Uuid): Promise<(PrintedTokenRow & { customer_id: Uuid })[]> {
  const tokens = await tx
    .selectFrom('room_tokens')
    .innerJoin('rooms', 'rooms.id', 'room_tokens.room_id')
    .select(['room_tokens.id', 'rooms.customer_id', 'rooms.slug'])
    .where('user_id', '=', userId)
    .execute();
  const rooms = new Map(tokens.map(({ id, ...room }) => [id, room]));
  const removed = await removeRoomTokens(tx, [...rooms.keys()]);
  return removed.map((row) => ({ ...row, ...(rooms.get(row.id) ?? { customer_id: '', slug: '' }) }));
}
