import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout, rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { lockAdmin, removeAdmin } from './store.ts';
import { refuseAdminWithMorePermissions } from './admin-with-more-permissions.ts';

/**
 * @throws 403 for an administrator with permissions that the caller does not hold; 404; 409 for the last full
 * administrator and the caller's own account
 */
export async function deleteAdmin(
  dependencies: Dependencies,
  { actor, principal: caller, params: { admin_id: id } }: CallOf<'deleteAdmin'>,
): Promise<void> {
  const principal = requirePrincipal(caller);
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockAdmin(change.tx, id);
    await refuseAdminWithMorePermissions(change.tx, principal, id);
    await refuseLastFullAdmin(change.tx, id);
    if (principal.id === id) throw conflict('own-account', 'You cannot delete your own account.');
    await change.react('admin.sessions-ending', { adminId: id, keptFamilyId: null });
    await removeAdmin(change.tx, id);
    change.invalidate('access');
    await change.emit(rowEvent('admin.deleted', { before: row }));
  });
}

/** Ends all sessions and tokens of the administrator. Every node rejects them from the next request on. */
export async function endSessions(
  dependencies: Dependencies,
  { actor, principal: caller, params: { admin_id: id } }: CallOf<'endAdminSessions'>,
): Promise<void> {
  const principal = requirePrincipal(caller);
  await inTransaction(dependencies, actor, async (change) => {
    await lockAdmin(change.tx, id);
    await refuseAdminWithMorePermissions(change.tx, principal, id);
    await change.react('admin.sessions-ending', { adminId: id, keptFamilyId: null });
    change.invalidate('access');
    await change.emit(eventAbout('admin.sessions_ended', id));
  });
}
