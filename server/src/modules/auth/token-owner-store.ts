import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import type { TokenKind } from '@foyer/contract/resources/auth/oauth-token.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export interface TokenOwnerRow {
  readonly family_id: Uuid;
  readonly kind: TokenKind;
  readonly client_id: Uuid;
  readonly client_name: string;
  readonly client_scopes: string[];
  readonly population: Population;
  readonly scopes: string[];
  readonly expires_at: string;
  readonly created_at: string;
  readonly admin_id: Uuid | null;
  readonly user_id: Uuid | null;
  readonly name: string | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly permissions: PermissionName[];
  readonly is_full_admin: boolean;
  /** Always false for users and clients. */
  readonly lacks_second_factor: boolean;
}

/** Whether the client may still use the grant of the family. */
export const isGrantAllowed = sql`case family.kind
  when 'password' then 'password' = any(client.grants)
  when 'authorization' then 'authorization_code' = any(client.grants)
  when 'client' then 'client_credentials' = any(client.grants)
  else true end`;

export const isOwnerActive = sql`(family.kind = 'client' or coalesce(admin.status, person.status, 'inactive') = 'active')`;

/**
 * The owner of the access token, if token and family are valid and the owner is active. The same statement stores the
 * time of the last use, once a minute.
 */
export async function findTokenOwner(
  db: Database,
  tokenHash: Buffer,
  now: string,
  shouldStoreUse = true,
): Promise<TokenOwnerRow | undefined> {
  const { rows } = await sql<TokenOwnerRow>`
    with token_owner as (
      select family.id as family_id, family.kind, client.id as client_id, client.name as client_name,
        client.scopes as client_scopes, family.population, token.scopes, token.expires_at, token.created_at,
        family.admin_id, family.user_id,
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
        ) as is_full_admin,
        family.admin_id is not null and not exists(
          select from admin_two_factor where admin_id = family.admin_id and confirmed_at is not null
        ) as lacks_second_factor
      from access_tokens token
      join token_families family on family.id = token.family_id
      join oauth_clients client on client.id = family.client_id
      left join admins admin on admin.id = family.admin_id
      left join users person on person.id = family.user_id
      where token.token_hash = ${tokenHash} and token.expires_at > ${now} and family.revoked_at is null
        and ${isOwnerActive} and ${isGrantAllowed}
    )${shouldStoreUse ? setLastUse(now) : sql``}
    select * from token_owner
  `.execute(db);
  return rows[0];
}

function setLastUse(now: string): RawBuilder<unknown> {
  return sql`, due as (
      select id from token_families
      where id = (select family_id from token_owner)
        and (last_used_at is null or last_used_at <= ${now}::timestamptz - interval '1 minute')
      for no key update skip locked
    ), used as (
      update token_families set last_used_at = ${now} from due where token_families.id = due.id
    )`;
}
