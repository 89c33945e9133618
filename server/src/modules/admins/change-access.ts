import type { Database } from '../../database/connect.ts';
import { inTransaction, type ChangeServices, type Tx } from '../../events/change.ts';
import { type FieldFaults, forbidden, invalidInput } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { fullAdminRole, isFullAdmin, permissionsOfRoles, requireAllHeld } from '../roles/index.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { type AdminRow, findLockedAdmin, grantRoles, rolesOfAdmin, storeAdmin, withdrawRoles } from './store.ts';

export interface AccessInput {
  readonly admin_id: Uuid;
  readonly roles_ids: readonly Uuid[];
}

/** Besides the roles that the administrator has. @throws 403 for what the caller does not hold */
export function assignRoles(services: ChangeServices, actor: Actor, principal: Principal, input: AccessInput) {
  return changeAccess(services, actor, principal, input, (held, named) => [...held, ...named]);
}

/** @throws 403 for what the caller does not hold, 409 for the last who has full access */
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
  return await inTransaction(services, actor, async ({ tx, now, emit, invalidate }) => {
    const admin = await findLockedAdmin(tx, adminId);
    const faults: FieldFaults = {
      ...(admin ? {} : { admin_id: ['The selected admin id is invalid.'] }),
      ...(await unknownRoles(tx, ids)),
    };
    if (!admin || Object.keys(faults).length > 0) throw invalidInput(faults);
    const before = await rolesOfAdmin(tx, adminId);
    const held = before.map(({ id }) => id);
    const wanted = new Set(next(held, ids));
    const added = [...wanted].filter((id) => !held.includes(id));
    const removed = held.filter((id) => !wanted.has(id));
    if (added.length === 0 && removed.length === 0) return admin;
    await requireReach(tx, principal, added, 'hand out');
    const lost = await requireReach(tx, principal, removed, 'take away');
    if (lost.includes(fullAdminRole)) await refuseLastFullAdmin(tx, adminId);
    await withdrawRoles(tx, adminId, removed);
    await grantRoles(tx, adminId, added);
    const updated = await storeAdmin(tx, adminId, { updated_at: now });
    invalidate('access');
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
 * Nobody hands out, or takes from others, a role with a permission that they do not hold.
 * @returns the names of the roles @throws 403 naming what is missing
 */
export async function requireReach(
  tx: Tx,
  principal: Principal,
  ids: readonly Uuid[],
  doing: 'hand out' | 'take away',
): Promise<string[]> {
  if (ids.length === 0) return [];
  const roles = [...(await permissionsOfRoles(tx, ids)).values()];
  const names = roles.map(({ name }) => name).toSorted();
  if (names.includes(fullAdminRole) && !isFullAdmin(principal))
    throw forbidden('privilege-escalation', `Only a holder of the role ${fullAdminRole} hands it out or takes it.`);
  const permissions = new Set(roles.flatMap((role) => role.permissions));
  requireAllHeld(principal, [...permissions].toSorted(), doing);
  return names;
}

/** What is wrong with the ids of roles in a body, each by its place. */
export async function unknownRoles(db: Database | Tx, ids: readonly Uuid[]): Promise<FieldFaults> {
  if (ids.length === 0) return {};
  const known = await permissionsOfRoles(db, ids);
  const faults: FieldFaults = {};
  ids.forEach((id, index) => {
    if (!known.has(id)) faults[`roles_ids.${index}`] = ['The selected role is invalid.'];
  });
  return faults;
}
