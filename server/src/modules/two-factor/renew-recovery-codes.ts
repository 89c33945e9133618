import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import { requireAdmin } from '../admins/index.ts';
import { confirmFactors } from './confirm-factors.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { notEnabled } from './refusals.ts';
import { findTwoFactor, lockTwoFactor, replaceRecoveryCodes } from './store.ts';

/** Ends the old codes. Takes both factors once more. */
export async function renewRecoveryCodes(
  services: Dependencies,
  actor: Actor,
  principal: Principal,
  given: { password: string; code: string },
): Promise<string[]> {
  const admin = await requireAdmin(services.db, principal.id);
  const found = await findTwoFactor(services.db, admin.id);
  if (!found || found.confirmed_at === null) throw notEnabled();
  await confirmFactors(services, actor, admin, given);
  const codes = newRecoveryCodes();
  await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const row = await lockTwoFactor(tx, admin.id);
    if (!row || row.confirmed_at === null) throw notEnabled();
    await replaceRecoveryCodes(tx, admin.id, codes.map(hashRecoveryCode), now);
    await emit({ name: 'admin.recovery_codes_renewed', resource: { type: 'Admin', id: admin.id } });
  });
  return codes;
}
