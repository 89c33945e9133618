import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { verifyPassword } from '../../platform/crypto/password.ts';

import { checkSecondFactor } from './check-second-factor.ts';
import { notEnabled, secondFactorWrong } from './refusals.ts';

/**
 * Asks somebody who is signed in for both factors once more. One attempt: a right password does not make up for wrong
 * codes, which count as failed sign-ins. @throws 422, 409, 429
 */
export async function confirmFactors(
  services: Dependencies,
  actor: Actor,
  admin: { readonly id: Uuid; readonly password_hash: string | null },
  given: { readonly password: string; readonly code: string },
): Promise<void> {
  const check = await services.failedAttempts.attempt(
    { scope: 'admins', name: admin.id, address: actor.address },
    async () => {
      if (!(await verifyPassword(admin.password_hash, given.password))) return 'password-wrong';
      return await checkSecondFactor(services, admin.id, given.code, actor);
    },
    (outcome) => (outcome === 'right' ? 'right' : outcome === 'off' ? 'neither' : 'wrong'),
  );
  if (check === 'password-wrong') throw invalidInput({ password: ['The password is wrong.'] }, 'wrong-credentials');
  if (check === 'off') throw notEnabled();
  if (check !== 'right') throw secondFactorWrong();
}
