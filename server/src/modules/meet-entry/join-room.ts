import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { countUse, createRoomToken } from '../rooms/index.ts';
import { type Entry, enterRoom, type JoinRequest } from './enter-room.ts';

export interface Joined {
  readonly entry: Entry;
  /** The token that was shown, or the one that was made for a guest; null for somebody who needs none. */
  readonly token: string | null;
}

/**
 * Lets somebody in, and gives a guest of a public room, who came without a token, one to come back with.
 * @throws what entering throws
 */
export async function joinAsVisitor(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  request: JoinRequest,
): Promise<Joined> {
  // The token is made after the entry: whoever is refused leaves nothing behind.
  const entry = await enterRoom(dependencies, actor, roomId, request);
  if (request.token !== null || request.staffRole !== null) return { entry, token: request.token };
  // Without a name: that of a participant is kept with the meeting alone, and forgotten there.
  const made = await createRoomToken(dependencies, actor, roomId, { role: 'guest' });
  await inTransaction(dependencies, actor, ({ tx, now }) => countUse(tx, made.id, now));
  return { entry, token: made.token ?? null };
}
