import type { Dependencies } from '../../dependencies.ts';
import { rightsOf } from '../memberships/index.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { signInLink } from '../rooms/index.ts';
import type { RoomLink } from './page-invitation.tsx';
import { findActiveRooms, type Target } from './store.ts';

/** Links to sign in at the room of the invitation, or at the first rooms of the account or customer. */
export async function roomsToOpen(
  dependencies: Dependencies,
  target: Target,
  userId: Uuid,
): Promise<readonly RoomLink[]> {
  const userRights = await rightsOf(dependencies.db, userId, target.level, target.id);
  if (target.roomId === null && !userRights?.rights.has('read-room')) return [];
  const rooms = await findActiveRooms(dependencies.db, target);
  const links = await Promise.all(
    rooms.map(async ({ id, room_name: name }) => {
      const href = await signInLink(dependencies, { roomId: id, roomTokenId: null }, userId);
      return href === null ? [] : [{ name, href }];
    }),
  );
  return links.flat();
}
