import type { MembershipLevel } from '@foyer/contract/resources/membership.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import type { EventInput } from '../../events/insert-events.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { deleteOpened, openable } from './opened-store.ts';
import { ownerRequired } from './ownership.ts';
import { type Giver, refuseTakingAway } from './rights-handed-out.ts';
import {
  deleteMembership,
  deleteMembershipsOfUser,
  lockPlace,
  type MembershipRow,
  type Place,
  places,
  requireMembership,
} from './store.ts';

/**
 * What the user got by opening goes too, where nothing else lets the user open such things.
 * @param giver whose own rights bound what is taken.
 * @param id the user's or the membership's own. @throws 409 `owner-required`, 403 `privilege-escalation`
 */
export async function removeMember(
  dependencies: Dependencies,
  actor: Actor,
  giver: Giver,
  level: MembershipLevel,
  thingId: Uuid,
  id: Uuid,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const place = await lockPlace(change.tx, level, thingId);
    const row = await requireMembership(change.tx, level, thingId, id);
    if (row.owner) throw ownerRequired();
    await refuseTakingAway(change.tx, giver, place, { userId: row.user_id, permissions: row.permissions });
    await deleteMembership(change.tx, level, row.id);
    await change.emit(removed(level, place.customerId, row));
    await removeOpened(change, row.user_id, place);
  });
}

/**
 * What the user got by opening, where nothing lets the user open such things any more. Accounts first: what let somebody open a room may have
 * come by opening its account.
 */
export async function removeOpened(change: Change, userId: Uuid, from: Place): Promise<void> {
  for (const level of openable) {
    const opened = await deleteOpened(change.tx, level, userId, from);
    await change.emitAll(opened.map((row) => removed(level, from.customerId, row)));
  }
}

/** The memberships of a user who is being deleted, and who owns nothing. */
export async function removeMembershipsOfUser(
  change: Change,
  { userId }: ReactionSubjects['user.deleting'],
): Promise<void> {
  for (const level of ['customer', 'account', 'room'] as const) {
    const rows = await deleteMembershipsOfUser(change.tx, level, userId);
    await change.emitAll(rows.map((row) => removed(level, row.customer_id, row)));
  }
}

function removed(level: MembershipLevel, customerId: Uuid, row: MembershipRow): EventInput {
  const { object, key } = places[level];
  return {
    name: `${level}.user_removed`,
    resource: { type: object, id: row.id },
    customerId,
    before: {
      id: row.id,
      [key]: row.thing_id,
      user_id: row.user_id,
      owner: row.owner,
      permissions: row.permissions,
    },
  };
}
