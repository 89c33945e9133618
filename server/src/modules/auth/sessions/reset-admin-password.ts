import { inTransaction, type ChangeServices, system } from '../../../events/change.ts';
import { notFound } from '../../../platform/failures.ts';
import { randomCode } from '../../../platform/crypto/opaque-token.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import { findAdminByName, setPasswordHash } from '../../admins/index.ts';
import { revokeFamiliesOfAdmin } from '../store.ts';

/** A new password for who lost theirs; every token of the administrator ends. @throws 404 */
export async function resetAdminPassword(
  services: ChangeServices,
  name: string,
  given: string | null,
): Promise<string> {
  const password = given ?? randomCode(20);
  const hash = await hashPassword(password);
  await inTransaction(services, system, async ({ tx, now, emit, invalidate }) => {
    const admin = await findAdminByName(tx, name);
    if (!admin) throw notFound(`There is no administrator ${name}.`);
    const updated = await setPasswordHash(tx, admin.id, hash, now);
    await revokeFamiliesOfAdmin(tx, admin.id, now);
    invalidate('access');
    await emit({
      name: 'admin.updated',
      resource: { type: 'Admin', id: admin.id },
      before: admin,
      after: updated,
    });
  });
  return password;
}
