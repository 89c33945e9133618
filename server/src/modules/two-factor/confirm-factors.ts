import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { verifyPassword } from '../../platform/crypto/password.ts';
import { checkSecondFactor, secondFactorNotEnabled, secondFactorWrong } from './check-second-factor.ts';
import { findTwoFactor } from './store.ts';

/**
 * Checks both factors of a signed-in administrator again, as one attempt: a correct password does not reset the count of
 * wrong codes. @throws 422, 409 if the second factor is not enabled, 429
 */
export async function confirmFactors(
  services: Dependencies,
  actor: Actor,
  admin: { readonly id: Uuid; readonly password_hash: string | null },
  factors: { readonly password: string; readonly code: string },
): Promise<void> {
  const row = await findTwoFactor(services.db, admin.id);
  if (!row || row.confirmed_at === null) throw secondFactorNotEnabled();
  const check = await services.failedAttempts.attempt(
    { scope: 'admins', name: admin.id, address: actor.address },
    async () => {
      if (!(await verifyPassword(admin.password_hash, factors.password))) return 'password-wrong';
      return await checkSecondFactor(services, admin.id, factors.code, actor);
    },
    (outcome) => (outcome === 'right' ? 'right' : outcome === 'off' ? 'neither' : 'wrong'),
  );
  if (check === 'password-wrong') throw invalidInput({ password: ['The password is wrong.'] }, 'wrong-credentials');
  if (check === 'off') throw secondFactorNotEnabled();
  if (check !== 'right') throw secondFactorWrong();
}
