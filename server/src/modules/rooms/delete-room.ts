import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import type { ReactionSubjects } from '../../events/reactions.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { releaseFeature } from '../subscriptions/index.ts';
import { deactivateRooms, lockRoom, lockRoomsBelow, removeRoom, type RoomRow } from './store.ts';

/** The room goes with its tokens and codes, and gives its place in `max_rooms` back. */
export async function deleteRoom(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await change(dependencies, actor, async (under) => {
    await removeOne(under, await lockRoom(under.tx, id));
  });
}

export async function deleteRoomsOfAccount(
  under: Change,
  { accountId }: ReactionSubjects['account.deleting'],
): Promise<void> {
  for (const room of await lockRoomsBelow(under.tx, 'account_id', accountId)) await removeOne(under, room);
}

/** A terminated customer has no room that is active. */
export async function deactivateRoomsOfCustomer(
  under: Change,
  { customerId }: ReactionSubjects['customer.terminating'],
): Promise<void> {
  const rooms = await deactivateRooms(under.tx, customerId, under.now);
  await under.emitAll(
    rooms.map((room) => ({
      name: 'room.updated',
      resource: { type: 'Room', id: room.id },
      customerId,
      before: { ...room, status: 'active' },
      after: room,
    })),
  );
}

async function removeOne(under: Change, room: RoomRow): Promise<void> {
  await under.react('room.deleting', { roomId: room.id });
  await removeRoom(under.tx, room.id);
  await under.emit({
    name: 'room.deleted',
    resource: { type: 'Room', id: room.id },
    customerId: room.customer_id,
    before: room,
  });
  await releaseFeature(under, room.subscription_id, 'max_rooms');
}
