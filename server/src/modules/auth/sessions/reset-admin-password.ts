import { inTransaction, type ChangeServices, system } from '../../../events/change.ts';
import { notFound } from '../../../platform/failures.ts';
import { randomCode } from '../../../platform/crypto/opaque-token.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import { findAdminByName, storeAdminPassword } from '../../admins/index.ts';

/**
 * Sets a new password, random if `newPassword` is null, and ends all sessions of the administrator.
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
    const admin = await findAdminByName(change.tx, name);
    if (!admin) throw notFound(`There is no administrator ${name}.`);
    await storeAdminPassword(change, admin.id, hash);
  });
  return password;
}
