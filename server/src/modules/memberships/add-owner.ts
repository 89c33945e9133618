import { type MembershipLevel, rightsOfLevel } from '@foyer/contract/resources/membership.ts';
import type { Change } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { mayOpen, storeOpened } from './opened-store.ts';
import { insertMembership } from './store.ts';

/** The first user of something new. Its creation tells of it; there is no event of its own. */
export async function addOwner(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  level: MembershipLevel,
  thingId: Uuid,
  userId: Uuid,
): Promise<void> {
  const row = { id: newUuid(), thing_id: thingId, user_id: userId, owner: true, permissions: [] };
  await insertMembership(tx, level, { ...row, created_at: now, updated_at: now });
}

/**
 * One of its customer's people who opens something for its owner has all rights on it, as long as the right to open it.
 * Who reaches down from a reseller keeps to what is given there: what was given below would outlast it.
 */
export async function addOpener(
  { tx, now, actor }: Change,
  level: Exclude<MembershipLevel, 'customer'>,
  thingId: Uuid,
): Promise<void> {
  if (actor.type !== 'user' || actor.id === null || !(await mayOpen(tx, level, thingId, actor.id))) return;
  const permissions = [...rightsOfLevel[level]];
  const row = { id: newUuid(), thing_id: thingId, user_id: actor.id, owner: false, permissions };
  if (await insertMembership(tx, level, { ...row, created_at: now, updated_at: now }))
    await storeOpened(tx, level, row.id);
}
