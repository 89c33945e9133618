import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { changedColumns } from '../../platform/immutable.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import { emailTaken } from './create-user.ts';
import { findUserByEmail, lockUser, storeUser, type UserRow } from './store.ts';

type Input = InputOf<'updateUser'>;

/**
 * A changed email is no longer verified. A new password and the status `inactive` end all sessions.
 * @throws 422 naming every invalid member
 */
export async function updateUser(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  { password, ...input }: Input,
): Promise<UserRow> {
  const userWithEmail = input.email === undefined ? undefined : await findUserByEmail(dependencies.db, input.email);
  const faults = {
    ...(userWithEmail && userWithEmail.id !== id ? emailTaken : {}),
    ...(await newPasswordFaults(password)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return await inTransaction(dependencies, actor, async (change) => {
    const row = await lockUser(change.tx, id);
    const updated = await storeUser(change.tx, id, {
      ...changedColumns(input, { user_settings: {}, user_metadata: {} }),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      ...(isEmailChanged(row, input.email) ? { email_verified_at: null } : {}),
      updated_at: change.now,
    });
    if (!updated) throw invalidInput(emailTaken);
    const isDeactivated = updated.status === 'inactive' && row.status !== 'inactive';
    if (passwordHash !== undefined || isDeactivated)
      await change.react('user.sessions-ending', { userId: id, keptFamilyId: null });
    // Name, locale, time zone and status are cached with the principal.
    change.invalidate('access');
    await change.emit(rowEvent('user.updated', { before: row, after: updated }));
    return updated;
  });
}

function isEmailChanged(row: UserRow, email: string | undefined): boolean {
  return email !== undefined && email.toLowerCase() !== row.email.toLowerCase();
}
