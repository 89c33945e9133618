import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { executeAndCount, removeUnlocked } from '../../../database/row-store.ts';
import type { AuthorizationCodes } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type Owner, ownerColumn } from '../store.ts';

export type AuthorizationCodeRow = Selectable<AuthorizationCodes>;

export async function insertCode(tx: Tx, row: Insertable<AuthorizationCodes>): Promise<void> {
  await tx.insertInto('authorization_codes').values(row).execute();
}

export async function findCode(db: Database | Tx, hash: Buffer): Promise<AuthorizationCodeRow | undefined> {
  return await db.selectFrom('authorization_codes').selectAll().where('code_hash', '=', hash).executeTakeFirst();
}

export async function lockCode(tx: Tx, hash: Buffer): Promise<AuthorizationCodeRow | undefined> {
  return await tx
    .selectFrom('authorization_codes')
    .selectAll()
    .where('code_hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();
}

/** @returns false if the code was already used */
export async function markCodeUsed(db: Database, hash: Buffer, now: string): Promise<boolean> {
  const isUnused = sql`code_hash = ${hash} and used_at is null`;
  return (await executeAndCount(db, sql`update authorization_codes set used_at = ${now} where ${isUnused}`)) > 0;
}

export async function storeCode(
  tx: Tx,
  hash: Buffer,
  changes: Partial<Pick<AuthorizationCodeRow, 'family_id' | 'reused_at'>>,
): Promise<void> {
  await tx.updateTable('authorization_codes').set(changes).where('code_hash', '=', hash).execute();
}

/** The owner of a code, if active. */
export async function findActiveOwner(db: Database | Tx, code: AuthorizationCodeRow): Promise<Owner | null> {
  const population: Population = code.admin_id === null ? 'users' : 'admins';
  const id = code.admin_id ?? code.user_id ?? '';
  const { rows } = await sql<{ name: string }>`
    select username as name from admins where id = ${code.admin_id} and status = 'active'
    union all
    select email from users where id = ${code.user_id} and status = 'active'
  `.execute(db);
  return rows[0] ? { population, id, name: rows[0].name } : null;
}

export interface NewSession {
  readonly expiresAt: string;
  readonly now: string;
  /** The device that signed in, if the person gets a mail about sign-ins from new devices. */
  readonly device?: { readonly address: string | null; readonly userAgent: string | null };
}

/** @param owner the person whose password was just checked; the session ends when this password changes */
export async function insertSession(
  tx: Tx,
  tokenHash: Buffer,
  owner: Owner,
  { expiresAt, now, device }: NewSession,
): Promise<void> {
  await sql`
    insert into authorization_sessions (token_hash, admin_id, user_id, password_mark, address, user_agent, expires_at, created_at)
    select ${tokenHash}, ${owner.population === 'admins' ? owner.id : null}::uuid,
      ${owner.population === 'users' ? owner.id : null}::uuid, sha256(convert_to(password_hash, 'UTF8')),
      ${device?.address ?? null}, ${device?.userAgent ?? null}, ${expiresAt}::timestamptz, ${now}::timestamptz
    from ${sql.table(owner.population)} where id = ${owner.id} and password_hash is not null
  `.execute(tx);
}

export interface SessionOwner extends Owner {
  readonly fullName: string;
  readonly email: string;
}

/** The person who is signed in on the consent page. @param population the population of the requesting client */
export async function findSessionOwner(
  db: Database,
  tokenHash: Buffer,
  population: Population,
  now: string,
): Promise<SessionOwner | null> {
  const { rows } = await sql<{ id: Uuid; name: string; email: string; full_name: string }>`
    select person.id, ${population === 'admins' ? sql`person.username` : sql`person.email`} as name, person.email,
      person.full_name
    from authorization_sessions session
    join ${sql.table(population)} person on person.id = ${sql.ref(`session.${ownerColumn(population)}`)}
    where session.token_hash = ${tokenHash} and session.expires_at > ${now} and person.status = 'active'
      and sha256(convert_to(person.password_hash, 'UTF8')) = session.password_mark
  `.execute(db);
  const [row] = rows;
  return row ? { population, id: row.id, name: row.name, email: row.email, fullName: row.full_name } : null;
}

export async function removeSession(db: Database, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom('authorization_sessions').where('token_hash', '=', tokenHash).execute();
}

/**
 * Removes codes that expired before `before` and sessions that have expired.
 * @returns the number of removed codes and sessions
 */
export async function removeExpiredAuthorizations(db: Database, before: string, now: string): Promise<number> {
  const codes = await removeUnlocked(db, 'authorization_codes', sql`expires_at < ${before}`);
  return codes + (await removeUnlocked(db, 'authorization_sessions', sql`expires_at < ${now}`));
}
