import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { lockRoomForKeyShare, type RoomRow } from '../../rooms/index.ts';
import { releaseFeature } from '../../subscriptions/index.ts';
import { updateRunningOutputs } from './update-running-outputs.ts';
import { lockOutput, type OutputRow, removeOutputs } from './output-store.ts';

/** @throws 404 */
export async function deleteOutput(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, output_id: id } }: CallOf<'deleteOutput'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const room = await lockRoomForKeyShare(change.tx, roomId);
    const row = await lockOutput(change.tx, roomId, id);
    await updateRunningOutputs(change, roomId);
    await deleteOutputs(change, room, [row]);
  });
}

/** Deletes outputs of one room, which the caller has locked, and subtracts them from the usage of `max_outputs`. */
export async function deleteOutputs(change: Change, room: RoomRow, rows: readonly OutputRow[]): Promise<void> {
  if (rows.length === 0) return;
  await removeOutputs(
    change.tx,
    rows.map(({ id }) => id),
  );
  await change.emitAll(rows.map((row) => rowEvent('output.deleted', { customerId: room.customer_id, before: row })));
  await releaseFeature(change, room.subscription_id, 'max_outputs', rows.length);
}
