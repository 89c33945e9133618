import { type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { notFound } from '../../platform/failures.ts';
import type { Call, InputOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { lockUserForKeyShare } from '../users/index.ts';
import { endOwnership, ownerRequired, refuseReducedOwner } from './ownership.ts';
import { removeCreatorMemberships } from './remove-member.ts';
import { sortRights, requireGrantable, requireRevocable } from './grant-rules.ts';
import {
  lockMembershipScope,
  type MembershipResource,
  type MembershipScope,
  membershipTables,
  requireMembership,
  type MembershipWithUser,
  storeMembership,
} from './store.ts';

export type MemberChanges = InputOf<'updateCustomerUser'>;

/**
 * Changes the rights of a membership, or makes its user the owner.
 * @param id of the user or of the membership
 * @throws 403 `privilege-escalation`; 409 `owner-required` or `owner-has-all-rights`
 */
export async function updateMember(
  dependencies: Dependencies,
  { level, resourceId, id }: MembershipResource & { readonly id: Uuid },
  { actor, principal: grantor, immutable }: Pick<Call, 'actor' | 'principal' | 'immutable'>,
  input: MemberChanges,
): Promise<MembershipWithUser> {
  return await inTransaction(dependencies, actor, async (change) => {
    const scope = await lockMembershipScope(change.tx, level, resourceId);
    const row = await requireMembership(change.tx, level, resourceId, id);
    refuseChanged(immutable, { [membershipTables[level].key]: resourceId, user_id: row.user_id });
    if (row.owner && input.owner === false) throw ownerRequired();
    if (row.owner || input.owner) refuseReducedOwner(level, input.permissions);
    if (row.owner) return row;
    const permissions = sortRights(level, input.permissions ?? row.permissions);
    const owner = input.owner === true;
    const added = permissions.filter((right) => !row.permissions.includes(right));
    await requireGrantable(change.tx, grantor, scope, { userId: row.user_id, owner, permissions: added });
    const removed = row.permissions.filter((right) => !permissions.includes(right));
    await requireRevocable(change.tx, grantor, scope, { userId: row.user_id, permissions: owner ? [] : removed });
    await store(change, scope, row, { owner, permissions: owner ? [...rightsOfLevel[level]] : permissions });
    if (removed.length > 0 && !owner) await removeCreatorMemberships(change, row.user_id, scope);
    return await requireMembership(change.tx, level, resourceId, row.id);
  });
}

async function store(
  change: Change,
  scope: MembershipScope,
  before: MembershipWithUser,
  after: { readonly owner: boolean; readonly permissions: Right[] },
): Promise<void> {
  const { tx, now, emit } = change;
  if (after.owner) {
    // A user that is being deleted cannot become the owner.
    if (!(await lockUserForKeyShare(tx, before.user_id))) throw notFound('The user was not found.');
    await endOwnership(change, scope, before.user_id);
  }
  await storeMembership(tx, scope.level, before.id, { ...after, updated_at: now });
  await emit(
    eventAbout(`${scope.level}_user.updated`, before.id, {
      customerId: scope.customerId,
      before: { owner: before.owner, permissions: before.permissions },
      after: { owner: after.owner, permissions: after.permissions },
    }),
  );
}
