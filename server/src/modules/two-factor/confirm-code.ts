import type { Dependencies } from '../../dependencies.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { checkSecondFactor } from './check-second-factor.ts';
import { notEnabled, secondFactorWrong } from './refusals.ts';

/** Asks somebody who is signed in for a code; wrong ones count as failed sign-ins. @throws 422, 409, 429 */
export async function confirmCode(services: Dependencies, actor: Actor, adminId: Uuid, code: string): Promise<void> {
  const check = await services.guesses.attempt(
    { scope: 'admins', name: adminId, address: actor.address },
    () => checkSecondFactor(services, adminId, code, actor),
    (outcome) => (outcome === 'wrong' ? 'wrong' : outcome === 'right' ? 'right' : 'neither'),
  );
  if (check === 'off') throw notEnabled();
  if (check !== 'right') throw secondFactorWrong();
}
