import { newRow } from '../../database/row-store.ts';
import { permissions } from '@foyer/contract/conventions/permissions.ts';
import { type Selectable, sql } from 'kysely';
import type { Permissions, Roles } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type RoleRow = Selectable<Roles>;
export type PermissionRow = Selectable<Permissions>;

/** The default role. It passes every permission check and cannot be changed. */
export const fullAdminRole = 'admin';

/** Stores the declared permissions. Existing ones keep their ids. */
export async function storePermissions(tx: Tx, now: string): Promise<void> {
  await tx
    .insertInto('permissions')
    .values(
      permissions
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map((permission) => ({
          ...newRow(now),
          name: permission.name,
          display_name: permission.displayName,
          description: permission.description,
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

/** Creates the default role if it is missing and grants it every permission. @returns its id */
export async function storeDefaultRole(tx: Tx, now: string): Promise<Uuid> {
  await tx
    .insertInto('roles')
    .values({
      ...newRow(now),
      name: fullAdminRole,
      display_name: 'Administrator',
      description: 'Full access. Cannot be changed or deleted.',
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { id } = await tx.selectFrom('roles').select('id').where('name', '=', fullAdminRole).executeTakeFirstOrThrow();
  await sql`
    insert into role_permissions (role_id, permission_id) select ${id}, id from permissions order by id
    on conflict do nothing
  `.execute(tx);
  return id;
}
