import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { countUse, createRoomToken } from '../rooms/index.ts';
import { type Entry, enterRoom, type JoinRequest } from './enter-room.ts';

export interface Joined {
  readonly entry: Entry;
  /** The presented token, or the new token of a guest. Null for callers who join without a token. */
  readonly token: string | null;
}

/**
 * Joins the visitor. A guest who joins a public room without a token gets a token for rejoining.
 * @throws as `enterRoom` does
 */
export async function joinAsVisitor(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  request: JoinRequest,
): Promise<Joined> {
  // Created after the join, so that a refused join stores no token.
  const entry = await enterRoom(dependencies, actor, roomId, request);
  if (request.token !== null || request.staffRole !== null) return { entry, token: request.token };
  // Without a name: participants' names are stored only with the meeting and erased there.
  const token = await createRoomToken(dependencies, actor, roomId, { role: 'guest' });
  await inTransaction(dependencies, actor, ({ tx, now }) => countUse(tx, token.id, now));
  return { entry, token: token.token ?? null };
}
