import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { requireAdmin } from '../admins/index.ts';
import { confirmFactors } from './confirm-factors.ts';
import { hashRecoveryCode, generateRecoveryCodes } from './recovery-codes.ts';
import { secondFactorNotEnabled } from './check-second-factor.ts';
import { lockTwoFactor, replaceRecoveryCodes } from './store.ts';

/** Replaces the recovery codes. Requires password and second factor. */
export async function renewRecoveryCodes(
  services: Dependencies,
  { actor, principal, body: factors }: CallOf<'renewRecoveryCodes'>,
): Promise<string[]> {
  const admin = await requireAdmin(services.db, requirePrincipal(principal, 'admin').id);
  await confirmFactors(services, actor, admin, factors);
  const codes = generateRecoveryCodes();
  await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const row = await lockTwoFactor(tx, admin.id);
    if (!row || row.confirmed_at === null) throw secondFactorNotEnabled();
    await replaceRecoveryCodes(tx, admin.id, codes.map(hashRecoveryCode), now);
    await emit(eventAbout('admin.recovery_codes_renewed', admin.id));
  });
  return codes;
}
