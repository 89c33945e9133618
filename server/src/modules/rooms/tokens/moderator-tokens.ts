import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import { forbidden, notFound } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { TenantScope } from '../../../platform/list-query/view.ts';
import { rightsOf, visibleRooms } from '../../memberships/index.ts';

/**
 * A moderator token lets its holder moderate. A user without the right `moderate` on the room can neither create nor
 * see one: with its link they would grant themselves that right.
 */
export async function canUseModeratorTokens(db: Database | Tx, userId: Uuid | null, roomId: Uuid): Promise<boolean> {
  if (userId === null) return true;
  return (await rightsOf(db, userId, 'room', roomId))?.rights.has('moderate') === true;
}

/** @throws 403 `privilege-escalation` where one of the roles is `moderator` and the user cannot grant it */
export async function refuseModeratorRole(
  tx: Tx,
  actor: Pick<Actor, 'type' | 'id'>,
  roomId: Uuid,
  roles: readonly (RoomRole | undefined)[],
): Promise<void> {
  if (!roles.includes('moderator') || (await canUseModeratorTokens(tx, userOf(actor), roomId))) return;
  throw forbidden(
    'privilege-escalation',
    'You cannot create or delete moderator tokens of this room: this needs the right moderate.',
  );
}

/** @throws 404 if the user cannot see moderator tokens */
export async function refuseHiddenToken(
  db: Database | Tx,
  userId: Uuid | null,
  { room_id: roomId, role }: { readonly room_id: Uuid; readonly role: string },
): Promise<void> {
  if (role !== 'moderator' || (await canUseModeratorTokens(db, userId, roomId))) return;
  throw notFound('The token was not found.');
}

/** The tokens that a user sees in lists, totals and includes. */
export const visibleTokens: TenantScope['condition'] = (
  userId,
) => sql`(room_tokens.room_id in ${visibleRooms(userId, 'manage-tokens')}
  and (room_tokens.role <> 'moderator' or room_tokens.room_id in ${visibleRooms(userId, 'moderate')}))`;

/** Null for administrators and services, who need no rights on rooms. */
export function userOf({ type, id }: Pick<Actor, 'type' | 'id'>): Uuid | null {
  return type === 'user' ? id : null;
}
