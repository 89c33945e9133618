import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, type Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { confirmPasswordChange } from '../../platform/crypto/confirm-password.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requireScopedPrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { type AdminRow, lockAdmin, requireAdmin, storeAdmin } from './store.ts';

/** Stores a new password and ends all sessions except that of `keptFamilyId`. @throws 404 */
export async function storeAdminPassword(
  change: Change,
  id: Uuid,
  passwordHash: string,
  keptFamilyId: Uuid | null = null,
): Promise<AdminRow> {
  const { tx, now, emit, invalidate } = change;
  const before = await lockAdmin(tx, id);
  const after = await storeAdmin(tx, id, { password_hash: passwordHash, updated_at: now });
  await change.react('admin.sessions-ending', { adminId: id, keptFamilyId });
  invalidate('access');
  await emit(rowEvent('admin.updated', { before, after }));
  return after;
}

/** Marks the email as verified, after a mailed link was used. @returns null if it was already verified */
export async function verifyAdminEmail(tx: Tx, id: Uuid, now: string): Promise<AdminRow | null> {
  const { email_verified_at: verifiedAt } = await requireAdmin(tx, id);
  return verifiedAt === null ? await storeAdmin(tx, id, { email_verified_at: now, updated_at: now }) : null;
}

/**
 * Changes the caller's password and ends all other sessions.
 * @throws 422 for a wrong current password or a weak new one; 429 after too many wrong ones
 */
export async function changeCallingAdminPassword(
  dependencies: Dependencies,
  { actor, principal, body: input }: CallOf<'changeCallingAdminPassword'>,
): Promise<void> {
  const { id, familyId } = requireScopedPrincipal(principal, 'admin', 'update-admins');
  const { db, failedAttempts } = dependencies;
  const person = await requireAdmin(db, id);
  const origin = { population: 'admins', address: actor.address } as const;
  const { hash, refuseOutdated } = await confirmPasswordChange(failedAttempts, person, input, origin);
  await inTransaction(dependencies, actor, async (change) => {
    refuseOutdated(await lockAdmin(change.tx, id));
    await storeAdminPassword(change, id, hash, familyId);
  });
}
