import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import { createConsequences } from '../../events/consequences.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { whenAccountIsDeleted } from '../accounts/index.ts';
import { whenCustomerIsTerminated } from '../customers/index.ts';
import { releaseFeature } from '../subscriptions/index.ts';
import { deactivateRooms, lockRoom, lockRoomsBelow, removeRoom, type RoomRow } from './store.ts';

/** What goes with a room; later modules add to it. */
export const whenRoomIsDeleted = createConsequences();

/** The room goes with its tokens and codes, and gives its place in `max_rooms` back. */
export async function deleteRoom(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await change(dependencies, actor, async (under) => {
    await removeOne(under, await lockRoom(under.tx, id));
  });
}

whenAccountIsDeleted.add(async (under, accountId) => {
  for (const room of await lockRoomsBelow(under.tx, 'account_id', accountId)) await removeOne(under, room);
});

/** A terminated customer has no room that is active. */
whenCustomerIsTerminated.add(async (under, customerId) => {
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
});

async function removeOne(under: Change, room: RoomRow): Promise<void> {
  await whenRoomIsDeleted.run(under, room.id);
  await removeRoom(under.tx, room.id);
  await under.emit({
    name: 'room.deleted',
    resource: { type: 'Room', id: room.id },
    customerId: room.customer_id,
    before: room,
  });
  await releaseFeature(under, room.subscription_id, 'max_rooms');
}
