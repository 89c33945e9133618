import { change, type ChangeServices } from '../../events/change.ts';
import type { Tx } from '../../events/change.ts';
import { type FieldFaults, forbidden, invalidInput } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { fullAdminRole, isFullAdmin, permissionsOfRoles, requireAllHeld } from '../roles/index.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { type AdminRow, findAdmin, grantRoles, lockAdmin, rolesOfAdmin, touchAdmin, withdrawRoles } from './store.ts';

export interface AccessInput {
  readonly admin_id: Uuid;
  readonly roles_ids: readonly Uuid[];
}

/** Besides the roles that the administrator has. @throws 403 for what the caller does not hold */
export function assignRoles(services: ChangeServices, actor: Actor, principal: Principal, input: AccessInput) {
  return changeAccess(services, actor, principal, input, (held, named) => [...held, ...named]);
}

/** @throws 403 for full access without having it, 409 for the last who has it */
export function revokeRoles(services: ChangeServices, actor: Actor, principal: Principal, input: AccessInput) {
  return changeAccess(services, actor, principal, input, (held, named) => held.filter((id) => !named.includes(id)));
}

/** Exactly these. @throws as the two above do, for what is added and what is taken */
export function syncRoles(services: ChangeServices, actor: Actor, principal: Principal, input: AccessInput) {
  return changeAccess(services, actor, principal, input, (_held, named) => named);
}

async function changeAccess(
  services: ChangeServices,
  actor: Actor,
  principal: Principal,
  { admin_id: adminId, roles_ids: ids }: AccessInput,
  next: (held: readonly Uuid[], named: readonly Uuid[]) => readonly Uuid[],
): Promise<AdminRow> {
  return await change(services, actor, async ({ tx, now, emit, announce }) => {
    if (!(await findAdmin(tx, adminId))) throw invalidInput({ admin_id: ['The selected admin id is invalid.'] });
    await requireKnownRoles(tx, ids);
    const admin = await lockAdmin(tx, adminId);
    const before = await rolesOfAdmin(tx, adminId);
    const held = before.map(({ id }) => id);
    const wanted = new Set(next(held, ids));
    const added = [...wanted].filter((id) => !held.includes(id));
    const removed = before.filter(({ id }) => !wanted.has(id));
    await requireGrantable(tx, principal, added);
    if (removed.some(({ name }) => name === fullAdminRole)) {
      if (!isFullAdmin(principal)) throw onlyFullAdmins();
      await refuseLastFullAdmin(tx, adminId);
    }
    if (added.length === 0 && removed.length === 0) return admin;
    await withdrawRoles(
      tx,
      adminId,
      removed.map(({ id }) => id),
    );
    await grantRoles(tx, adminId, added);
    const updated = await touchAdmin(tx, adminId, now);
    announce('access');
    const after = await rolesOfAdmin(tx, adminId);
    await emit({
      name: 'admin.roles_changed',
      resource: { type: 'Admin', id: adminId },
      before: { roles: before.map(({ name }) => name) },
      after: { roles: after.map(({ name }) => name) },
    });
    return updated;
  });
}

/**
 * Nobody hands out a role with a permission that they do not hold.
 * @returns the names of the roles @throws 422 for unknown ones, 403
 */
export async function requireGrantable(tx: Tx, principal: Principal, ids: readonly Uuid[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const roles = await requireKnownRoles(tx, ids);
  for (const { name, permissions } of roles.values()) {
    if (name === fullAdminRole && !isFullAdmin(principal)) throw onlyFullAdmins();
    requireAllHeld(principal, permissions);
  }
  return [...roles.values()].map(({ name }) => name).toSorted();
}

async function requireKnownRoles(tx: Tx, ids: readonly Uuid[]) {
  const roles = await permissionsOfRoles(tx, ids);
  const faults: FieldFaults = {};
  ids.forEach((id, index) => {
    if (!roles.has(id)) faults[`roles_ids.${index}`] = ['The selected role is invalid.'];
  });
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  return roles;
}

function onlyFullAdmins() {
  return forbidden('privilege-escalation', `Only a holder of the role ${fullAdminRole} hands it out or takes it.`);
}
