import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { userEndpoints } from '@foyer/contract/resources/user.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined } from '../../platform/immutable.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { emailTaken, newPasswordFaults } from './create-user.ts';
import { findUserByEmail, lockUser, storeUser, type UserRow } from './store.ts';

type Input = BodyOf<(typeof userEndpoints)['updateUser']>;

/**
 * Another email is one that nobody has verified. A new password, and the status `inactive`, end every session.
 * @throws 422 naming every member at fault.
 */
export async function updateUser(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  { password, ...input }: Input,
): Promise<UserRow> {
  const holder = input.email === undefined ? undefined : await findUserByEmail(dependencies.db, input.email);
  const faults = {
    ...(holder && holder.id !== id ? emailTaken : {}),
    ...(await newPasswordFaults(password)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return await inTransaction(dependencies, actor, async (change) => {
    const row = await lockUser(change.tx, id);
    const updated = await storeUser(change.tx, id, {
      ...columnsOf(input),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      ...(isOtherEmail(row, input.email) ? { email_verified_at: null } : {}),
      updated_at: change.now,
    });
    if (!updated) throw invalidInput(emailTaken);
    const isSwitchedOff = updated.status === 'inactive' && row.status !== 'inactive';
    if (passwordHash !== undefined || isSwitchedOff)
      await change.react('user.sessions-ending', { userId: id, keptFamilyId: null });
    // What is remembered of a principal: name, locale, time zone, and that it is active.
    change.invalidate('access');
    await change.emit({ name: 'user.updated', resource: { type: 'User', id }, before: row, after: updated });
    return updated;
  });
}

function isOtherEmail(row: UserRow, email: string | undefined): boolean {
  return email !== undefined && email.toLowerCase() !== row.email.toLowerCase();
}

function columnsOf({ user_settings: settings, user_metadata: metadata, ...plain }: Omit<Input, 'password'>) {
  return {
    ...withoutUndefined(plain),
    ...(settings === undefined ? {} : { user_settings: JSON.stringify(settings ?? {}) }),
    ...(metadata === undefined ? {} : { user_metadata: JSON.stringify(metadata ?? {}) }),
  };
}
