import { sql } from 'kysely';
import { inTransaction, type ChangeServices, system, type Tx } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { randomCode } from '../../platform/crypto/opaque-token.ts';
import { fullAdminRole, storeDefaultRole, storePermissions } from '../roles/index.ts';
import { type AdminRow, grantRoles, hasAdmins, insertAdmin, takenMembers } from './store.ts';

export interface FirstAdmin {
  readonly username: string;
  readonly email: string;
  /** Null: one is generated. */
  readonly password: string | null;
}

export interface MadeAdmin {
  readonly username: string;
  readonly password: string;
  readonly generated: boolean;
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
): Promise<MadeAdmin | null> {
  return await createFullAdmin(services, first, locale, { onlyFirst: true });
}

/** Makes an administrator with all permissions, whoever is there already. @throws 409 `already-exists` */
export async function createFurtherAdmin(
  services: ChangeServices,
  further: FirstAdmin,
  locale: string,
): Promise<MadeAdmin | null> {
  return await createFullAdmin(services, further, locale, { onlyFirst: false });
}

async function createFullAdmin(
  services: ChangeServices,
  given: FirstAdmin,
  locale: string,
  { onlyFirst }: { readonly onlyFirst: boolean },
): Promise<MadeAdmin | null> {
  const password = given.password ?? randomCode(20);
  const hash = await hashPassword(password);
  return await inTransaction(services, system, async ({ tx, now, emit }) => {
    await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    await storePermissions(tx, now);
    const roleId = await storeDefaultRole(tx, now);
    const isFirst = !(await hasAdmins(tx));
    if (onlyFirst && !isFirst) return null;
    const names = isFirst ? firstNames : { first_name: given.username, last_name: 'Administrator' };
    const admin = await insertFullAdmin(tx, { ...given, ...names }, hash, locale, now);
    await grantRoles(tx, admin.id, [roleId]);
    await emit({
      name: 'admin.created',
      resource: { type: 'Admin', id: admin.id },
      after: { ...admin, roles: [fullAdminRole] },
    });
    return { username: given.username, password, generated: given.password === null };
  });
}

const firstNames = { first_name: 'First', last_name: 'Administrator' };

async function insertFullAdmin(
  tx: Tx,
  given: FirstAdmin & typeof firstNames,
  hash: string,
  locale: string,
  now: string,
): Promise<AdminRow> {
  const [taken] = await takenMembers(tx, given);
  const admin = taken
    ? null
    : await insertAdmin(tx, {
        id: newUuid(),
        username: given.username,
        email: given.email,
        first_name: given.first_name,
        last_name: given.last_name,
        locale,
        timezone: 'UTC',
        password_hash: hash,
        created_at: now,
        updated_at: now,
      });
  if (admin) return admin;
  const value = taken === 'email' ? given.email : given.username;
  throw conflict('already-exists', `There is an administrator ${value} already.`);
}
