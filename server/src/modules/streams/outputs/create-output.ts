import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { conflict, invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { newUuid } from '../../../platform/identity/identifier.ts';
import { lockCustomerForUse } from '../../customers/index.ts';
import { lockRoomForKeyShare, requireRoom } from '../../rooms/index.ts';
import { refuseBeyondRoomLimit } from './room-limit.ts';
import { consumeWithinLimit, lockSubscriptionForUse } from '../../subscriptions/index.ts';
import { updateRunningOutputs } from './update-running-outputs.ts';
import { findKeyFault, requireAddress, sealKey } from './output-values.ts';
import { insertOutput, type OutputRow } from './output-store.ts';

/**
 * Creates an output, which counts against `max_outputs`.
 * @throws 404; 409 `not-a-simulcast-room`, or if the customer or the subscription cannot be used; 422 naming `url` or
 * `stream_key`, or `feature-limit-reached`
 */
export async function createOutput(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId }, body: input }: CallOf<'createOutput'>,
): Promise<OutputRow> {
  const unlockedRoom = await requireRoom(dependencies.db, roomId);
  if (unlockedRoom.room_type !== 'simulcast')
    throw conflict(
      'not-a-simulcast-room',
      `Only simulcast rooms have outputs. This room has the type ${unlockedRoom.room_type}.`,
    );
  const url = await requireAddress(dependencies, input.platform, input.url ?? null);
  const fault = findKeyFault(input.stream_key ?? null);
  if (fault !== null) throw invalidInput({ stream_key: [fault] });
  const id = newUuid();
  const sealed = await sealKey(dependencies, id, input.stream_key ?? null);
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    await lockCustomerForUse(tx, unlockedRoom.customer_id, 'room_id');
    await lockSubscriptionForUse(change, unlockedRoom.subscription_id);
    const room = await lockRoomForKeyShare(tx, roomId);
    const row = await insertOutput(tx, {
      id,
      room_id: roomId,
      subscription_id: room.subscription_id,
      name: input.name,
      platform: input.platform,
      url,
      stream_key_sealed: sealed,
      enabled: input.enabled ?? true,
      output_metadata: JSON.stringify(input.output_metadata ?? {}),
      created_at: now,
      updated_at: now,
    });
    await updateRunningOutputs(change, roomId);
    await emit(rowEvent('output.created', { customerId: room.customer_id, after: row }));
    // Last, because all rooms of the subscription contend for the lock of this usage row.
    await consumeWithinLimit(change, room.subscription_id, 'max_outputs');
    await refuseBeyondRoomLimit(tx, room);
    return row;
  });
}
