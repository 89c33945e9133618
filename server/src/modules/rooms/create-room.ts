import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import { type AccountRow, lockAccountForUse } from '../accounts/index.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import { addCreator, addOwner, findOwnerId } from '../memberships/index.ts';
import { consumeWithinLimit, lockSubscriptionForUse } from '../subscriptions/index.ts';
import { refuseLongTexts } from './meeting-texts.ts';
import { readRoomValues, slugOf } from './room-values.ts';
import { insertRoom, type RoomRow } from './store.ts';

type Input = InputOf<'createRoom'>;

/**
 * Creates a room in an account. Customer, subscription and type come from the account. Counts against `max_rooms`.
 * @throws 422 if the input contradicts the account or the limit is reached; 409 if the account, customer or subscription
 * is not usable.
 */
export async function createRoom(dependencies: Dependencies, actor: Actor, input: Input): Promise<RoomRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const account = await lockAccountForUse(tx, input.account_id);
    refuseContradictions(input, account);
    await lockCustomerForUse(tx, account.subscriber_id, 'account_id');
    const subscription = await lockSubscriptionForUse(change, account.subscription_id);
    const roomType = subscription.service_type;
    if (input.room_type !== undefined && input.room_type !== roomType) {
      throw invalidInput({ room_type: [`The room type must be that of the subscription: ${roomType}.`] });
    }
    const values = readRoomValues(input, roomType);
    const room = await insertRoom(tx, {
      ...newRow(now),
      customer_id: account.subscriber_id,
      account_id: account.id,
      subscription_id: account.subscription_id,
      room_name: input.room_name,
      status: input.status ?? 'active',
      is_public: input.is_public ?? false,
      room_type: roomType,
      slug: values.slug ?? slugOf(input.room_name),
      room_features: JSON.stringify(values.room_features ?? {}),
      room_settings: JSON.stringify(values.room_settings ?? {}),
      room_metadata: JSON.stringify(input.room_metadata ?? {}),
    });
    await refuseLongTexts(dependencies, tx, room, null);
    const owned = { id: room.id, customerId: account.subscriber_id };
    await addOwner(change, 'room', owned, await findOwnerId(tx, 'customer', account.subscriber_id));
    await addCreator(change, 'room', owned);
    await emit(rowEvent('room.created', { after: room }));
    // Last, because all rooms of the subscription contend for the lock of this usage row.
    await consumeWithinLimit(change, account.subscription_id, 'max_rooms');
    return room;
  });
}

function refuseContradictions(input: Input, account: AccountRow): void {
  const faults: FieldFaults = {};
  if (input.customer_id !== undefined && input.customer_id !== account.subscriber_id) {
    faults['customer_id'] = ["The customer must be the account's customer."];
  }
  if (input.subscription_id !== undefined && input.subscription_id !== account.subscription_id) {
    faults['subscription_id'] = ["The subscription must be the account's subscription."];
  }
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}
