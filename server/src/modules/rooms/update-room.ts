import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, type Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { changedColumns, refuseChanged } from '../../platform/immutable.ts';
import { lockCustomerForShare } from '../customers/index.ts';
import { refuseLongTexts } from './meeting-texts.ts';
import { roomUrl } from './room-url.ts';
import { readRoomValues } from './room-values.ts';
import { lockRoom, requireRoom, type RoomRow, storeRoom } from './store.ts';

/** @throws 409 `customer-not-active` if the room is to be activated and its customer is terminated. */
export async function updateRoom(
  dependencies: Dependencies,
  { actor, params: { room_id: id }, body: input, immutable }: CallOf<'updateRoom'>,
): Promise<RoomRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    if (input.status === 'active') await refuseIfCustomerTerminated(tx, id);
    const row = await lockRoom(tx, id);
    refuseChanged(immutable, { ...row, url: roomUrl(dependencies.publicUrl(), row) });
    const values = readRoomValues(input, row.room_type);
    const updated = await storeRoom(tx, id, {
      ...changedColumns({ ...input, ...values }, { room_features: {}, room_settings: {}, room_metadata: {} }),
      updated_at: now,
    });
    if (input.room_name !== undefined || values.room_settings !== undefined)
      await refuseLongTexts(dependencies, tx, updated, row);
    await emit(rowEvent('room.updated', { before: row, after: updated }));
    return updated;
  });
}

/** Locks the customer before the room, in lock order, so that the customer cannot be terminated in the meantime. */
async function refuseIfCustomerTerminated(tx: Tx, id: Uuid): Promise<void> {
  const { customer_id: customerId } = await requireRoom(tx, id);
  const customer = await lockCustomerForShare(tx, customerId);
  if (customer?.effective_status === 'terminated')
    throw conflict('customer-not-active', 'The customer is terminated, so its rooms cannot be activated.');
}
