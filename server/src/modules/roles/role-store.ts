import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowStore } from '../../database/row-store.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** The lock on a role also prevents changes of its permissions and of its holders. */
export const {
  require: requireRole,
  findAndLock: lockRole,
  lock: requireLockedRole,
  insertUnlessTaken: insertRole,
  store: storeRole,
  remove: removeRole,
} = rowStore('roles', 'role');

export const { require: requirePermissionRow } = rowStore('permissions', 'permission');

export async function findPermissions(db: Database | Tx, ids: readonly Uuid[]): Promise<Map<Uuid, PermissionName>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('permissions')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name as PermissionName]));
}

/** The permissions of roles by role id; unknown roles are left out. */
export async function permissionsOfRoles(
  db: Database | Tx,
  ids: readonly Uuid[],
): Promise<Map<Uuid, { readonly name: string; readonly permissions: PermissionName[] }>> {
  const { rows } = await sql<{ id: Uuid; name: string; permissions: PermissionName[] }>`
    select role.id, role.name, array(
      select permission.name from role_permissions attached
      join permissions permission on permission.id = attached.permission_id
      where attached.role_id = role.id order by permission.name
    ) as permissions
    from roles role where role.id = any(${[...ids]}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, name, permissions }) => [id, { name, permissions }]));
}

export async function countHolders(tx: Tx, roleId: Uuid): Promise<number> {
  const { count } = await tx
    .selectFrom('admin_roles')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('role_id', '=', roleId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertRolePermissions(tx: Tx, roleId: Uuid, names: readonly PermissionName[]): Promise<void> {
  await sql`
    insert into role_permissions (role_id, permission_id)
    select ${roleId}, id from permissions where name = any(${[...names]}::text[]) order by id
    on conflict do nothing
  `.execute(tx);
}

export async function deleteRolePermissions(tx: Tx, roleId: Uuid, names: readonly PermissionName[]): Promise<void> {
  await sql`
    delete from role_permissions where role_id = ${roleId}
      and permission_id in (select id from permissions where name = any(${[...names]}::text[]))
  `.execute(tx);
}
