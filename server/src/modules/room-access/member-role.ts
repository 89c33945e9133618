import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { rightsOf } from '../memberships/index.ts';

/** The role of a user who joins without a token; null for users who need one, or have no role of their own. */
export async function memberRole(db: Database, userId: Uuid, roomId: Uuid): Promise<RoomRole | null> {
  const userRights = await rightsOf(db, userId, 'room', roomId);
  return userRights?.rights.has('moderate') && userRights.rights.has('read-room') ? 'moderator' : null;
}

export async function mayManageVideos(db: Database, userId: Uuid, roomId: Uuid): Promise<boolean> {
  const userRights = await rightsOf(db, userId, 'room', roomId);
  return userRights !== null && userRights.rights.has('manage-videos') && userRights.rights.has('read-room');
}
