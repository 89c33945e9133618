import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, system } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { notFound, conflict } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { findAdminByName, lockAdmin, refuseAdminWithMorePermissions, requireAdmin } from '../admins/index.ts';
import { secondFactorNotEnabled } from './check-second-factor.ts';
import { removeTwoFactor } from './store.ts';

/**
 * Removes the second factor of another administrator who lost it. They can then sign in with the password alone.
 * @throws 403 for an administrator with permissions that the caller does not hold; 404; 409 for the caller's own account
 * or if the second factor is not enabled
 */
export async function resetTwoFactor(
  services: Dependencies,
  { actor, principal: caller, params: { admin_id: adminId } }: CallOf<'resetTwoFactor'>,
): Promise<void> {
  const principal = requirePrincipal(caller);
  const admin = await requireAdmin(services.db, adminId);
  if (admin.id === principal.id) {
    throw conflict('own-account', 'Disable your own second factor with your password and a code.');
  }
  await inTransaction(services, actor, async (change) => {
    await lockAdmin(change.tx, admin.id);
    await refuseAdminWithMorePermissions(change.tx, principal, admin.id);
    await reset(change, admin.id);
  });
}

/**
 * For the command line: finds the administrator by user name or email.
 * @throws 404, 409 if the second factor is not enabled
 */
export async function resetTwoFactorByName(services: Dependencies, name: string): Promise<void> {
  const admin = await findAdminByName(services.db, name);
  if (!admin) throw notFound(`There is no administrator ${name}.`);
  await inTransaction(services, system, (change) => reset(change, admin.id));
}

async function reset({ tx, emit, invalidate }: Change, adminId: Uuid): Promise<void> {
  const removed = await removeTwoFactor(tx, adminId);
  if (!removed) throw secondFactorNotEnabled();
  invalidate('access');
  await emit(
    eventAbout('admin.two_factor_reset', adminId, { before: { two_factor_confirmed_at: removed.confirmed_at } }),
  );
}
