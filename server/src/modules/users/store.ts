import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Users } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identifier.ts';

export type UserRow = Selectable<Users>;

/** @throws 404 */
export async function requireUser(db: Database | Tx, id: Uuid): Promise<UserRow> {
  const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The user was not found.');
  return row;
}

/** Whatever the case. */
export async function findUserByEmail(db: Database | Tx, email: string): Promise<UserRow | undefined> {
  return await userByEmail(db, email).executeTakeFirst();
}

/** Whatever the case; the user stays until the transaction ends. */
export async function shareUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  return await userByEmail(tx, email).forKeyShare().executeTakeFirst();
}

function userByEmail(db: Database | Tx, email: string) {
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', sql`lower(${email}::text)`);
}

/** Null when somebody has the email. */
export async function insertUser(tx: Tx, row: Insertable<Users>): Promise<UserRow | null> {
  const inserted = await tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

/** All that the user's memberships in customers, accounts and rooms allow. */
export async function listMembershipPermissions(db: Database | Tx, userId: Uuid): Promise<string[]> {
  const { rows } = await sql<{ permission: string }>`
    select unnest(permissions) as permission from customer_users where user_id = ${userId}
    union select unnest(permissions) from account_users where user_id = ${userId}
    union select unnest(permissions) from room_users where user_id = ${userId}
  `.execute(db);
  return rows.map(({ permission }) => permission);
}
