import { dashboardPermission, type PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { inTransaction, type ChangeServices } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseDefaultRole } from './change-roles.ts';
import { requireAllHeld } from './escalation.ts';
import {
  insertRolePermissions,
  deleteRolePermissions,
  findPermissions,
  lockRole,
  permissionsOfRoles,
  storeRole,
} from './role-store.ts';
import type { RoleRow } from './store.ts';

/** Computes the permissions after a change from the current and the requested ones. */
type ComputePermissions = (
  current: ReadonlySet<PermissionName>,
  requested: readonly PermissionName[],
) => ReadonlySet<PermissionName>;

export const attachPermissions: ComputePermissions = (current, requested) => new Set([...current, ...requested]);

/** @throws 422 for `access-dashboard` */
export const detachPermissions: ComputePermissions = (current, requested) => {
  const index = requested.indexOf(dashboardPermission);
  if (index >= 0)
    throw invalidInput({ [`permissions_ids.${index}`]: [`Every role keeps the permission ${dashboardPermission}.`] });
  return new Set([...current].filter((name) => !requested.includes(name)));
};

export const syncPermissions: ComputePermissions = (_current, requested) =>
  new Set([dashboardPermission, ...requested]);

/** @throws 403 for permissions that the caller does not hold */
export async function changePermissions(
  services: ChangeServices,
  { actor, principal: caller, body: { role_id: roleId, permissions_ids: permissionIds } }: CallOf<'attachPermissions'>,
  computePermissions: ComputePermissions,
): Promise<RoleRow> {
  const principal = requirePrincipal(caller);
  return await inTransaction(services, actor, async ({ tx, now, emit, invalidate }) => {
    const role = await lockRole(tx, roleId);
    const namesById = await findPermissions(tx, permissionIds);
    const faults = faultsOf(role, permissionIds, namesById);
    if (!role || Object.keys(faults).length > 0) throw invalidInput(faults);
    refuseDefaultRole(role);
    const currentNames = new Set((await permissionsOfRoles(tx, [roleId])).get(roleId)?.permissions);
    const nextNames = computePermissions(
      currentNames,
      permissionIds.flatMap((id) => namesById.get(id) ?? []),
    );
    const added = [...nextNames].filter((name) => !currentNames.has(name));
    const removed = [...currentNames].filter((name) => !nextNames.has(name));
    requireAllHeld(principal, added, 'grant');
    requireAllHeld(principal, removed, 'revoke');
    if (added.length === 0 && removed.length === 0) return role;
    await deleteRolePermissions(tx, roleId, removed);
    await insertRolePermissions(tx, roleId, added);
    const updated = await storeRole(tx, roleId, { updated_at: now });
    invalidate('access');
    await emit(
      eventAbout('role.permissions_changed', roleId, {
        before: { permissions: [...currentNames].toSorted() },
        after: { permissions: [...nextNames].toSorted() },
      }),
    );
    return updated;
  });
}

function faultsOf(
  role: RoleRow | undefined,
  ids: readonly Uuid[],
  namesById: ReadonlyMap<Uuid, PermissionName>,
): FieldFaults {
  const faults: FieldFaults = role ? {} : { role_id: ['The selected role id is invalid.'] };
  ids.forEach((id, index) => {
    if (!namesById.has(id)) faults[`permissions_ids.${index}`] = ['The selected permission is invalid.'];
  });
  return faults;
}
