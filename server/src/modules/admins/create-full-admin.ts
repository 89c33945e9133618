import { newRow } from '../../database/row-store.ts';
import { sql } from 'kysely';
import { inTransaction, type ChangeServices, system, type Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { randomCode } from '../../platform/crypto/opaque-token.ts';
import { fullAdminRole, storeDefaultRole, storePermissions } from '../roles/index.ts';
import { type AdminRow, grantRoles, hasAdmins, insertAdmin, findTakenMembers } from './store.ts';

export interface FirstAdmin {
  readonly username: string;
  readonly email: string;
  /** Null to generate one. */
  readonly password: string | null;
}

export interface CreatedAdmin {
  readonly username: string;
  readonly password: string;
  readonly isPasswordGenerated: boolean;
}

/** Advisory lock, so that nodes that start at the same time create one administrator. */
const lockKey = 7_061_002;

/**
 * Updates the stored permissions and the default role, and creates an administrator with all permissions.
 * @param onlyIfNone creates nothing if any administrator exists
 * @returns the name and password of the new administrator, which are shown only once; null if none was created
 * @throws 409 `already-exists`
 */
export async function createFullAdmin(
  services: ChangeServices,
  input: FirstAdmin,
  locale: string,
  { onlyIfNone }: { readonly onlyIfNone: boolean },
): Promise<CreatedAdmin | null> {
  const password = input.password ?? randomCode(20);
  const hash = await hashPassword(password);
  return await inTransaction(services, system, async ({ tx, now, emit }) => {
    await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    await storePermissions(tx, now);
    const roleId = await storeDefaultRole(tx, now);
    const isFirst = !(await hasAdmins(tx));
    if (onlyIfNone && !isFirst) return null;
    const names = isFirst ? firstAdminNames : { first_name: input.username, last_name: 'Administrator' };
    const admin = await insertFullAdmin(tx, { ...input, ...names, locale, password_hash: hash }, now);
    await grantRoles(tx, admin.id, [roleId]);
    await emit(rowEvent('admin.created', { after: { ...admin, roles: [fullAdminRole] } }));
    return { username: input.username, password, isPasswordGenerated: input.password === null };
  });
}

const firstAdminNames = { first_name: 'First', last_name: 'Administrator' };

async function insertFullAdmin(
  tx: Tx,
  input: FirstAdmin & typeof firstAdminNames & Pick<AdminRow, 'locale' | 'password_hash'>,
  now: string,
): Promise<AdminRow> {
  const [takenMember] = await findTakenMembers(tx, input);
  const admin = takenMember
    ? null
    : await insertAdmin(tx, {
        ...newRow(now),
        username: input.username,
        email: input.email,
        first_name: input.first_name,
        last_name: input.last_name,
        locale: input.locale,
        timezone: 'UTC',
        password_hash: input.password_hash,
      });
  if (admin) return admin;
  const value = takenMember === 'email' ? input.email : input.username;
  throw conflict('already-exists', `An administrator ${value} already exists.`);
}
