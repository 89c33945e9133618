import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { AttemptCounter } from '../limits/failed-attempts.ts';
import { invalidInput } from '../failures.ts';
import { verifyPassword } from './password.ts';

export interface PasswordConfirmation {
  readonly population: Population;
  readonly password: string;
  readonly address: string | null;
  /** The member of the body that holds the password. */
  readonly field?: string;
}

/**
 * Checks the password of a signed-in person again. Wrong ones count as failed sign-ins.
 * @throws 422 `wrong-credentials`, 429 after too many wrong ones
 */
export async function confirmPassword(
  failedAttempts: AttemptCounter,
  person: { readonly id: string; readonly password_hash: string | null },
  { population, password, address, field = 'password' }: PasswordConfirmation,
): Promise<void> {
  const matches = await failedAttempts.attempt(
    { scope: population, name: person.id, address },
    () => verifyPassword(person.password_hash, password),
    (isRight) => (isRight ? 'right' : 'wrong'),
  );
  if (!matches) throw invalidInput({ [field]: ['The password is wrong.'] }, 'wrong-credentials');
}
