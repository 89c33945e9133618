import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/resources/membership.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { shareUser } from '../users/index.ts';
import { endOwnership, ownerRequired, refuseFewer } from './ownership.ts';
import { removeOpened } from './remove-member.ts';
import { type Giver, inOrder, refuseHandingOut, refuseTakingAway } from './rights-handed-out.ts';
import { lockPlace, type Place, places, requireMembership, type ShownMembershipRow, storeMembership } from './store.ts';

export interface MemberChanges {
  readonly owner?: boolean;
  readonly permissions?: readonly Right[];
}

/**
 * Changes what a membership gives, or moves the ownership to it.
 * @param id the user's or the membership's own.
 * @throws 403 `privilege-escalation`; 409 `owner-required` or `owner-has-all-rights`
 */
export async function updateMember(
  dependencies: Dependencies,
  actor: Actor,
  giver: Giver,
  level: MembershipLevel,
  thingId: Uuid,
  id: Uuid,
  input: MemberChanges,
  immutable: Readonly<Record<string, unknown>>,
): Promise<ShownMembershipRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const place = await lockPlace(change.tx, level, thingId);
    const row = await requireMembership(change.tx, level, thingId, id);
    refuseChanged(immutable, { [places[level].key]: thingId, user_id: row.user_id });
    if (row.owner && input.owner === false) throw ownerRequired();
    if (row.owner || input.owner) refuseFewer(level, input.permissions);
    if (row.owner) return row;
    const permissions = inOrder(level, input.permissions ?? row.permissions);
    const owner = input.owner === true;
    const given = permissions.filter((right) => !row.permissions.includes(right));
    await refuseHandingOut(change.tx, giver, place, { userId: row.user_id, owner, permissions: given });
    const taken = row.permissions.filter((right) => !permissions.includes(right));
    await refuseTakingAway(change.tx, giver, place, { userId: row.user_id, permissions: owner ? [] : taken });
    await store(change, place, row, { owner, permissions: owner ? [...rightsOfLevel[level]] : permissions });
    if (taken.length > 0 && !owner) await removeOpened(change, row.user_id, place);
    return await requireMembership(change.tx, level, thingId, row.id);
  });
}

async function store(
  change: Change,
  place: Place,
  before: ShownMembershipRow,
  after: { readonly owner: boolean; readonly permissions: Right[] },
): Promise<void> {
  const { tx, now, emit } = change;
  if (after.owner) {
    // A user that is being deleted becomes the owner of nothing.
    if (!(await shareUser(tx, before.user_id))) throw notFound('The user was not found.');
    await endOwnership(change, place, before.user_id);
  }
  await storeMembership(tx, place.level, before.id, { ...after, updated_at: now });
  await emit({
    name: `${place.level}.user_updated`,
    resource: { type: places[place.level].object, id: before.id },
    customerId: place.customerId,
    before: { owner: before.owner, permissions: before.permissions },
    after: { owner: after.owner, permissions: after.permissions },
  });
}
