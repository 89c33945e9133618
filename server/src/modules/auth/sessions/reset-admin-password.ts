import { inTransaction, type ChangeServices, system } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { notFound } from '../../../platform/failures.ts';
import { randomCode } from '../../../platform/crypto/opaque-token.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import { findAdminByName, storeAdmin } from '../../admins/index.ts';
import { revokeFamiliesOf } from '../store.ts';
import { emitRevocations } from '../tokens/tokens.ts';

/**
 * Sets a new password, random if `newPassword` is null, and revokes all tokens of the administrator.
 * @returns the password
 * @throws 404
 */
export async function resetAdminPassword(
  services: ChangeServices,
  name: string,
  newPassword: string | null,
): Promise<string> {
  const password = newPassword ?? randomCode(20);
  const hash = await hashPassword(password);
  await inTransaction(services, system, async (change) => {
    const { tx, now, emit, invalidate } = change;
    const admin = await findAdminByName(tx, name);
    if (!admin) throw notFound(`There is no administrator ${name}.`);
    const updated = await storeAdmin(tx, admin.id, { password_hash: hash, updated_at: now });
    await emitRevocations(change, await revokeFamiliesOf(tx, { population: 'admins', id: admin.id }, now));
    invalidate('access');
    await emit(rowEvent('admin.updated', { before: admin, after: updated }));
  });
  return password;
}
