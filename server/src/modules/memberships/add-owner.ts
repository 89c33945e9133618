import { type MembershipLevel, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import type { Change } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { canCreate, markAsCreator } from './creator-store.ts';
import { insertMembership } from './store.ts';

/** Emits no event: the owner is part of the resource's creation event. */
export async function addOwner(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  level: MembershipLevel,
  resourceId: Uuid,
  userId: Uuid,
): Promise<void> {
  const row = { id: newUuid(), resource_id: resourceId, user_id: userId, owner: true, permissions: [] };
  await insertMembership(tx, level, { ...row, created_at: now, updated_at: now });
}

/**
 * A member who creates an account or room gets all rights on it, until they lose the right to create such resources.
 * Users of a parent reseller get no membership, because it would outlast their rights there.
 */
export async function addCreator(
  { tx, now, actor }: Change,
  level: Exclude<MembershipLevel, 'customer'>,
  resourceId: Uuid,
): Promise<void> {
  if (actor.type !== 'user' || actor.id === null || !(await canCreate(tx, level, resourceId, actor.id))) return;
  const permissions = [...rightsOfLevel[level]];
  const row = { id: newUuid(), resource_id: resourceId, user_id: actor.id, owner: false, permissions };
  if (await insertMembership(tx, level, { ...row, created_at: now, updated_at: now }))
    await markAsCreator(tx, level, row.id);
}
