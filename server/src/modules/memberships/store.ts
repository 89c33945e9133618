import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { isTrue } from '../../database/row-store.ts';
import type { Users } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** The table of each level's memberships, and its column with the resource's id. */
export const membershipTables = {
  customer: { table: 'customer_users', key: 'customer_id' },
  account: { table: 'account_users', key: 'account_id' },
  room: { table: 'room_users', key: 'room_id' },
} as const satisfies Record<MembershipLevel, unknown>;

export interface MembershipRow {
  readonly id: Uuid;
  readonly resource_id: Uuid;
  readonly user_id: Uuid;
  readonly owner: boolean;
  readonly permissions: Right[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** A membership with the data of its user. */
export interface MembershipWithUser extends MembershipRow {
  readonly first_name: string;
  readonly last_name: string;
  readonly full_name: string;
  readonly email: string;
  readonly status: Selectable<Users>['status'];
}

export function membershipWithUserQuery(level: MembershipLevel) {
  const { table, key } = membershipTables[level];
  return {
    from: sql`${sql.table(table)} join users on users.id = ${sql.ref(`${table}.user_id`)}`,
    select: sql`${sql.table(table)}.*, ${sql.ref(`${table}.${key}`)} as resource_id, users.first_name, users.last_name,
      users.full_name, users.email, users.status`,
  };
}

/** @param id of the user or of the membership @throws 404 */
export async function requireMembership(
  db: Database | Tx,
  level: MembershipLevel,
  resourceId: Uuid,
  id: Uuid,
): Promise<MembershipWithUser> {
  const { table, key } = membershipTables[level];
  const { from, select } = membershipWithUserQuery(level);
  const { rows } = await sql<MembershipWithUser>`
    select ${select} from ${from}
    where ${sql.ref(`${table}.${key}`)} = ${resourceId}
      and (${sql.ref(`${table}.user_id`)} = ${id} or ${sql.ref(`${table}.id`)} = ${id})
  `.execute(db);
  if (!rows[0]) throw notFound(`The user is not a member of this ${level}.`);
  return rows[0];
}

/** Names the customer, account or room that a membership belongs to. */
export interface MembershipResource {
  readonly level: MembershipLevel;
  readonly resourceId: Uuid;
}

/** A customer, account or room with memberships. */
export interface MembershipScope {
  readonly level: MembershipLevel;
  readonly id: Uuid;
  readonly customerId: Uuid;
  /** The effective status, which includes that of parent resellers. */
  readonly customerStatus: string;
  /** Allowed email domains of users; empty for any. */
  readonly registrationDomains: readonly string[];
}

/** @throws 404 */
export async function requireMembershipScope(
  db: Database | Tx,
  level: MembershipLevel,
  id: Uuid,
): Promise<MembershipScope> {
  const { rows } = await sql<{ customer_id: Uuid; status: string; domains: string[] }>`
    select customer.id as customer_id, customer.effective_status as status, customer.allowed_domains_registration as domains
    from customers customer where customer.id = ${customerOf(level, id)}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound(`The ${level} was not found.`);
  return {
    level,
    id,
    customerId: row.customer_id,
    customerStatus: row.status,
    registrationDomains: row.domains,
  };
}

/**
 * Serializes changes of memberships and locks the customer against changes. Lock order: customer, resource, users.
 * @throws 404
 */
export async function lockMembershipScope(tx: Tx, level: MembershipLevel, id: Uuid): Promise<MembershipScope> {
  const strength = level === 'customer' ? sql`for no key update` : sql`for share`;
  await sql`select from customers where id = ${customerOf(level, id)} ${strength}`.execute(tx);
  if (level !== 'customer')
    await sql`select from ${sql.table(`${level}s`)} where id = ${id} for no key update`.execute(tx);
  return await requireMembershipScope(tx, level, id);
}

function customerOf(level: MembershipLevel, id: Uuid) {
  if (level === 'customer') return sql`${id}::uuid`;
  return level === 'account'
    ? sql`(select subscriber_id from accounts where id = ${id})`
    : sql`(select customer_id from rooms where id = ${id})`;
}

/** False if the user is already a member. */
export async function insertMembership(tx: Tx, level: MembershipLevel, row: MembershipRow): Promise<boolean> {
  const { table, key } = membershipTables[level];
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (id, ${sql.ref(key)}, user_id, owner, permissions, created_at, updated_at)
    values (${row.id}, ${row.resource_id}, ${row.user_id}, ${row.owner}, ${row.permissions}, ${row.created_at}, ${row.updated_at})
    on conflict (${sql.ref(key)}, user_id) do nothing
  `.execute(tx);
  return numAffectedRows === 1n;
}

/** A changed membership is no longer a creator's membership. */
export async function storeMembership(
  tx: Tx,
  level: MembershipLevel,
  id: Uuid,
  changes: Pick<MembershipRow, 'owner' | 'permissions' | 'updated_at'>,
): Promise<void> {
  await sql`
    update ${sql.table(membershipTables[level].table)}
    set ${level === 'customer' ? sql`` : sql`opened = false,`} owner = ${changes.owner}, permissions = ${changes.permissions}, updated_at = ${changes.updated_at}
    where id = ${id}
  `.execute(tx);
}

export async function deleteMembership(tx: Tx, level: MembershipLevel, id: Uuid): Promise<void> {
  await sql`delete from ${sql.table(membershipTables[level].table)} where id = ${id}`.execute(tx);
}

/** Deletes all memberships of a user or of a resource. @returns the deleted memberships with the customer of each */
export async function deleteMembershipsOf(
  tx: Tx,
  level: MembershipLevel,
  referenceTo: 'user' | 'resource',
  id: Uuid,
): Promise<(MembershipWithUser & { customer_id: Uuid })[]> {
  const { table, key } = membershipTables[level];
  const column = sql.ref(referenceTo === 'user' ? 'user_id' : key);
  const resources = sql.table(`${level}s`);
  const customer = sql.ref(`resource.${{ customer: 'id', account: 'subscriber_id', room: 'customer_id' }[level]}`);
  const { rows } = await sql<MembershipWithUser & { customer_id: Uuid }>`
    with locked as materialized (
      select id from ${sql.table(table)} where ${column} = ${id} order by id for update
    )
    delete from ${sql.table(table)} held using locked, ${resources} resource, users
    where held.id = locked.id and users.id = held.user_id and resource.id = ${sql.ref(`held.${key}`)}
    returning held.*, resource.id as resource_id, ${customer} as customer_id, users.first_name, users.last_name, users.full_name, users.email, users.status
  `.execute(tx);
  return rows;
}

/** The owner's membership. */
export async function findOwnership(
  tx: Tx,
  level: MembershipLevel,
  resourceId: Uuid,
): Promise<Pick<MembershipRow, 'id' | 'user_id'> | undefined> {
  const { table, key } = membershipTables[level];
  const { rows } = await sql<Pick<MembershipRow, 'id' | 'user_id'>>`
    select id, user_id from ${sql.table(table)} where ${sql.ref(key)} = ${resourceId} and owner
  `.execute(tx);
  return rows[0];
}

export async function findOwnerId(tx: Tx, level: MembershipLevel, resourceId: Uuid): Promise<Uuid> {
  const owner = await findOwnership(tx, level, resourceId);
  if (!owner) throw new Error(`The ${level} ${resourceId} has no owner.`);
  return owner.user_id;
}

/** Whether the user is a member of the customer or of one of its accounts or rooms. */
export async function belongsToCustomer(tx: Database | Tx, userId: Uuid, customerId: Uuid): Promise<boolean> {
  return await isTrue(
    tx,
    sql`exists(select from customer_users where user_id = ${userId} and customer_id = ${customerId})
      or exists(
        select from account_users held join accounts on accounts.id = held.account_id
        where held.user_id = ${userId} and accounts.subscriber_id = ${customerId}
      )
      or exists(
        select from room_users held join rooms on rooms.id = held.room_id
        where held.user_id = ${userId} and rooms.customer_id = ${customerId}
      )`,
  );
}
