import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { AttemptCounter } from '../limits/failed-attempts.ts';
import { conflict, invalidInput } from '../failures.ts';
import { hashPassword, requireNewPassword, verifyPassword } from './password.ts';

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

type StoredPassword = { readonly password_hash: string | null };

/**
 * Checks the current password of a signed-in person and the new one.
 * @returns the hash of the new password, and a check that no other request has changed the password since
 * @throws 422 for a wrong current password or a weak new one; 429 after too many wrong ones
 */
export async function confirmPasswordChange(
  failedAttempts: AttemptCounter,
  person: StoredPassword & { readonly id: string },
  input: { readonly current_password: string; readonly password: string },
  origin: Pick<PasswordConfirmation, 'population' | 'address'>,
): Promise<{ readonly hash: string; readonly refuseOutdated: (current: StoredPassword) => void }> {
  await requireNewPassword(input.password);
  await confirmPassword(failedAttempts, person, {
    ...origin,
    password: input.current_password,
    field: 'current_password',
  });
  return {
    hash: await hashPassword(input.password),
    refuseOutdated({ password_hash: current }) {
      if (current !== person.password_hash)
        throw conflict('conflict', 'The password was changed by another request. Please try again.');
    },
  };
}
