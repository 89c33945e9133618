import type { Dependencies } from '../../dependencies.ts';
import { change } from '../../events/change.ts';
import { confirmPassword } from '../../platform/confirm-password.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/call.ts';
import { requireAdmin } from '../admins/index.ts';
import { confirmCode } from './confirm-code.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { notEnabled } from './refusals.ts';
import { findTwoFactor, lockTwoFactor, replaceRecoveryCodes } from './store.ts';

/** Ends the old codes. Takes the password or a code; both are looked at when both are given. */
export async function renewRecoveryCodes(
  services: Dependencies,
  actor: Actor,
  principal: Principal,
  given: { password: string | null; code: string | null },
): Promise<string[]> {
  const admin = await requireAdmin(services.db, principal.id);
  const found = await findTwoFactor(services.db, admin.id);
  if (!found || found.confirmed_at === null) throw notEnabled();
  if (given.password === null && given.code === null) {
    throw invalidInput({ password: ['The password or a code is required.'] });
  }
  if (given.password !== null) {
    await confirmPassword(services.guesses, 'admins', admin, given.password, actor.address);
  }
  if (given.code !== null) await confirmCode(services, actor, admin.id, given.code);
  const codes = newRecoveryCodes();
  await change(services, actor, async ({ tx, now, emit }) => {
    const row = await lockTwoFactor(tx, admin.id);
    if (!row || row.confirmed_at === null) throw notEnabled();
    await replaceRecoveryCodes(tx, admin.id, codes.map(hashRecoveryCode), now);
    await emit({ name: 'admin.recovery_codes_renewed', resource: { type: 'Admin', id: admin.id } });
  });
  return codes;
}
