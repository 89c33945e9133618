import { type Right, rightsOfLevel } from '@foyer/contract/membership.ts';
import type { Tx } from '../../events/change.ts';
import { forbidden } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { rightsOf } from './rights.ts';
import type { Place } from './store.ts';

/** Who gives a membership, and to whom; null where nobody's own rights bound what is given. */
export type Giver = Principal | null;

/** What a membership gives that it did not give before. */
export interface Given {
  readonly userId: Uuid;
  readonly permissions: readonly Right[];
  readonly owner: boolean;
}

/**
 * Administrators hand out every right. A user hands out no right that it does not hold on the thing, none at all to
 * itself, and moves the ownership only of what it owns.
 * @throws 403 `privilege-escalation`, naming the rights
 */
export async function refuseHandingOut(tx: Tx, giver: Giver, place: Place, given: Given): Promise<void> {
  if (giver?.kind !== 'user' || (given.permissions.length === 0 && !given.owner)) return;
  if (given.userId === giver.id) throw forbidden('privilege-escalation', 'Nobody raises the own rights.');
  const held = await rightsOf(tx, giver.id, place.level, place.id);
  if (given.owner && !held?.owner) throw forbidden('privilege-escalation', 'Only the owner moves the ownership.');
  const missing = given.permissions.filter((right) => !held?.rights.has(right));
  if (missing.length > 0) {
    throw forbidden('privilege-escalation', `Nobody hands out rights without holding them: ${missing.join(', ')}.`);
  }
}

/**
 * What a user does not hold on the thing, it does not take from others either; of itself everybody may.
 * @throws 403 `privilege-escalation`, naming the rights
 */
export async function refuseTakingAway(
  tx: Tx,
  giver: Giver,
  place: Place,
  taken: { readonly userId: Uuid; readonly permissions: readonly Right[] },
): Promise<void> {
  if (giver?.kind !== 'user' || taken.permissions.length === 0 || taken.userId === giver.id) return;
  const held = await rightsOf(tx, giver.id, place.level, place.id);
  const missing = taken.permissions.filter((right) => !held?.rights.has(right));
  if (missing.length > 0) {
    throw forbidden('privilege-escalation', `Nobody takes away rights without holding them: ${missing.join(', ')}.`);
  }
}

/** Each right once, in the order of the catalogue. */
export function inOrder(level: Place['level'], permissions: readonly Right[]): Right[] {
  return rightsOfLevel[level].filter((right) => permissions.includes(right));
}
