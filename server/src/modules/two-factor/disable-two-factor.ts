import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import { requireAdmin } from '../admins/index.ts';
import { confirmFactors } from './confirm-factors.ts';
import { notEnabled } from './refusals.ts';
import { findTwoFactor, removeTwoFactor } from './store.ts';

/** Takes both factors once more. @throws 422, 409 when there is nothing to switch off. */
export async function disableTwoFactor(
  services: Dependencies,
  actor: Actor,
  principal: Principal,
  given: { password: string; code: string },
): Promise<void> {
  const admin = await requireAdmin(services.db, principal.id);
  const found = await findTwoFactor(services.db, admin.id);
  if (!found || found.confirmed_at === null) throw notEnabled();
  await confirmFactors(services, actor, admin, given);
  await inTransaction(services, actor, async ({ tx, emit, invalidate }) => {
    const removed = await removeTwoFactor(tx, admin.id);
    if (!removed) throw notEnabled();
    invalidate('access');
    await emit({
      name: 'admin.two_factor_disabled',
      resource: { type: 'Admin', id: admin.id },
      before: { two_factor_confirmed_at: removed.confirmed_at },
    });
  });
}
