import { sql } from 'kysely';
import { change, type ChangeServices, system, type Tx } from '../../events/change.ts';
import { newUuid } from '../../platform/identifier.ts';
import { hashPassword } from '../../platform/password.ts';
import { randomCode } from '../../platform/opaque-token.ts';
import { fullAdminRole, storeDefaultRole, storePermissions } from '../roles/index.ts';
import { type AdminRow, grantRoles, hasAdmins, insertAdmin } from './store.ts';

export interface FirstAdmin {
  readonly username: string;
  readonly email: string;
  /** Null: one is generated. */
  readonly password: string | null;
}

/** Nodes that start at once make one administrator between them. */
const lockKey = 7_061_002;

/**
 * Brings permissions and the default role up to date, and makes the first administrator when there is none.
 * @returns the name and password to be shown, once, when an administrator was made.
 */
export async function createFirstAdmin(
  services: ChangeServices,
  first: FirstAdmin,
  locale: string,
): Promise<{ username: string; password: string; generated: boolean } | null> {
  const password = first.password ?? randomCode(20);
  const hash = await hashPassword(password);
  return await change(services, system, async ({ tx, now, emit }) => {
    await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    await storePermissions(tx, now);
    const roleId = await storeDefaultRole(tx, now);
    if (await hasAdmins(tx)) return null;
    const admin = await insertFirstAdmin(tx, first, hash, locale, now);
    await grantRoles(tx, admin.id, [roleId]);
    await emit({
      name: 'admin.created',
      resource: { type: 'Admin', id: admin.id },
      after: { ...admin, roles: [fullAdminRole] },
    });
    return { username: first.username, password, generated: first.password === null };
  });
}

async function insertFirstAdmin(
  tx: Tx,
  first: FirstAdmin,
  hash: string,
  locale: string,
  now: string,
): Promise<AdminRow> {
  const admin = await insertAdmin(tx, {
    id: newUuid(),
    username: first.username,
    email: first.email,
    first_name: 'First',
    last_name: 'Administrator',
    locale,
    timezone: 'UTC',
    password_hash: hash,
    created_at: now,
    updated_at: now,
  });
  if (!admin) throw new Error('Somebody else made the first administrator.');
  return admin;
}
