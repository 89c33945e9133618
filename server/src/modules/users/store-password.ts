import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { confirmPasswordChange } from '../../platform/crypto/confirm-password.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requireScopedPrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockUser, requireUser, storeUser, type UserRow } from './store.ts';

/** Stores a new password and ends all sessions but `keptFamilyId`. @throws 404 */
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
  await emit(rowEvent('user.updated', { before, after }));
  return after;
}

/** An administrator sets the password and thereby confirms the user's identity; all sessions end. */
export async function confirmIdentity(change: Change, id: Uuid, passwordHash: string): Promise<UserRow> {
  await storePassword(change, id, passwordHash);
  return (await storeUser(change.tx, id, { vouched: true })) ?? (await requireUser(change.tx, id));
}

/**
 * Changes the caller's password and ends all other sessions.
 * @throws 422 for a wrong current password or a weak new one; 429 after too many wrong ones
 */
export async function changeOwnPassword(
  dependencies: Dependencies,
  { actor, principal, body: input }: CallOf<'changeOwnPassword'>,
): Promise<void> {
  const { id, familyId } = requireScopedPrincipal(principal, 'user', 'update-users');
  const { db, failedAttempts } = dependencies;
  const person = await requireUser(db, id);
  const origin = { population: 'users', address: actor.address } as const;
  const { hash, refuseOutdated } = await confirmPasswordChange(failedAttempts, person, input, origin);
  await inTransaction(dependencies, actor, async (change) => {
    refuseOutdated(await lockUser(change.tx, id));
    await storePassword(change, id, hash, familyId);
  });
}
