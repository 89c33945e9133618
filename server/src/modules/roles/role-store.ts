import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Roles } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { PermissionRow, RoleRow } from './store.ts';

/** @throws 404 */
export async function requireRole(db: Database | Tx, id: Uuid): Promise<RoleRow> {
  const row = await db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The role was not found.');
  return row;
}

/** Locks the role against changes of its permissions and holders. */
export async function lockRole(tx: Tx, id: Uuid): Promise<RoleRow | undefined> {
  return await tx.selectFrom('roles').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Like `lockRole`. @throws 404 */
export async function requireLockedRole(tx: Tx, id: Uuid): Promise<RoleRow> {
  const row = await lockRole(tx, id);
  if (!row) throw notFound('The role was not found.');
  return row;
}

/** @throws 404 */
export async function requirePermissionRow(db: Database | Tx, id: Uuid): Promise<PermissionRow> {
  const row = await db.selectFrom('permissions').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The permission was not found.');
  return row;
}

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
      select permission.name from role_permissions held join permissions permission on permission.id = held.permission_id
      where held.role_id = role.id order by permission.name
    ) as permissions
    from roles role where role.id = any(${[...ids]}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, name, permissions }) => [id, { name, permissions }]));
}

/** Null if the name is taken. */
export async function insertRole(tx: Tx, row: Insertable<Roles>): Promise<RoleRow | null> {
  const inserted = await tx
    .insertInto('roles')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

export async function storeRole(tx: Tx, id: Uuid, changes: Updateable<Roles>): Promise<RoleRow> {
  return await tx.updateTable('roles').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function removeRole(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('roles').where('id', '=', id).execute();
}

export async function countHolders(tx: Tx, roleId: Uuid): Promise<number> {
  const { count } = await tx
    .selectFrom('admin_roles')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('role_id', '=', roleId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function attach(tx: Tx, roleId: Uuid, names: readonly PermissionName[]): Promise<void> {
  if (names.length === 0) return;
  await tx
    .insertInto('role_permissions')
    .columns(['role_id', 'permission_id'])
    .expression((from) =>
      from
        .selectFrom('permissions')
        .select((row) => [row.val(roleId).as('role_id'), 'id as permission_id'])
        .where('name', 'in', [...names])
        .orderBy('id'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function detach(tx: Tx, roleId: Uuid, names: readonly PermissionName[]): Promise<void> {
  if (names.length === 0) return;
  await tx
    .deleteFrom('role_permissions')
    .where('role_id', '=', roleId)
    .where('permission_id', 'in', (from) =>
      from
        .selectFrom('permissions')
        .select('id')
        .where('name', 'in', [...names]),
    )
    .execute();
}
