import { newRow } from '../../database/row-store.ts';
import { dashboardPermission } from '@foyer/contract/conventions/permissions.ts';
import { inTransaction, type ChangeServices } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { forbidden, invalidInput, conflict } from '../../platform/failures.ts';
import type { Actor, CallOf, InputOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import {
  insertRolePermissions,
  countHolders,
  insertRole,
  removeRole,
  requireLockedRole,
  storeRole,
} from './role-store.ts';
import { fullAdminRole, type RoleRow } from './store.ts';

type CreateInput = InputOf<'createRole'>;

/** @throws 422 for a name that another role has */
export async function createRole(services: ChangeServices, actor: Actor, input: CreateInput): Promise<RoleRow> {
  return await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const role = await insertRole(tx, {
      ...newRow(now),
      name: input.name,
      display_name: input.display_name ?? null,
      description: input.description ?? null,
    });
    if (!role) throw invalidInput({ name: ['The name has already been taken.'] });
    await insertRolePermissions(tx, role.id, [dashboardPermission]);
    await emit(rowEvent('role.created', { after: { ...role, permissions: [dashboardPermission] } }));
    return role;
  });
}

/** @throws 403 for the default role, 404, 422 for a changed name */
export async function updateRole(
  services: ChangeServices,
  { actor, params: { role_id: id }, body: input, immutable }: CallOf<'updateRole'>,
): Promise<RoleRow> {
  return await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const role = await requireLockedRole(tx, id);
    refuseDefaultRole(role);
    refuseChanged(immutable, { ...role });
    const changes = withoutUndefined(input);
    if (Object.keys(changes).length === 0) return role;
    const updated = await storeRole(tx, id, { ...changes, updated_at: now });
    await emit(rowEvent('role.updated', { before: role, after: updated }));
    return updated;
  });
}

/** @throws 403 for the default role, 404, 409 while an administrator holds the role */
export async function deleteRole(services: ChangeServices, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(services, actor, async ({ tx, emit }) => {
    const role = await requireLockedRole(tx, id);
    refuseDefaultRole(role);
    const holderCount = await countHolders(tx, id);
    if (holderCount > 0) {
      const subject = holderCount === 1 ? '1 administrator holds' : `${holderCount} administrators hold`;
      throw conflict('role-in-use', `${subject} the role ${role.name}. Revoke it first.`);
    }
    await removeRole(tx, id);
    await emit(rowEvent('role.deleted', { before: role }));
  });
}

export function refuseDefaultRole({ name }: Pick<RoleRow, 'name'>): void {
  if (name === fullAdminRole)
    throw forbidden('default-role', `The default role ${fullAdminRole} cannot be changed or deleted.`);
}
