import { rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, rowStore } from '../../database/row-store.ts';
import type { Users } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type UserRow = Selectable<Users>;

const users = rowStore('users', 'user', { lock: 'no key update' });

export const { find: findUser, findAndLock: findAndLockUser, lock: lockUser, insertUnlessTaken: insertUser } = users;

/**
 * @param condition that the row must meet, such as a tenant scope
 * @throws 404
 */
export async function requireUser(
  db: Database | Tx,
  id: Uuid,
  condition: RawBuilder<unknown> | null = null,
): Promise<UserRow> {
  if (condition === null) return await users.require(db, id);
  const row = await users.selectFirst(db, sql`id = ${id} and ${condition}`);
  return rowOrNotFound(row, 'user');
}

/**
 * Locks the user against new references. First locks the resources with memberships or entries of the user from the top
 * down, in the order in which their deletion locks them. @throws 404
 */
export async function lockUserForDeletion(tx: Tx, id: Uuid): Promise<UserRow> {
  const rooms = sql`(select room_id from room_users where user_id = ${id} union select room_id from room_tokens
    where user_id = ${id} union select room_id from room_entries where user_id = ${id})`;
  const accounts = sql`(select account_id from account_users where user_id = ${id}
    union select account_id from rooms where id in ${rooms})`;
  await sql`
    select from customers where id in (
      select customer_id from customer_users where user_id = ${id}
      union select subscriber_id from accounts where id in ${accounts})
    order by id for key share
  `.execute(tx);
  await sql`
    select from subscriptions where id in (select subscription_id from accounts where id in ${accounts})
    order by id for key share
  `.execute(tx);
  await sql`select from accounts where id in ${accounts} order by id for key share`.execute(tx);
  await sql`select from rooms where id in ${rooms} order by id for key share`.execute(tx);
  const row = await tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw notFound('The user was not found.');
  await sql`
    select from meetings where id in (select meeting_id from room_entries where user_id = ${id}
      union select meeting_id from room_entries join room_tokens token on token.id = room_token_id
        where token.user_id = ${id})
    order by id for key share
  `.execute(tx);
  return row;
}

/** Locks the user against deletion. */
export async function lockUserForKeyShare(tx: Tx, id: Uuid): Promise<UserRow | undefined> {
  return await tx.selectFrom('users').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst();
}

/** The email is compared case-insensitively. */
export async function findUserByEmail(db: Database | Tx, email: string): Promise<UserRow | undefined> {
  return await users.selectFirst(db, sql`lower(email) = lower(${email}::text)`);
}

/** Locks the user against deletion. The email is compared case-insensitively. */
export async function lockUserByEmailForKeyShare(tx: Tx, email: string): Promise<UserRow | undefined> {
  return await users.selectFirst(tx, sql`lower(email) = lower(${email}::text) for key share`);
}

/** Null if another user has the email; the transaction is then aborted. */
export async function storeUser(tx: Tx, id: Uuid, changes: Updateable<Users>): Promise<UserRow | null> {
  try {
    return await tx.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
  } catch (error) {
    const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
    if (code === '23505' && constraint === 'users_email') return null;
    throw error;
  }
}

/** Locks the user's entries in order before the foreign key sets their user to null, against deadlocks. */
export async function removeUser(tx: Tx, id: Uuid): Promise<void> {
  await sql`select from room_entries where user_id = ${id} order by id for no key update`.execute(tx);
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

export interface OwnedResources {
  readonly customers: Uuid[];
  readonly accounts: Uuid[];
  readonly rooms: Uuid[];
}

export async function listOwnedResources(tx: Tx, userId: Uuid): Promise<OwnedResources> {
  const { rows } = await sql<OwnedResources>`
    select array(select customer_id from customer_users where user_id = ${userId} and owner order by 1) as customers,
      array(select account_id from account_users where user_id = ${userId} and owner order by 1) as accounts,
      array(select room_id from room_users where user_id = ${userId} and owner order by 1) as rooms
  `.execute(tx);
  return rows[0] ?? { customers: [], accounts: [], rooms: [] };
}

/** The rights of all memberships of the user; an owner has every right of the level. */
export async function listMembershipPermissions(db: Database | Tx, userId: Uuid): Promise<string[]> {
  const { rows } = await sql<{ permission: string }>`
    select unnest(case when owner then ${rightsOfLevel.customer}::text[] else permissions end) as permission
      from customer_users where user_id = ${userId}
    union select unnest(case when owner then ${rightsOfLevel.account}::text[] else permissions end)
      from account_users where user_id = ${userId}
    union select unnest(case when owner then ${rightsOfLevel.room}::text[] else permissions end)
      from room_users where user_id = ${userId}
  `.execute(db);
  return rows.map(({ permission }) => permission);
}

/** Stores a new hash of the same password, unless the password was changed in the meantime. */
export async function replaceUserPasswordHash(db: Database, id: Uuid, oldHash: string, newHash: string): Promise<void> {
  await users.storeWhere(db, sql`id = ${id} and password_hash = ${oldHash}`, { password_hash: newHash });
}
