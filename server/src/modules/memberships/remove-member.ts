import type { MembershipLevel } from '@foyer/contract/conventions/rights.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import type { EventInput } from '../../events/event-data.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { Call } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { deleteCreatorMemberships, creatableLevels } from './creator-store.ts';
import { ownerRequired } from './ownership.ts';
import { requireRevocable } from './grant-rules.ts';
import {
  deleteMembership,
  deleteMembershipsOf,
  lockMembershipScope,
  type MembershipResource,
  type MembershipScope,
  type MembershipWithUser,
  membershipTables,
  requireMembership,
} from './store.ts';

/**
 * Removes a membership, and the creator's memberships that depend on it. Callers can only revoke rights that they hold.
 * @param id of the user or of the membership
 * @throws 409 `owner-required`, 403 `privilege-escalation`
 */
export async function removeMember(
  dependencies: Dependencies,
  { level, resourceId, id }: MembershipResource & { readonly id: Uuid },
  { actor, principal: grantor }: Pick<Call, 'actor' | 'principal'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const scope = await lockMembershipScope(change.tx, level, resourceId);
    const row = await requireMembership(change.tx, level, resourceId, id);
    if (row.owner) throw ownerRequired();
    await requireRevocable(change.tx, grantor, scope, { userId: row.user_id, permissions: row.permissions });
    await deleteMembership(change.tx, level, row.id);
    await change.emit(removalEvent(level, scope.customerId, row));
    await removeCreatorMemberships(change, row.user_id, scope);
  });
}

/** Accounts first: a membership that lets the user create rooms may itself be a creator's membership of an account. */
export async function removeCreatorMemberships(change: Change, userId: Uuid, parent: MembershipScope): Promise<void> {
  for (const level of creatableLevels) {
    const rows = await deleteCreatorMemberships(change.tx, level, userId, parent);
    await change.emitAll(rows.map((row) => removalEvent(level, parent.customerId, row)));
  }
}

export async function removeMembershipsOfUser(change: Change, userId: Uuid): Promise<void> {
  for (const level of ['customer', 'account', 'room'] as const)
    await removeMembershipsOf(change, level, 'user', userId);
}

export async function removeMembershipsOf(
  change: Change,
  level: MembershipLevel,
  referenceTo: 'user' | 'resource',
  id: Uuid,
): Promise<void> {
  const rows = await deleteMembershipsOf(change.tx, level, referenceTo, id);
  await change.emitAll(rows.map((row) => removalEvent(level, row.customer_id, row)));
}

function removalEvent(level: MembershipLevel, customerId: Uuid, row: MembershipWithUser): EventInput {
  const { key } = membershipTables[level];
  return eventAbout(`${level}_user.deleted`, row.id, { customerId, before: { ...row, [key]: row.resource_id } });
}
