import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { releaseFeature } from '../subscriptions/index.ts';
import { deleteAccessCodesOf } from './access-codes/room-access-codes.ts';
import { deleteTokensOfRoom } from './tokens/token-batches.ts';
import { deactivateRooms, lockRoom, lockRoomsOf, removeRoom, type RoomRow } from './store.ts';

/** Deletes the room with its tokens and access codes, and releases its use of `max_rooms`. */
export async function deleteRoom(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    await removeLockedRoom(change, await lockRoom(change.tx, id));
  });
}

export async function deleteRoomsOfAccount(change: Change, accountId: Uuid): Promise<void> {
  for (const room of await lockRoomsOf(change.tx, 'account_id', accountId)) await removeLockedRoom(change, room);
}

/** Deactivates the rooms of a customer that is terminated. */
export async function deactivateRoomsOfCustomer(change: Change, customerId: Uuid): Promise<void> {
  const rooms = await deactivateRooms(change.tx, customerId, change.now);
  await change.emitAll(
    rooms.map((room) => rowEvent('room.updated', { before: { ...room, status: 'active' }, after: room })),
  );
}

async function removeLockedRoom(change: Change, room: RoomRow): Promise<void> {
  await change.react('room.deleting', { roomId: room.id });
  await deleteAccessCodesOf(change, room);
  await deleteTokensOfRoom(change, room);
  await removeRoom(change.tx, room.id);
  await change.emit(rowEvent('room.deleted', { before: room }));
  await releaseFeature(change, room.subscription_id, 'max_rooms');
}
