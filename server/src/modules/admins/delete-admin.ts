import type { Dependencies } from '../../dependencies.ts';
import { change } from '../../events/change.ts';
import { refused } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { lockAdmin, removeAdmin } from './store.ts';
import { refuseStrongerAdmin } from './stronger-admin.ts';

/** @throws 403 for somebody who holds more than the caller, 404, 409 for the last full administrator and for oneself */
export async function deleteAdmin(
  dependencies: Dependencies,
  actor: Actor,
  principal: Principal,
  id: Uuid,
): Promise<void> {
  await change(dependencies, actor, async (under) => {
    const row = await lockAdmin(under.tx, id);
    await refuseStrongerAdmin(under.tx, principal, id);
    await refuseLastFullAdmin(under.tx, id);
    if (principal.id === id) throw refused('own-account', 'Administrators do not delete themselves.');
    await under.react('admin.sessions-ending', { adminId: id, keptFamilyId: null });
    await removeAdmin(under.tx, id);
    under.announce('access');
    await under.emit({ name: 'admin.deleted', resource: { type: 'Admin', id }, before: row });
  });
}

/** Everything that the administrator is logged in with ends, on every node from the next request on. */
export async function endSessions(
  dependencies: Dependencies,
  actor: Actor,
  principal: Principal,
  id: Uuid,
): Promise<void> {
  await change(dependencies, actor, async (under) => {
    await lockAdmin(under.tx, id);
    await refuseStrongerAdmin(under.tx, principal, id);
    await under.react('admin.sessions-ending', { adminId: id, keptFamilyId: null });
    under.announce('access');
    await under.emit({ name: 'admin.sessions_ended', resource: { type: 'Admin', id } });
  });
}
