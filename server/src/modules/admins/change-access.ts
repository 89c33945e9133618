import type { Database } from '../../database/connect.ts';
import { inTransaction, type ChangeServices, type Tx } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { type FieldFaults, forbidden, invalidInput } from '../../platform/failures.ts';
import type { CallOf, Principal } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import { fullAdminRole, isFullAdmin, permissionsOfRoles, requireAllHeld } from '../roles/index.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { type AdminRow, findAndLockAdmin, grantRoles, rolesOfAdmin, removeRoles, storeAdmin } from './store.ts';

/** Computes the roles after a change from the current and the requested ones. */
type ComputeRoles = (current: readonly Uuid[], requested: readonly Uuid[]) => readonly Uuid[];

export const assignRoles: ComputeRoles = (current, requested) => [...current, ...requested];
export const revokeRoles: ComputeRoles = (current, requested) => current.filter((id) => !requested.includes(id));
export const syncRoles: ComputeRoles = (_current, requested) => requested;

/** @throws 403 for permissions that the caller does not hold; 409 if the last full administrator would lose its role */
export async function changeAccess(
  services: ChangeServices,
  { actor, principal: caller, body: { admin_id: adminId, roles_ids: roleIds } }: CallOf<'assignRoles'>,
  computeRoles: ComputeRoles,
): Promise<AdminRow> {
  const principal = requirePrincipal(caller);
  return await inTransaction(services, actor, async ({ tx, now, emit, invalidate }) => {
    const admin = await findAndLockAdmin(tx, adminId);
    const faults: FieldFaults = {
      ...(admin ? {} : { admin_id: ['The selected admin id is invalid.'] }),
      ...(await unknownRoleFaults(tx, roleIds)),
    };
    if (!admin || Object.keys(faults).length > 0) throw invalidInput(faults);
    const before = await rolesOfAdmin(tx, adminId);
    const currentIds = idsOf(before);
    const nextIds = new Set(computeRoles(currentIds, roleIds));
    const added = [...nextIds].filter((id) => !currentIds.includes(id));
    const removed = currentIds.filter((id) => !nextIds.has(id));
    if (added.length === 0 && removed.length === 0) return admin;
    await requireGrantableRoles(tx, principal, added, 'grant');
    const revoked = await requireGrantableRoles(tx, principal, removed, 'revoke');
    if (revoked.includes(fullAdminRole)) await refuseLastFullAdmin(tx, adminId);
    await removeRoles(tx, adminId, removed);
    await grantRoles(tx, adminId, added);
    const updated = await storeAdmin(tx, adminId, { updated_at: now });
    invalidate('access');
    const after = await rolesOfAdmin(tx, adminId);
    await emit(
      eventAbout('admin.roles_changed', adminId, {
        before: { roles: before.map(({ name }) => name) },
        after: { roles: after.map(({ name }) => name) },
      }),
    );
    return updated;
  });
}

/**
 * Administrators can only grant and revoke roles whose permissions they hold.
 * @returns the names of the roles
 * @throws 403 naming the missing permissions
 */
export async function requireGrantableRoles(
  tx: Tx,
  principal: Principal,
  ids: readonly Uuid[],
  action: 'grant' | 'revoke',
): Promise<string[]> {
  if (ids.length === 0) return [];
  const roles = [...(await permissionsOfRoles(tx, ids)).values()];
  const names = roles.map(({ name }) => name).toSorted();
  if (names.includes(fullAdminRole) && !isFullAdmin(principal))
    throw forbidden('privilege-escalation', `Only a holder of the role ${fullAdminRole} can ${action} it.`);
  const permissions = new Set(roles.flatMap((role) => role.permissions));
  requireAllHeld(principal, [...permissions].toSorted(), action);
  return names;
}

/** A field error for each unknown role id, with its index in the body. */
export async function unknownRoleFaults(db: Database | Tx, ids: readonly Uuid[]): Promise<FieldFaults> {
  if (ids.length === 0) return {};
  const existingRoles = await permissionsOfRoles(db, ids);
  const faults: FieldFaults = {};
  ids.forEach((id, index) => {
    if (!existingRoles.has(id)) faults[`roles_ids.${index}`] = ['The selected role is invalid.'];
  });
  return faults;
}
