import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requireRight } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockAccountForUse } from '../accounts/index.ts';
import { rightsOf } from '../memberships/index.ts';
import { lockRoom, requireRoom, type RoomRow, storeRoom } from './store.ts';

/**
 * Moves a room to another account of its subscription. Members, tokens, access codes, the URL and a running meeting stay.
 * @throws 422 naming `account_id` for an account of another subscription, or one that the caller cannot see; 403 if the
 * user cannot create rooms there; 409 `account-not-active`
 */
export async function transferRoom(
  dependencies: Dependencies,
  { actor, principal, params: { room_id: id }, body: { account_id: accountId } }: CallOf<'transferRoom'>,
): Promise<RoomRow> {
  if (principal?.kind === 'user') await requireCreateRoomRight(dependencies, principal.id, accountId);
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const { subscription_id: subscriptionId, account_id: currentAccountId } = await requireRoom(tx, id);
    if (currentAccountId === accountId) return await lockRoom(tx, id);
    const account = await lockAccountForUse(tx, accountId);
    if (account.subscription_id !== subscriptionId)
      throw invalidInput({ account_id: ["The account must belong to the room's subscription."] });
    const row = await lockRoom(tx, id);
    if (row.account_id === accountId) return row;
    const updated = await storeRoom(tx, id, { account_id: accountId, updated_at: now });
    await emit(rowEvent('room.transferred', { before: row, after: updated }));
    return updated;
  });
}

/** A transfer needs the same right as creating a room in the account. */
async function requireCreateRoomRight({ db }: Dependencies, userId: Uuid, accountId: Uuid): Promise<void> {
  const userRights = await rightsOf(db, userId, 'account', accountId);
  if (!userRights?.rights.has('read-account'))
    throw invalidInput({ account_id: ['The selected account id is invalid.'] });
  requireRight(userRights, 'create-room');
}
