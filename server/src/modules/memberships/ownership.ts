import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import type { Change } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { findOwnership, type MembershipScope, storeMembership } from './store.ts';

/**
 * Ends the ownership of the current owner, who keeps a membership with every right of the level; these rights can then be
 * revoked one by one. The caller locks the scope and stores the new owner's membership.
 */
export async function endOwnership({ tx, now, emit }: Change, scope: MembershipScope, newOwnerId: Uuid): Promise<void> {
  const former = await findOwnership(tx, scope.level, scope.id);
  if (!former) return;
  const permissions = [...rightsOfLevel[scope.level]];
  await storeMembership(tx, scope.level, former.id, { owner: false, permissions, updated_at: now });
  await emit(
    eventAbout(`${scope.level}.owner_changed`, scope.id, {
      customerId: scope.customerId,
      before: { owner_id: former.user_id },
      after: { owner_id: newOwnerId },
    }),
  );
}

/** @throws 409 `owner-has-all-rights` if a right is missing */
export function refuseReducedOwner(level: MembershipLevel, permissions: readonly Right[] | undefined): void {
  const missing = permissions && rightsOfLevel[level].filter((right) => !permissions.includes(right));
  if (!missing || missing.length === 0) return;
  const message = `An owner has every right; missing: ${missing.join(', ')}.`;
  throw conflict('owner-has-all-rights', message, { permissions: [message] });
}

/** @throws 409 `owner-required` */
export function ownerRequired() {
  return conflict('owner-required', 'This is the owner. Make someone else the owner first.');
}
