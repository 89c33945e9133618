import type { RoomRole } from '@foyer/contract/resources/room.ts';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { rightsOf } from '../memberships/index.ts';

/** As what a user comes in who shows no token; null for who has to show one, or comes as everybody does. */
export async function memberRole(db: Database, userId: Uuid, roomId: Uuid): Promise<RoomRole | null> {
  const held = await rightsOf(db, userId, 'room', roomId);
  return held?.rights.has('moderate') && held.rights.has('read-room') ? 'moderator' : null;
}
