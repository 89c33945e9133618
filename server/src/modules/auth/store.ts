import type { PermissionName } from '@foyer/contract/permissions.ts';
import type { Population } from '@foyer/contract/endpoint.ts';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { OauthClients } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identifier.ts';

export type OauthClientRow = Selectable<OauthClients>;

export interface TokenOwnerRow {
  readonly family_id: Uuid;
  readonly client_id: Uuid;
  readonly client_name: string;
  readonly population: Population;
  readonly scopes: string[];
  readonly expires_at: string;
  readonly admin_id: Uuid | null;
  readonly user_id: Uuid | null;
  readonly name: string;
  readonly locale: string;
  readonly timezone: string;
  readonly permissions: PermissionName[];
  readonly is_full_admin: boolean;
}

/** Who holds the access token, when it and its family are valid and its owner is active; one statement. */
export async function findTokenOwner(db: Database, tokenHash: Buffer, now: string): Promise<TokenOwnerRow | undefined> {
  const { rows } = await sql<TokenOwnerRow>`
    select family.id as family_id, client.id as client_id, client.name as client_name, family.population, token.scopes, token.expires_at, family.admin_id, family.user_id,
      coalesce(admin.username, person.email) as name, coalesce(admin.locale, person.locale) as locale,
      coalesce(admin.timezone, person.timezone) as timezone,
      array(
        select distinct permission.name from admin_roles held
        join role_permissions granted on granted.role_id = held.role_id
        join permissions permission on permission.id = granted.permission_id
        where held.admin_id = family.admin_id
      ) as permissions,
      exists(
        select from admin_roles held join roles role on role.id = held.role_id
        where held.admin_id = family.admin_id and role.name = 'admin'
      ) as is_full_admin
    from access_tokens token
    join token_families family on family.id = token.family_id
    join oauth_clients client on client.id = family.client_id
    left join admins admin on admin.id = family.admin_id
    left join users person on person.id = family.user_id
    where token.token_hash = ${tokenHash} and token.expires_at > ${now} and family.revoked_at is null
      and coalesce(admin.status, person.status) = 'active'
  `.execute(db);
  return rows[0];
}

export async function findClient(db: Database | Tx, id: Uuid): Promise<OauthClientRow | undefined> {
  return await db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function proxyClient(db: Database | Tx, population: Population): Promise<OauthClientRow> {
  return await db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('population', '=', population)
    .where('proxy', '=', true)
    .executeTakeFirstOrThrow();
}

export async function insertClient(
  tx: Tx,
  client: Pick<OauthClientRow, 'id' | 'name' | 'population' | 'secret_hash' | 'grants' | 'scopes' | 'proxy'>,
  now: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('oauth_clients')
    .values({ ...client, first_party: true, confidential: true, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) > 0;
}

export interface Owner {
  readonly population: Population;
  readonly id: Uuid;
  readonly name: string;
}

export async function insertFamily(
  tx: Tx,
  clientId: Uuid,
  owner: Owner,
  scopes: readonly string[],
  now: string,
): Promise<Uuid> {
  const id = newUuid();
  await tx
    .insertInto('token_families')
    .values({
      id,
      client_id: clientId,
      population: owner.population,
      admin_id: owner.population === 'admins' ? owner.id : null,
      user_id: owner.population === 'users' ? owner.id : null,
      scopes: [...scopes],
      created_at: now,
    })
    .execute();
  return id;
}

export interface TokenHashes {
  readonly familyId: Uuid;
  readonly scopes: readonly string[];
  readonly accessHash: Buffer;
  readonly accessExpiresAt: string;
  readonly refreshHash: Buffer;
  readonly refreshExpiresAt: string;
}

/** Access and refresh token in one statement. */
export async function insertTokens(tx: Tx, tokens: TokenHashes, now: string): Promise<void> {
  await sql`
    with access as (
      insert into access_tokens (token_hash, family_id, scopes, expires_at, created_at)
      values (${tokens.accessHash}, ${tokens.familyId}, ${[...tokens.scopes]}, ${tokens.accessExpiresAt}, ${now})
    )
    insert into refresh_tokens (token_hash, family_id, scopes, expires_at, created_at)
    values (${tokens.refreshHash}, ${tokens.familyId}, ${[...tokens.scopes]}, ${tokens.refreshExpiresAt}, ${now})
  `.execute(tx);
}

export interface RefreshTokenRow {
  readonly family_id: Uuid;
  readonly client_id: Uuid;
  readonly population: Population;
  readonly admin_id: Uuid | null;
  readonly user_id: Uuid | null;
  readonly owner_name: string | null;
  readonly owner_active: boolean;
  readonly scopes: string[];
  readonly expires_at: string;
  readonly rotated_at: string | null;
  readonly revoked_at: string | null;
}

/** The refresh token with its family, locked: of parallel renewals each sees what the one before it did. */
export async function lockRefreshToken(tx: Tx, tokenHash: Buffer): Promise<RefreshTokenRow | undefined> {
  const { rows } = await sql<RefreshTokenRow>`
    select token.family_id, family.client_id, family.population, family.admin_id, family.user_id, family.revoked_at,
      coalesce(admin.username, person.email) as owner_name,
      coalesce(admin.status, person.status, 'inactive') = 'active' as owner_active,
      token.scopes, token.expires_at, token.rotated_at
    from refresh_tokens token
    join token_families family on family.id = token.family_id
    left join admins admin on admin.id = family.admin_id
    left join users person on person.id = family.user_id
    where token.token_hash = ${tokenHash}
    for update of token
  `.execute(tx);
  return rows[0];
}

/** Which client the refresh token was issued to, and with which scopes. */
export async function findRefreshToken(
  db: Database,
  tokenHash: Buffer,
): Promise<{ client_id: Uuid; scopes: string[] } | undefined> {
  return await db
    .selectFrom('refresh_tokens')
    .innerJoin('token_families', 'token_families.id', 'refresh_tokens.family_id')
    .select(['token_families.client_id', 'refresh_tokens.scopes'])
    .where('refresh_tokens.token_hash', '=', tokenHash)
    .executeTakeFirst();
}

export async function markRotated(tx: Tx, tokenHash: Buffer, now: string): Promise<void> {
  await tx
    .updateTable('refresh_tokens')
    .set({ rotated_at: now })
    .where('token_hash', '=', tokenHash)
    .where('rotated_at', 'is', null)
    .execute();
}

export async function revokeFamily(tx: Tx, id: Uuid, now: string): Promise<void> {
  await tx
    .updateTable('token_families')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function revokeFamiliesOfAdmin(tx: Tx, adminId: Uuid, now: string): Promise<void> {
  await tx
    .updateTable('token_families')
    .set({ revoked_at: now })
    .where('admin_id', '=', adminId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Families of which nothing can be renewed or used any more. */
export async function removeExpiredFamilies(db: Database, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with gone as (
      select id from token_families family
      where created_at < ${before}::timestamptz
        and not exists (select from refresh_tokens where family_id = family.id and expires_at >= ${before})
        and not exists (select from access_tokens where family_id = family.id and expires_at >= ${before})
      limit ${limit} for update skip locked
    )
    delete from token_families where id in (select id from gone)
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** By email, whatever the case. */
export async function findUserByEmail(db: Database | Tx, email: string) {
  return await db
    .selectFrom('users')
    .select(['id', 'email', 'status', 'password_hash'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}
