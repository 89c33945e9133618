import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowStore } from '../../database/row-store.ts';
import type { TokenFamilies } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import { isGrantAllowed, isOwnerActive } from './token-owner-store.ts';

export type TokenFamilyRow = Selectable<TokenFamilies>;

export interface Owner {
  readonly population: Population;
  readonly id: Uuid;
  readonly name: string;
}

/** A person whose credentials were just verified. */
export interface ProvenOwner extends Owner {
  /** The row of the person, for the event. */
  readonly row: { readonly id: Uuid };
  readonly proof: SignInProof;
}

export interface SignInProof {
  /** The hash that the password matched. */
  readonly passwordHash: string;
  readonly isSecondFactorVerified: boolean;
}

const families = rowStore('token_families', 'token');

export const { insert: insertFamily } = families;

/** The stored data of a token. */
export interface TokenHash {
  readonly hash: Buffer;
  readonly expiresAt: string;
}

export interface AccessTokenHash extends TokenHash {
  readonly familyId: Uuid;
  readonly scopes: readonly string[];
}

export async function insertAccessToken(tx: Tx, token: AccessTokenHash, now: string): Promise<void> {
  await tx
    .insertInto('access_tokens')
    .values({
      token_hash: token.hash,
      family_id: token.familyId,
      scopes: [...token.scopes],
      expires_at: token.expiresAt,
      created_at: now,
    })
    .execute();
}

/** Inserts access and refresh token in one statement. The refresh token keeps all granted scopes. */
export async function insertTokenPair(
  tx: Tx,
  access: AccessTokenHash,
  refresh: Omit<AccessTokenHash, 'familyId'>,
  now: string,
): Promise<void> {
  await sql`
    with access as (
      insert into access_tokens (token_hash, family_id, scopes, expires_at, created_at)
      values (${access.hash}, ${access.familyId}, ${[...access.scopes]}, ${access.expiresAt}, ${now})
    )
    insert into refresh_tokens (token_hash, family_id, scopes, expires_at, created_at)
    values (${refresh.hash}, ${access.familyId}, ${[...refresh.scopes]}, ${refresh.expiresAt}, ${now})
  `.execute(tx);
}

export interface RefreshTokenRow {
  readonly family_id: Uuid;
  readonly client_id: Uuid;
  readonly client_scopes: string[];
  readonly population: Population;
  readonly admin_id: Uuid | null;
  readonly user_id: Uuid | null;
  readonly owner_name: string | null;
  readonly is_owner_active: boolean;
  readonly is_grant_allowed: boolean;
  readonly scopes: string[];
  readonly created_at: string;
  readonly expires_at: string;
  readonly rotated_at: string | null;
  readonly revoked_at: string | null;
}

/**
 * Reads the refresh token and locks its family, so that concurrent renewals run one after the other. Lock order:
 * family, tokens.
 */
export async function lockRefreshToken(tx: Tx, tokenHash: Buffer): Promise<RefreshTokenRow | undefined> {
  await sql`
    select from token_families where id = (select family_id from refresh_tokens where token_hash = ${tokenHash})
    for no key update
  `.execute(tx);
  return await findRefreshToken(tx, tokenHash);
}

export async function findRefreshToken(db: Database | Tx, tokenHash: Buffer): Promise<RefreshTokenRow | undefined> {
  const { rows } = await sql<RefreshTokenRow>`
    select token.family_id, family.client_id, client.scopes as client_scopes, family.population, family.admin_id,
      family.user_id, family.revoked_at, coalesce(admin.username, person.email) as owner_name,
      ${isOwnerActive} as is_owner_active, ${isGrantAllowed} as is_grant_allowed,
      token.scopes, token.created_at, token.expires_at, token.rotated_at
    from refresh_tokens token
    join token_families family on family.id = token.family_id
    join oauth_clients client on client.id = family.client_id
    left join admins admin on admin.id = family.admin_id
    left join users person on person.id = family.user_id
    where token.token_hash = ${tokenHash}
  `.execute(db);
  return rows[0];
}

/** The family of the access or refresh token, even if the token can no longer be used. */
export async function findFamilyOfToken(db: Database, tokenHash: Buffer): Promise<TokenFamilyRow | undefined> {
  const { rows } = await sql<TokenFamilyRow>`
    select * from token_families where id = coalesce(
      (select family_id from access_tokens where token_hash = ${tokenHash}),
      (select family_id from refresh_tokens where token_hash = ${tokenHash})
    )
  `.execute(db);
  return rows[0];
}

export async function markRotated(tx: Tx, tokenHash: Buffer, now: string): Promise<void> {
  await tx
    .updateTable('refresh_tokens')
    .set({ rotated_at: now })
    .where('token_hash', '=', tokenHash)
    .where('rotated_at', 'is', null)
    .execute();
}

/** Extends the family to the expiry of its newest token. */
export async function extendFamily(tx: Tx, id: Uuid, expiresAt: string, now: string): Promise<void> {
  await tx
    .updateTable('token_families')
    .set({ last_used_at: now, expires_at: sql`greatest(expires_at, ${expiresAt})` })
    .where('id', '=', id)
    .execute();
}

export async function revokeFamily(tx: Tx, id: Uuid, now: string): Promise<TokenFamilyRow | undefined> {
  return (await revokeFamilies(tx, sql`id = ${id}`, now))[0];
}

/** @returns the families that had not been revoked before */
export async function revokeFamilies(tx: Tx, condition: RawBuilder<unknown>, now: string): Promise<TokenFamilyRow[]> {
  return await families.storeWhere(tx, sql`${condition} and revoked_at is null`, { revoked_at: now });
}

/** The user name or email; null for a client that acts for itself. */
export async function findOwnerName(
  tx: Tx,
  { admin_id: adminId, user_id: userId }: Pick<TokenFamilyRow, 'admin_id' | 'user_id'>,
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select username as name from admins where id = ${adminId} union all select email from users where id = ${userId}
  `.execute(tx);
  return rows[0]?.name ?? null;
}

/** Revokes all families of an owner, or all except one, with the consent sessions and unused codes. */
export async function revokeFamiliesOf(
  tx: Tx,
  { population, id }: Pick<Owner, 'population' | 'id'>,
  now: string,
  keptId: Uuid | null = null,
): Promise<TokenFamilyRow[]> {
  const column = ownerColumn(population);
  await removeSessionsOfOwner(tx, column, id);
  const isOwned = sql`${sql.ref(column)} = ${id}`;
  await sql`
    delete from authorization_codes where code_hash in (
      select code_hash from authorization_codes where ${isOwned} and used_at is null order by code_hash for update)
  `.execute(tx);
  return await revokeFamilies(tx, sql`${isOwned} and id is distinct from ${keptId}::uuid`, now);
}

/** Signs a user out of the consent page and the room pages. */
export async function removeSessionsOfOwner(tx: Tx, column: 'admin_id' | 'user_id', id: Uuid): Promise<void> {
  await sql`
    delete from authorization_sessions where token_hash in (
      select token_hash from authorization_sessions where ${sql.ref(column)} = ${id} order by token_hash for update)
  `.execute(tx);
}

export function ownerColumn(population: Population): 'admin_id' | 'user_id' {
  return population === 'admins' ? 'admin_id' : 'user_id';
}

/** Locks families that can be neither used nor renewed. Skips families that another node has locked. */
export async function lockExpiredFamilies(tx: Tx, before: string, limit: number): Promise<TokenFamilyRow[]> {
  const { rows } = await sql<TokenFamilyRow>`
    select * from token_families where expires_at < ${before}::timestamptz
    order by expires_at limit ${limit} for update skip locked
  `.execute(tx);
  return rows;
}

export async function removeFamilies(tx: Tx, families: readonly TokenFamilyRow[]): Promise<void> {
  await sql`delete from token_families where id = any(${idsOf(families)}::uuid[])`.execute(tx);
}
