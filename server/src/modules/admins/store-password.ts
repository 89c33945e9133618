import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, type Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import { confirmPassword } from '../../platform/crypto/confirm-password.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { newPasswordFaults } from './create-admin.ts';
import { type AdminRow, lockAdmin, requireAdmin, storeAdmin } from './store.ts';

/** A new password, as part of a change; every session ends but the one that is kept. @throws 404 */
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
  await emit({ name: 'admin.updated', resource: { type: 'Admin', id }, before, after });
  return after;
}

/** Somebody used what was mailed to the address. @returns null where it was verified before */
export async function verifyAdminEmail(tx: Tx, id: Uuid, now: string): Promise<AdminRow | null> {
  const { email_verified_at: verifiedAt } = await requireAdmin(tx, id);
  return verifiedAt === null ? await storeAdmin(tx, id, { email_verified_at: now, updated_at: now }) : null;
}

/**
 * The administrator's own doing: the session that asks goes on, every other one ends.
 * @throws 422 for a wrong current password or a new one that is not good enough; 429 after too many wrong ones.
 */
export async function changeCallingAdminPassword(
  dependencies: Dependencies,
  actor: Actor,
  { id, familyId }: Pick<Principal, 'id' | 'familyId'>,
  input: { readonly current_password: string; readonly password: string },
): Promise<void> {
  const faults = await newPasswordFaults(input.password);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const admin = await requireAdmin(dependencies.db, id);
  const { failedAttempts } = dependencies;
  await confirmPassword(failedAttempts, 'admins', admin, input.current_password, actor.address, 'current_password');
  const passwordHash = await hashPassword(input.password);
  await inTransaction(dependencies, actor, async (change) => {
    const { password_hash: current } = await lockAdmin(change.tx, id);
    if (current !== admin.password_hash)
      throw conflict('conflict', 'The password has been changed at the same time. Please try again.');
    await storeAdminPassword(change, id, passwordHash, familyId);
  });
}
