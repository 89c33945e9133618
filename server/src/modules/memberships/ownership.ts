import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/resources/membership.ts';
import type { Change } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { findOwnership, type Place, places, storeMembership } from './store.ts';

/**
 * The former owner keeps its membership with every right of the level, one by one, so that they can be taken away.
 * Of a locked place; the membership that becomes the owner is stored by whoever calls.
 */
export async function endOwnership({ tx, now, emit }: Change, place: Place, newOwnerId: Uuid): Promise<void> {
  const former = await findOwnership(tx, place.level, place.id);
  if (!former) return;
  const permissions = [...rightsOfLevel[place.level]];
  await storeMembership(tx, place.level, former.id, { owner: false, permissions, updated_at: now });
  await emit({
    name: `${place.level}.owner_changed`,
    resource: { type: places[place.level].thing, id: place.id },
    customerId: place.customerId,
    before: { owner_id: former.user_id },
    after: { owner_id: newOwnerId },
  });
}

/** @throws 409 `owner-has-all-rights` when an owner is to have fewer */
export function refuseFewer(level: MembershipLevel, permissions: readonly Right[] | undefined): void {
  const missing = permissions && rightsOfLevel[level].filter((right) => !permissions.includes(right));
  if (!missing || missing.length === 0) return;
  const message = `An owner has every right; missing: ${missing.join(', ')}.`;
  throw conflict('owner-has-all-rights', message, { permissions: [message] });
}

/** @throws 409 `owner-required` */
export function ownerRequired() {
  return conflict('owner-required', 'This is the owner. Make someone else the owner first.');
}
