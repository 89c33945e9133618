import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockUser } from './store.ts';

/** Ends all sessions and tokens of the user, on every node from the next request on. @throws 404 */
export async function endSessions(dependencies: Dependencies, actor: Actor, userId: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    await lockUser(change.tx, userId);
    await change.react('user.sessions-ending', { userId, keptFamilyId: null });
    change.invalidate('access');
    await change.emit(eventAbout('user.sessions_ended', userId));
  });
}
