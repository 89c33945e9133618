import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent, eventAbout } from '../../events/row-event.ts';
import { confirmPasswordChange } from '../../platform/crypto/confirm-password.ts';
import type { CallOf, Actor } from '../../platform/http/input/call.ts';
import { requireScopedPrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockUser, requireUser, storeUser, type UserRow } from './store.ts';

/** Stores a new password and ends all sessions except that of `keptFamilyId`. @throws 404 */
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

/** Sets a password for an administrator, who thereby confirms the user's identity. All sessions end. */
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

/** Ends all sessions and tokens of the user, on every node from the next request on. @throws 404 */
export async function endSessions(dependencies: Dependencies, actor: Actor, userId: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    await lockUser(change.tx, userId);
    await change.react('user.sessions-ending', { userId, keptFamilyId: null });
    change.invalidate('access');
    await change.emit(eventAbout('user.sessions_ended', userId));
  });
}

/** Marks the email as verified, after a mailed link was used. @throws 404 */
export async function verifyEmail({ tx, now, emit }: Change, id: Uuid): Promise<UserRow> {
  const before = await lockUser(tx, id);
  if (before.email_verified_at !== null) return before;
  const after = (await storeUser(tx, id, { email_verified_at: now, vouched: true, updated_at: now })) ?? before;
  await emit(rowEvent('user.updated', { before, after }));
  return after;
}
