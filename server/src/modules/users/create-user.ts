import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import type { Settings } from '../../platform/settings.ts';
import { findUserByEmail, insertUser, type UserRow } from './store.ts';

type Input = InputOf<'createUser'>;

/** @throws 422 naming every invalid member */
export async function createUser(dependencies: Dependencies, actor: Actor, input: Input): Promise<UserRow> {
  const faults = {
    ...((await findUserByEmail(dependencies.db, input.email)) ? emailTaken : {}),
    ...(await newPasswordFaults(input.password)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  return await inTransaction(dependencies, actor, async (change) => {
    const user = await addUser(change, dependencies.settings(), { ...input, passwordHash });
    if (!user) throw invalidInput(emailTaken);
    return user;
  });
}

export const emailTaken: FieldFaults = { email: ['The email has already been taken.'] };

export interface NewUser extends Pick<
  Input,
  'email' | 'first_name' | 'last_name' | 'status' | 'user_settings' | 'user_metadata'
> {
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
}

export interface UserOrigin {
  /** The customer that the user is created for, if any. */
  readonly customerId: Uuid | null;
  /** Whether an administrator or a mailed link has confirmed the identity. */
  readonly vouched: boolean;
}

/**
 * Inserts a user. Returns null if the email is taken; the transaction can continue.
 * @param input `passwordHash` is null for a user who cannot sign in until a password is set
 */
export async function addUser(
  { tx, now, emit }: Change,
  settings: Settings,
  input: NewUser & { readonly passwordHash: string | null },
  { customerId, vouched }: UserOrigin = { customerId: null, vouched: true },
): Promise<UserRow | null> {
  const user = await insertUser(tx, {
    ...newRow(now),
    email: input.email,
    first_name: input.first_name,
    last_name: input.last_name,
    status: input.status ?? 'active',
    locale: input.locale ?? settings.system_locale,
    timezone: input.timezone ?? settings.system_timezone,
    password_hash: input.passwordHash,
    vouched,
    user_settings: JSON.stringify(input.user_settings ?? {}),
    user_metadata: JSON.stringify(input.user_metadata ?? {}),
  });
  if (user) await emit(rowEvent('user.created', { customerId, after: user }));
  return user;
}
