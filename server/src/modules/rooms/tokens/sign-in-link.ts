import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { roomUrl, tokenUrl } from '../room-url.ts';
import { tokenAssociatedData } from './token-encryption.ts';
import { selectRoomTokens } from './token-store.ts';

/** Where a visitor came from before signing in. */
export interface SignInOrigin {
  readonly roomId: Uuid;
  /** Null without a token link. */
  readonly roomTokenId: Uuid | null;
}

/**
 * The sign-in link of a room. It contains the token only if the token is bound to the user, so that it cannot leak to
 * another user. Null if the room was deleted.
 */
export async function signInLink(
  { db, secretBox, publicUrl }: Pick<Dependencies, 'db' | 'secretBox' | 'publicUrl'>,
  { roomId, roomTokenId }: SignInOrigin,
  userId: Uuid,
): Promise<string | null> {
  const room = await db.selectFrom('rooms').select(['id', 'slug']).where('id', '=', roomId).executeTakeFirst();
  if (!room) return null;
  const roomToken = roomTokenId === null ? undefined : await findOwnToken(db, roomId, roomTokenId, userId);
  const token = roomToken && (await secretBox.open(roomToken.token_sealed, tokenAssociatedData(roomToken.id)));
  const link = new URL(token === undefined ? roomUrl(publicUrl(), room) : tokenUrl(publicUrl(), room, token));
  link.pathname += '/sign-in';
  return link.href;
}

async function findOwnToken(db: Database, roomId: Uuid, id: Uuid, userId: Uuid) {
  const [token] = await selectRoomTokens(db, sql`id = ${id} and room_id = ${roomId} and user_id = ${userId}`);
  return token;
}
