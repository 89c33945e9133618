import { permissions } from '@foyer/contract/conventions/permissions.ts';
import type { Selectable } from 'kysely';
import type { Permissions, Roles } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';

export type RoleRow = Selectable<Roles>;
export type PermissionRow = Selectable<Permissions>;

/** The default role. It passes every permission check and cannot be changed. */
export const fullAdminRole = 'admin';

/** Stores the declared permissions. Existing ones keep their ids. */
export async function storePermissions(tx: Tx, now: string): Promise<void> {
  await tx
    .insertInto('permissions')
    .values(
      permissions.toSorted(byName).map((permission) => ({
        id: newUuid(),
        name: permission.name,
        display_name: permission.displayName,
        description: permission.description,
        created_at: now,
        updated_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((row) => ({
          display_name: row.ref('excluded.display_name'),
          description: row.ref('excluded.description'),
          updated_at: row.ref('excluded.updated_at'),
        }))
        .where((row) => row('permissions.description', '!=', row.ref('excluded.description'))),
    )
    .execute();
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** Creates the default role if it is missing and grants it every permission. @returns its id */
export async function storeDefaultRole(tx: Tx, now: string): Promise<Uuid> {
  await tx
    .insertInto('roles')
    .values({
      id: newUuid(),
      name: fullAdminRole,
      display_name: 'Administrator',
      description: 'Full access. Cannot be changed or deleted.',
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { id } = await tx.selectFrom('roles').select('id').where('name', '=', fullAdminRole).executeTakeFirstOrThrow();
  await tx
    .insertInto('role_permissions')
    .columns(['role_id', 'permission_id'])
    .expression((from) =>
      from
        .selectFrom('permissions')
        .select((row) => [row.val(id).as('role_id'), 'id as permission_id'])
        .orderBy('id'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return id;
}
