import { type MembershipLevel, rightsOfLevel } from '@foyer/contract/membership.ts';
import type { Change } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identifier.ts';
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

/** A user who opens something for its owner keeps all rights on it. */
export async function addOpener({ tx, now, actor }: Change, level: MembershipLevel, thingId: Uuid): Promise<void> {
  if (actor.type !== 'user' || actor.id === null) return;
  const permissions = [...rightsOfLevel[level]];
  const row = { id: newUuid(), thing_id: thingId, user_id: actor.id, owner: false, permissions };
  await insertMembership(tx, level, { ...row, created_at: now, updated_at: now });
}
