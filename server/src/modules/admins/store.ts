import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Admins } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identifier.ts';

export type AdminRow = Selectable<Admins>;

/** @throws 404 */
export async function requireAdmin(db: Database | Tx, id: Uuid): Promise<AdminRow> {
  const row = await db.selectFrom('admins').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The administrator was not found.');
  return row;
}

/** By user name or email, whatever the case. */
export async function findAdminByName(db: Database | Tx, name: string): Promise<AdminRow | undefined> {
  return await db
    .selectFrom('admins')
    .selectAll()
    .where((row) =>
      row.or([row(sql`lower(username)`, '=', name.toLowerCase()), row(sql`lower(email)`, '=', name.toLowerCase())]),
    )
    .orderBy('id')
    .executeTakeFirst();
}

export async function hasAdmins(tx: Tx): Promise<boolean> {
  return (await tx.selectFrom('admins').select('id').limit(1).executeTakeFirst()) !== undefined;
}

export type NewAdmin = Pick<
  AdminRow,
  | 'id'
  | 'username'
  | 'email'
  | 'first_name'
  | 'last_name'
  | 'locale'
  | 'timezone'
  | 'password_hash'
  | 'created_at'
  | 'updated_at'
>;

export async function insertAdmin(tx: Tx, admin: NewAdmin): Promise<AdminRow> {
  return await tx.insertInto('admins').values(admin).returningAll().executeTakeFirstOrThrow();
}

export async function grantRole(tx: Tx, adminId: Uuid, roleId: Uuid): Promise<void> {
  await tx
    .insertInto('admin_roles')
    .values({ admin_id: adminId, role_id: roleId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setPasswordHash(tx: Tx, id: Uuid, hash: string, now: string): Promise<AdminRow> {
  return await tx
    .updateTable('admins')
    .set({ password_hash: hash, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The same password at another cost; nothing when the password was changed meanwhile. */
export async function replaceAdminPasswordHash(db: Database, id: Uuid, from: string, to: string): Promise<void> {
  await db
    .updateTable('admins')
    .set({ password_hash: to })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .execute();
}

/** The administrator has shown to read what is sent to the email. Null when that was known before. */
export async function verifyAdminEmail(tx: Tx, id: Uuid, now: string): Promise<AdminRow | null> {
  const updated = await tx
    .updateTable('admins')
    .set({ email_verified_at: now, updated_at: now })
    .where('id', '=', id)
    .where('email_verified_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return updated ?? null;
}
