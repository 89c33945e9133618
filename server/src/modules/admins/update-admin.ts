import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Principal, CallOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { changedColumns, refuseChanged } from '../../platform/immutable.ts';
import { hashNewPassword } from '../../platform/crypto/password.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { type AdminRow, lockAdmin, storeAdmin } from './store.ts';
import { refuseAdminWithMorePermissions } from './admin-with-more-permissions.ts';

/**
 * A new password or status ends all sessions of the administrator, except the session that makes the change.
 * @throws 403 for an administrator with permissions that the caller does not hold; 409 when the last full administrator
 * or the caller would be deactivated; 422 for a weak password or an immutable member
 */
export async function updateAdmin(
  dependencies: Dependencies,
  principal: Principal,
  id: Uuid,
  { actor, body: { password, ...input }, immutable }: Pick<CallOf<'updateAdmin'>, 'actor' | 'body' | 'immutable'>,
): Promise<AdminRow> {
  const passwordHash = password === undefined ? undefined : await hashNewPassword(password);
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now } = change;
    const row = await lockAdmin(tx, id);
    refuseChanged(immutable, { ...row });
    const isStatusChanged = input.status !== undefined && input.status !== row.status;
    if (passwordHash !== undefined || isStatusChanged) await refuseAdminWithMorePermissions(tx, principal, id);
    if (isStatusChanged && input.status === 'inactive') await refuseDeactivation(change, principal, id);
    const changes = {
      ...changedColumns(input, { admin_settings: {}, admin_metadata: {} }),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    };
    if (Object.keys(changes).length === 0) return row;
    const updated = await storeAdmin(tx, id, { ...changes, updated_at: now });
    if (passwordHash !== undefined || isStatusChanged) {
      const keptFamilyId = principal.id === id ? principal.familyId : null;
      await change.react('admin.sessions-ending', { adminId: id, keptFamilyId });
    }
    // Name, locale, time zone and status are cached with the principal.
    change.invalidate('access');
    await change.emit(rowEvent('admin.updated', { before: row, after: updated }));
    return updated;
  });
}

async function refuseDeactivation({ tx }: Change, principal: Principal, id: Uuid): Promise<void> {
  await refuseLastFullAdmin(tx, id);
  if (principal.id === id) throw conflict('own-account', 'You cannot deactivate your own account.');
}
