import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import type { RoomRow } from '../rooms/index.ts';
import { requireRoom } from '../rooms/index.ts';
import { lockUsages } from '../subscriptions/index.ts';
import { emitStreamEvent } from './emit-stream-event.ts';
import { storeOrder } from './orders/order-store.ts';
import { deleteOutputs } from './outputs/delete-output.ts';
import { lockOutputsOfRoom } from './outputs/output-store.ts';
import { requirePrintedStream } from './require-stream.ts';
import { chargeMinutes } from './sessions/charge-minutes.ts';
import { minutesTag } from './sessions/minute-store.ts';
import { lockCurrentSession, storeSession } from './sessions/session-store.ts';
import { lockStream } from './store.ts';

/** Ends the broadcast, deletes the outputs, and orders the media server to remove the stream. */
export async function deleteStreamOfRoom(change: Change, { roomId }: ReactionSubjects['room.deleting']): Promise<void> {
  const room = await requireRoom(change.tx, roomId);
  if (room.room_type !== 'live' && room.room_type !== 'simulcast') return;
  const stream = await lockStream(change.tx, roomId);
  // In one statement, against deadlocks: several rooms may be deleted in one transaction.
  await lockUsages(change.tx, [room.subscription_id], [minutesTag, 'max_outputs', 'max_rooms']);
  if (stream) await endSession(change, room);
  await deleteOutputs(change, room, await lockOutputsOfRoom(change.tx, roomId));
  if (!stream) return;
  const before = await requirePrintedStream(change.tx, roomId);
  await change.emit(rowEvent('stream.deleted', { customerId: room.customer_id, before }));
  await storeOrder(change, { providerId: stream.service_provider_id, roomId, kind: 'remove' });
}

async function endSession(change: Change, room: RoomRow): Promise<void> {
  const session = await lockCurrentSession(change.tx, room.id);
  if (session?.state !== 'live') return;
  const reason = 'room-deleted';
  const ended = await storeSession(change.tx, session.id, { state: 'ended', ended_at: change.now, end_reason: reason });
  const before = await requirePrintedStream(change.tx, room.id);
  await emitStreamEvent(change, room, { name: 'stream.ended', before, details: { reason } });
  await chargeMinutes(change, ended);
}
