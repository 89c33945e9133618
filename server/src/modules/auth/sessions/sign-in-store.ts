import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import {
  type Owner,
  ownerColumn,
  type ProvenOwner,
  removeSessionsOfOwner,
  revokeFamilies,
  type TokenFamilyRow,
  type TokenHash,
} from '../store.ts';

export interface SignInAdminRow {
  readonly id: Uuid;
  readonly username: string;
  readonly status: string;
  readonly password_hash: string;
  readonly has_second_factor: boolean;
}

/** By user name or email, not case-sensitive. */
export async function findAdminForSignIn(db: Database, name: string): Promise<SignInAdminRow | undefined> {
  const { rows } = await sql<SignInAdminRow>`
    select admins.*, exists(
      select from admin_two_factor where admin_id = admins.id and confirmed_at is not null
    ) as has_second_factor
    from admins where lower(username) = ${name.toLowerCase()} or lower(email) = ${name.toLowerCase()}
    order by id limit 1
  `.execute(db);
  return rows[0];
}

export interface SignInUserRow {
  readonly id: Uuid;
  readonly email: string;
  readonly status: string;
  readonly password_hash: string | null;
  /** False when every customer of the user is inactive or terminated; true for a user without any. */
  readonly has_access: boolean;
}

/** Whether the `person` has a customer whose users can sign in. */
const hasAccess = sql<boolean>`coalesce((
  select bool_or(customer.effective_status in ('active', 'suspended')) from (
    select customer_id from customer_users where user_id = person.id
    union
    select account.subscriber_id from account_users held join accounts account on account.id = held.account_id
    where held.user_id = person.id
    union
    select room.customer_id from room_users held join rooms room on room.id = held.room_id
    where held.user_id = person.id
  ) membership join customers customer on customer.id = membership.customer_id
), true)`;

/** By email, not case-sensitive. */
export async function findUserForSignIn(db: Database, email: string): Promise<SignInUserRow | undefined> {
  const { rows } = await sql<SignInUserRow>`
    select person.*, ${hasAccess} as has_access
    from users person where lower(email) = ${email.toLowerCase()}
  `.execute(db);
  return rows[0];
}

export interface SignedInUser {
  readonly id: Uuid;
  readonly email: string;
  readonly fullName: string;
}

/**
 * The user of a session on the room pages, if they could still sign in: the user is active, belongs to a customer whose
 * users can sign in, and has the same password as at sign-in.
 */
export async function findSignedInUser(
  db: Database,
  tokenHash: Buffer,
  now: string,
): Promise<SignedInUser | undefined> {
  const { rows } = await sql<SignedInUser>`
    select person.id, person.email, person.full_name as "fullName"
    from authorization_sessions session join users person on person.id = session.user_id
    where session.token_hash = ${tokenHash} and session.expires_at > ${now} and person.status = 'active'
      and sha256(convert_to(person.password_hash, 'UTF8')) = session.password_mark and ${hasAccess}
  `.execute(db);
  return rows[0];
}

/**
 * Ends all earlier sessions of an administrator, and all sessions on consent pages. Personal access tokens stay valid.
 */
export async function endSignIns(tx: Tx, adminId: Uuid, keptFamilyId: Uuid, now: string): Promise<TokenFamilyRow[]> {
  await removeSessionsOfOwner(tx, 'admin_id', adminId);
  const isSignIn = sql`admin_id = ${adminId} and kind in ('session', 'password', 'authorization')`;
  return await revokeFamilies(tx, sql`${isSignIn} and id <> ${keptFamilyId}`, now);
}

/** The credentials of a person. */
export interface Credentials {
  /** Null if the person does not exist or has no password. */
  readonly passwordHash: string | null;
  readonly hasSecondFactor: boolean;
}

/** Reads the credentials and locks them until the transaction ends. */
export async function lockCredentialsForShare(tx: Tx, { population, id }: Owner): Promise<Credentials> {
  const { rows } = await sql<Credentials>`
    select password_hash as "passwordHash", has_second_factor as "hasSecondFactor"
    from share_credentials(${population}, ${id})
  `.execute(tx);
  return onlyRow(rows);
}

export interface NewSession {
  readonly family: TokenFamilyRow;
  readonly owner: ProvenOwner;
  readonly access: TokenHash;
  /** Null if the client may not use refresh tokens. */
  readonly refresh: TokenHash | null;
}

/**
 * Creates the session with its tokens and events, if the credentials have not changed, in one statement.
 * @param eventQueries parts of a `with` clause that insert the events if the CTE `family` has a row
 * @returns the current credentials of the person, from which the caller learns whether the session was created
 */
export async function insertSession(
  db: Database,
  { family, owner: { population, id: ownerId, proof }, access, refresh }: NewSession,
  eventQueries: RawBuilder<unknown>,
): Promise<Credentials> {
  const scopes = sql`${family.scopes}::text[]`;
  const selectToken = ({ hash, expiresAt }: TokenHash) =>
    sql`select ${hash}::bytea, id, ${scopes}, ${expiresAt}::timestamptz, ${family.created_at}::timestamptz from family`;
  const refreshInsert = refresh
    ? sql`refresh as (
      insert into refresh_tokens (token_hash, family_id, scopes, expires_at, created_at) ${selectToken(refresh)}
    ), `
    : sql``;
  const { rows } = await sql<Credentials>`
    with credentials as materialized (
      select password_hash, has_second_factor from share_credentials(${population}, ${ownerId})
    ), proven as (
      select from credentials
      where password_hash = ${proof.passwordHash} and (${proof.isSecondFactorVerified} or not has_second_factor)
    ), family as (
      insert into token_families (id, kind, client_id, population, ${sql.ref(ownerColumn(population))}, scopes, address,
        user_agent, expires_at, created_at)
      select ${family.id}::uuid, ${family.kind}, ${family.client_id}::uuid, ${population}, ${ownerId}::uuid, ${scopes},
        ${family.address}, ${family.user_agent}, ${family.expires_at}::timestamptz, ${family.created_at}::timestamptz
      from proven
      returning id
    ), access as (
      insert into access_tokens (token_hash, family_id, scopes, expires_at, created_at) ${selectToken(access)}
    ), ${refreshInsert}${eventQueries}
    select password_hash as "passwordHash", has_second_factor as "hasSecondFactor" from credentials
  `.execute(db);
  return onlyRow(rows);
}

function onlyRow(rows: readonly Credentials[]): Credentials {
  const [row] = rows;
  if (!row) throw new Error('The database returned no credentials.');
  return row;
}
