import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { AttemptCounter } from '../limits/failed-attempts.ts';
import { invalidInput } from '../failures.ts';
import { verifyPassword } from './password.ts';

/**
 * Checks the password of a signed-in person again. Wrong ones count as failed sign-ins.
 * @param field the member of the body that holds it
 * @throws 422 `wrong-credentials`, 429 after too many wrong ones
 */
export async function confirmPassword(
  failedAttempts: AttemptCounter,
  population: Population,
  person: { readonly id: string; readonly password_hash: string | null },
  password: string,
  address: string | null,
  field = 'password',
): Promise<void> {
  const matches = await failedAttempts.attempt(
    { scope: population, name: person.id, address },
    () => verifyPassword(person.password_hash, password),
    (isRight) => (isRight ? 'right' : 'wrong'),
  );
  if (!matches) throw invalidInput({ [field]: ['The password is wrong.'] }, 'wrong-credentials');
}
