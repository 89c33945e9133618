import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Tx } from '../../../events/change.ts';
import { Failure } from '../../../platform/failures.ts';
import { featuresOfRoom, type RoomRow } from '../../rooms/index.ts';
import { countOutputs } from './output-store.ts';

/**
 * Rejects an output beyond the limit of the room, which can be lower than that of the subscription. The caller has
 * consumed `max_outputs` and stored the output, so that the count is exact.
 * @throws 422 `feature-limit-reached`
 */
export async function refuseBeyondRoomLimit(tx: Tx, room: RoomRow): Promise<void> {
  const tag = 'max_outputs';
  const value = (await featuresOfRoom(tx, room)).find((feature) => feature.tag === tag)?.used ?? '0';
  const limit = limitOf(value);
  const outputs = await countOutputs(tx, room.id);
  if (limit === null || outputs <= limit) return;
  const message = `The limit of outputs of this room is reached: ${limit}.`;
  throw new Failure('feature-limit-reached', message, {
    errors: { [tag]: [message] },
    limit: { subscriptionId: room.subscription_id, tag, limit: value, used: outputs - 1 },
  });
}
