import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowStore } from '../../database/row-store.ts';
import type { Admins } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AdminRow = Selectable<Admins>;

const admins = rowStore('admins', 'administrator', { lock: 'no key update' });

export const {
  find: findAdmin,
  require: requireAdmin,
  findAndLock: findAndLockAdmin,
  lock: lockAdmin,
  insertUnlessTaken: insertAdmin,
  store: storeAdmin,
  remove: removeAdmin,
} = admins;

/** Finds an administrator by user name or email, case-insensitive. */
export async function findAdminByName(db: Database | Tx, name: string): Promise<AdminRow | undefined> {
  return await admins.selectFirst(db, sql`${name.toLowerCase()} in (lower(username), lower(email)) order by id`);
}

export async function hasAdmins(tx: Tx): Promise<boolean> {
  return (await tx.selectFrom('admins').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Which of the two values another administrator already has as user name or email, case-insensitive. */
export async function findTakenMembers(
  db: Database | Tx,
  { username, email }: { readonly username: string; readonly email: string },
): Promise<('username' | 'email')[]> {
  const { rows } = await sql<{ username: boolean; email: boolean }>`
    select exists(select from admins where lower(${username}::text) in (lower(username), lower(email))) as username,
      exists(select from admins where lower(${email}::text) in (lower(username), lower(email))) as email
  `.execute(db);
  return (['username', 'email'] as const).filter((member) => rows[0]?.[member]);
}

export async function rolesOfAdmin(tx: Tx, adminId: Uuid): Promise<{ id: Uuid; name: string }[]> {
  return await tx
    .selectFrom('admin_roles')
    .innerJoin('roles', 'roles.id', 'admin_roles.role_id')
    .select(['roles.id', 'roles.name'])
    .where('admin_roles.admin_id', '=', adminId)
    .orderBy('roles.name')
    .execute();
}

export async function grantRoles(tx: Tx, adminId: Uuid, roleIds: readonly Uuid[]): Promise<void> {
  if (roleIds.length === 0) return;
  await tx
    .insertInto('admin_roles')
    .values(roleIds.toSorted().map((roleId) => ({ admin_id: adminId, role_id: roleId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeRoles(tx: Tx, adminId: Uuid, roleIds: readonly Uuid[]): Promise<void> {
  if (roleIds.length === 0) return;
  await tx
    .deleteFrom('admin_roles')
    .where('admin_id', '=', adminId)
    .where('role_id', 'in', [...roleIds])
    .execute();
}

/** Stores a new hash of the same password, unless the password was changed in the meantime. */
export async function replaceAdminPasswordHash(
  db: Database,
  id: Uuid,
  oldHash: string,
  newHash: string,
): Promise<void> {
  await admins.storeWhere(db, sql`id = ${id} and password_hash = ${oldHash}`, { password_hash: newHash });
}
