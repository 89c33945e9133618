import { type MembershipLevel, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import type { Change } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { canCreate, markAsCreator } from './creator-store.ts';
import { insertMembership, type MembershipRow, type MembershipScope, membershipTables } from './store.ts';

/** A customer, account or room of the customer. */
interface OwnedResource {
  readonly id: Uuid;
  readonly customerId: Uuid;
}

export async function addOwner(
  change: Change,
  level: MembershipLevel,
  { id: resourceId, customerId }: OwnedResource,
  userId: Uuid,
): Promise<void> {
  const { tx, now } = change;
  const row = { id: newUuid(), resource_id: resourceId, user_id: userId, owner: true, permissions: [] };
  const membership: MembershipRow = { ...row, created_at: now, updated_at: now };
  await insertMembership(tx, level, membership);
  await emitMembershipCreated(change, { level, customerId }, membership);
}

/**
 * A member who creates an account or room gets all rights on it, until they lose the right to create such resources.
 * Users of a parent reseller get no membership, because it would outlast their rights there.
 */
export async function addCreator(
  change: Change,
  level: Exclude<MembershipLevel, 'customer'>,
  { id: resourceId, customerId }: OwnedResource,
): Promise<void> {
  const { tx, now, actor } = change;
  if (actor.type !== 'user' || actor.id === null || !(await canCreate(tx, level, resourceId, actor.id))) return;
  const permissions = [...rightsOfLevel[level]];
  const row = { id: newUuid(), resource_id: resourceId, user_id: actor.id, owner: false, permissions };
  const membership: MembershipRow = { ...row, created_at: now, updated_at: now };
  if (!(await insertMembership(tx, level, membership))) return;
  await markAsCreator(tx, level, row.id);
  await emitMembershipCreated(change, { level, customerId }, membership);
}

export async function emitMembershipCreated(
  { emit }: Change,
  { level, customerId }: Pick<MembershipScope, 'level' | 'customerId'>,
  { id, resource_id: resourceId, user_id, owner, permissions }: MembershipRow,
): Promise<void> {
  const { key } = membershipTables[level];
  await emit(
    eventAbout(`${level}_user.created`, id, {
      customerId,
      after: { id, [key]: resourceId, user_id, owner, permissions },
    }),
  );
}
