import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { endpoints } from '@foyer/contract/index.ts';
import { type Right, rightsOfLevel } from '@foyer/contract/resources/membership.ts';
import type { Tx } from '../../events/change.ts';
import { forbidden } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { inScope, type Rights } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
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
 * Administrators grant every right. A user grants only rights that they hold on the thing and that their token's scopes
 * cover, none to themselves, and transfers the ownership only of what they own.
 * @throws 403 `privilege-escalation`, naming the rights
 */
export async function refuseHandingOut(tx: Tx, giver: Giver, place: Place, given: Given): Promise<void> {
  if (giver?.kind !== 'user' || (given.permissions.length === 0 && !given.owner)) return;
  if (given.userId === giver.id) throw forbidden('privilege-escalation', 'You cannot raise your own rights.');
  const held = await rightsOf(tx, giver.id, place.level, place.id);
  if (given.owner && !held?.owner)
    throw forbidden('privilege-escalation', 'Only the owner can transfer the ownership.');
  refuseBeyond(giver, held, 'grant', given.owner ? rightsOfLevel[place.level] : given.permissions);
}

/**
 * What a user does not hold on the thing, they do not take from others either; their own rights they can give up.
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
  refuseBeyond(giver, held, 'take away', taken.permissions);
}

function refuseBeyond(giver: Principal, held: Rights | null, verb: string, rights: readonly Right[]): void {
  const missing = rights.filter((right) => !held?.rights.has(right));
  if (missing.length > 0)
    throw forbidden('privilege-escalation', `You cannot ${verb} rights that you do not hold: ${missing.join(', ')}.`);
  const outOfScope = rights.filter((right) => !isInScope(giver, right));
  if (outOfScope.length > 0)
    throw forbidden(
      'privilege-escalation',
      `You cannot ${verb} rights that the scopes of your token do not cover: ${outOfScope.join(', ')}.`,
    );
}

/** Whether the token could use the right itself, at every endpoint that the right opens. */
function isInScope(giver: Principal, right: Right): boolean {
  if (giver.scopes.includes('*')) return true;
  // Joining is open to everybody; the right decides as what.
  if (right === 'moderate' && !inScope(giver, 'join-rooms')) return false;
  return Object.values(endpoints as Record<string, Endpoint>).every(
    ({ access }) =>
      access.kind !== 'permission' || access.members?.right !== right || inScope(giver, access.permission),
  );
}

/** Each right once, in the order of the catalogue. */
export function inOrder(level: Place['level'], permissions: readonly Right[]): Right[] {
  return rightsOfLevel[level].filter((right) => permissions.includes(right));
}
