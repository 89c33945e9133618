import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { requireAdmin } from '../admins/index.ts';
import { confirmFactors } from './confirm-factors.ts';
import { secondFactorNotEnabled } from './check-second-factor.ts';
import { removeTwoFactor } from './store.ts';

/** Requires both factors again. @throws 422, 409 if the second factor is not enabled */
export async function disableTwoFactor(
  services: Dependencies,
  { actor, principal, body: factors }: CallOf<'disableTwoFactor'>,
): Promise<void> {
  const admin = await requireAdmin(services.db, requirePrincipal(principal, 'admin').id);
  await confirmFactors(services, actor, admin, factors);
  await inTransaction(services, actor, async ({ tx, emit, invalidate }) => {
    const removed = await removeTwoFactor(tx, admin.id);
    if (!removed) throw secondFactorNotEnabled();
    invalidate('access');
    await emit(
      eventAbout('admin.two_factor_disabled', admin.id, { before: { two_factor_confirmed_at: removed.confirmed_at } }),
    );
  });
}
