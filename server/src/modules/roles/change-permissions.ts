import { dashboardPermission, type PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { inTransaction, type ChangeServices } from '../../events/change.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseDefaultRole } from './change-roles.ts';
import { requireAllHeld } from './escalation.ts';
import { attach, detach, findPermissions, lockRole, permissionsOfRoles, storeRole } from './role-store.ts';
import type { RoleRow } from './store.ts';

export interface PermissionsInput {
  readonly role_id: Uuid;
  readonly permissions_ids: readonly Uuid[];
}

/** Adds permissions to a role. @throws 403 for permissions that the caller does not hold */
export function attachPermissions(
  services: ChangeServices,
  actor: Actor,
  principal: Principal,
  input: PermissionsInput,
): Promise<RoleRow> {
  return changePermissions(services, { actor, principal }, input, (current, named) => new Set([...current, ...named]));
}

/** @throws 422 for `access-dashboard`; 403 for permissions that the caller does not hold */
export function detachPermissions(
  services: ChangeServices,
  actor: Actor,
  principal: Principal,
  input: PermissionsInput,
): Promise<RoleRow> {
  return changePermissions(services, { actor, principal }, input, (current, named) => {
    const index = named.indexOf(dashboardPermission);
    if (index >= 0)
      throw invalidInput({ [`permissions_ids.${index}`]: [`Every role keeps the permission ${dashboardPermission}.`] });
    return new Set([...current].filter((name) => !named.includes(name)));
  });
}

/** Replaces the permissions of a role; `access-dashboard` stays. @throws 403 for a change that the caller does not hold */
export function syncPermissions(
  services: ChangeServices,
  actor: Actor,
  principal: Principal,
  input: PermissionsInput,
): Promise<RoleRow> {
  return changePermissions(
    services,
    { actor, principal },
    input,
    (_held, named) => new Set([dashboardPermission, ...named]),
  );
}

async function changePermissions(
  services: ChangeServices,
  { actor, principal }: { readonly actor: Actor; readonly principal: Principal },
  { role_id: roleId, permissions_ids: ids }: PermissionsInput,
  next: (current: ReadonlySet<PermissionName>, named: readonly PermissionName[]) => ReadonlySet<PermissionName>,
): Promise<RoleRow> {
  return await inTransaction(services, actor, async ({ tx, now, emit, invalidate }) => {
    const role = await lockRole(tx, roleId);
    const named = await findPermissions(tx, ids);
    const faults = faultsOf(role, ids, named);
    if (!role || Object.keys(faults).length > 0) throw invalidInput(faults);
    refuseDefaultRole(role);
    const currentNames = new Set((await permissionsOfRoles(tx, [roleId])).get(roleId)?.permissions);
    const wanted = next(
      currentNames,
      ids.flatMap((id) => named.get(id) ?? []),
    );
    const added = [...wanted].filter((name) => !currentNames.has(name));
    const removed = [...currentNames].filter((name) => !wanted.has(name));
    requireAllHeld(principal, added, 'grant');
    requireAllHeld(principal, removed, 'revoke');
    if (added.length === 0 && removed.length === 0) return role;
    await detach(tx, roleId, removed);
    await attach(tx, roleId, added);
    const updated = await storeRole(tx, roleId, { updated_at: now });
    invalidate('access');
    await emit({
      name: 'role.permissions_changed',
      resource: { type: 'Role', id: roleId },
      before: { permissions: [...currentNames].toSorted() },
      after: { permissions: [...wanted].toSorted() },
    });
    return updated;
  });
}

function faultsOf(
  role: RoleRow | undefined,
  ids: readonly Uuid[],
  known: ReadonlyMap<Uuid, PermissionName>,
): FieldFaults {
  const faults: FieldFaults = role ? {} : { role_id: ['The selected role id is invalid.'] };
  ids.forEach((id, index) => {
    if (!known.has(id)) faults[`permissions_ids.${index}`] = ['The selected permission is invalid.'];
  });
  return faults;
}
