import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { confirmPassword } from '../../platform/crypto/confirm-password.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { newPasswordFaults } from './create-user.ts';
import { lockUser, requireUser, storeUser, type UserRow } from './store.ts';

/**
 * A new password, as part of a change; every session ends but the one that is kept.
 * @throws 404
 */
export async function storePassword(
  change: Change,
  id: Uuid,
  passwordHash: string,
  keptFamilyId: Uuid | null = null,
): Promise<UserRow> {
  const { tx, now, emit, invalidate } = change;
  const before = await lockUser(tx, id);
  const after = (await storeUser(tx, id, { password_hash: passwordHash, updated_at: now })) ?? before;
  await change.react('user.sessions-ending', { userId: id, keptFamilyId });
  invalidate('access');
  await emit({ name: 'user.updated', resource: { type: 'User', id }, before, after });
  return after;
}

/**
 * What a customer's own people set for a user ends: an administrator says who it is, with this password. Part of a
 * change.
 */
export async function vouchFor(change: Change, id: Uuid, passwordHash: string): Promise<UserRow> {
  await storePassword(change, id, passwordHash);
  return (await storeUser(change.tx, id, { vouched: true })) ?? (await requireUser(change.tx, id));
}

/**
 * The user's own doing: the session that asks goes on, every other one ends.
 * @throws 422 for a wrong current password or a new one that is not good enough; 429 after too many wrong ones.
 */
export async function changeOwnPassword(
  dependencies: Dependencies,
  actor: Actor,
  { id, familyId }: Pick<Principal, 'id' | 'familyId'>,
  input: { readonly current_password: string; readonly password: string },
): Promise<void> {
  const faults = await newPasswordFaults(input.password);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const user = await requireUser(dependencies.db, id);
  await confirmPassword(
    dependencies.failedAttempts,
    'users',
    user,
    input.current_password,
    actor.address,
    'current_password',
  );
  const passwordHash = await hashPassword(input.password);
  await inTransaction(dependencies, actor, async (change) => {
    const { password_hash: current } = await lockUser(change.tx, id);
    if (current !== user.password_hash)
      throw conflict('conflict', 'The password has been changed at the same time. Please try again.');
    await storePassword(change, id, passwordHash, familyId);
  });
}
