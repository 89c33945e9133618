import type { MembershipLevel, Right } from '@foyer/contract/resources/membership.ts';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Users } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** Where the memberships of each level are, and which column names the thing. */
export const places = {
  customer: { table: 'customer_users', key: 'customer_id', object: 'CustomerUser', thing: 'Customer' },
  account: { table: 'account_users', key: 'account_id', object: 'AccountUser', thing: 'Account' },
  room: { table: 'room_users', key: 'room_id', object: 'RoomUser', thing: 'Room' },
} as const satisfies Record<MembershipLevel, unknown>;

export interface MembershipRow {
  readonly id: Uuid;
  readonly thing_id: Uuid;
  readonly user_id: Uuid;
  readonly owner: boolean;
  readonly permissions: Right[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** A membership with what it shows of its user. */
export interface ShownMembershipRow extends MembershipRow {
  readonly first_name: string;
  readonly last_name: string;
  readonly full_name: string;
  readonly email: string;
  readonly status: Selectable<Users>['status'];
}

/** What a membership is read from, and what is read of it. */
export function shownMemberships(level: MembershipLevel) {
  const { table, key } = places[level];
  return {
    from: sql`${sql.table(table)} join users on users.id = ${sql.ref(`${table}.user_id`)}`,
    select: sql`${sql.table(table)}.*, ${sql.ref(`${table}.${key}`)} as thing_id, users.first_name, users.last_name,
      users.full_name, users.email, users.status`,
  };
}

/** @param id the user's or the membership's own. @throws 404 */
export async function requireMembership(
  db: Database | Tx,
  level: MembershipLevel,
  thingId: Uuid,
  id: Uuid,
): Promise<ShownMembershipRow> {
  const { table, key } = places[level];
  const { from, select } = shownMemberships(level);
  const { rows } = await sql<ShownMembershipRow>`
    select ${select} from ${from}
    where ${sql.ref(`${table}.${key}`)} = ${thingId}
      and (${sql.ref(`${table}.user_id`)} = ${id} or ${sql.ref(`${table}.id`)} = ${id})
  `.execute(db);
  if (!rows[0]) throw notFound('The user is not one of its users.');
  return rows[0];
}

export interface Place {
  readonly level: MembershipLevel;
  readonly id: Uuid;
  readonly customerId: Uuid;
  /** That of the customer, or of a reseller above it where that is worse. */
  readonly customerStatus: string;
  /** Domains of the emails that the customer's users may have; empty when any. */
  readonly registrationDomains: readonly string[];
}

/** @throws 404 */
export async function requirePlace(db: Database | Tx, level: MembershipLevel, id: Uuid): Promise<Place> {
  const { rows } = await sql<{ customer_id: Uuid; status: string; domains: string[] }>`
    select customer.id as customer_id, customer.effective_status as status, customer.allowed_domains_registration as domains
    from customers customer where customer.id = ${customerOf(level, id)}
  `.execute(db);
  const found = rows[0];
  if (!found) throw notFound(`The ${level} was not found.`);
  return {
    level,
    id,
    customerId: found.customer_id,
    customerStatus: found.status,
    registrationDomains: found.domains,
  };
}

/**
 * The memberships of a thing change one after the other; its customer stays as it is meanwhile. Locks are taken from
 * the top down, and before those of users. @throws 404
 */
export async function lockPlace(tx: Tx, level: MembershipLevel, id: Uuid): Promise<Place> {
  const strength = level === 'customer' ? sql`for no key update` : sql`for share`;
  await sql`select from customers where id = ${customerOf(level, id)} ${strength}`.execute(tx);
  if (level !== 'customer')
    await sql`select from ${sql.table(`${level}s`)} where id = ${id} for no key update`.execute(tx);
  return await requirePlace(tx, level, id);
}

function customerOf(level: MembershipLevel, id: Uuid) {
  if (level === 'customer') return sql`${id}::uuid`;
  return level === 'account'
    ? sql`(select subscriber_id from accounts where id = ${id})`
    : sql`(select customer_id from rooms where id = ${id})`;
}

/** False when the user is one of its users already. */
export async function insertMembership(tx: Tx, level: MembershipLevel, row: MembershipRow): Promise<boolean> {
  const { table, key } = places[level];
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (id, ${sql.ref(key)}, user_id, owner, permissions, created_at, updated_at)
    values (${row.id}, ${row.thing_id}, ${row.user_id}, ${row.owner}, ${row.permissions}, ${row.created_at}, ${row.updated_at})
    on conflict (${sql.ref(key)}, user_id) do nothing
  `.execute(tx);
  return numAffectedRows === 1n;
}

/** What is given by somebody is no longer what came by opening. */
export async function storeMembership(
  tx: Tx,
  level: MembershipLevel,
  id: Uuid,
  changes: Pick<MembershipRow, 'owner' | 'permissions' | 'updated_at'>,
): Promise<void> {
  await sql`
    update ${sql.table(places[level].table)}
    set ${level === 'customer' ? sql`` : sql`opened = false,`} owner = ${changes.owner}, permissions = ${changes.permissions}, updated_at = ${changes.updated_at}
    where id = ${id}
  `.execute(tx);
}

export async function deleteMembership(tx: Tx, level: MembershipLevel, id: Uuid): Promise<void> {
  await sql`delete from ${sql.table(places[level].table)} where id = ${id}`.execute(tx);
}

/** The memberships of a user who is being deleted, with the customer to which each thing belongs. */
export async function deleteMembershipsOfUser(
  tx: Tx,
  level: MembershipLevel,
  userId: Uuid,
): Promise<(MembershipRow & { customer_id: Uuid })[]> {
  const { table, key } = places[level];
  const things = sql.table(`${level}s`);
  const customer = sql.ref(`thing.${{ customer: 'id', account: 'subscriber_id', room: 'customer_id' }[level]}`);
  const { rows } = await sql<MembershipRow & { customer_id: Uuid }>`
    with locked as materialized (
      select id from ${sql.table(table)} where user_id = ${userId} order by id for update
    )
    delete from ${sql.table(table)} held using locked, ${things} thing
    where held.id = locked.id and thing.id = ${sql.ref(`held.${key}`)}
    returning held.*, thing.id as thing_id, ${customer} as customer_id
  `.execute(tx);
  return rows;
}

/** The membership of the owner: everything that can have users has one. */
export async function findOwnership(
  tx: Tx,
  level: MembershipLevel,
  thingId: Uuid,
): Promise<Pick<MembershipRow, 'id' | 'user_id'> | undefined> {
  const { table, key } = places[level];
  const { rows } = await sql<Pick<MembershipRow, 'id' | 'user_id'>>`
    select id, user_id from ${sql.table(table)} where ${sql.ref(key)} = ${thingId} and owner
  `.execute(tx);
  return rows[0];
}

/** The user who owns the thing. */
export async function findOwnerId(tx: Tx, level: MembershipLevel, thingId: Uuid): Promise<Uuid> {
  const owner = await findOwnership(tx, level, thingId);
  if (!owner) throw new Error(`The ${level} ${thingId} has no owner.`);
  return owner.user_id;
}

/** Whether the user belongs to the customer, or to an account or a room of it. */
export async function belongsToCustomer(tx: Database | Tx, userId: Uuid, customerId: Uuid): Promise<boolean> {
  const { rows } = await sql<{ belongs: boolean }>`
    select exists(select from customer_users where user_id = ${userId} and customer_id = ${customerId})
      or exists(
        select from account_users held join accounts on accounts.id = held.account_id
        where held.user_id = ${userId} and accounts.subscriber_id = ${customerId}
      )
      or exists(
        select from room_users held join rooms on rooms.id = held.room_id
        where held.user_id = ${userId} and rooms.customer_id = ${customerId}
      ) as belongs
  `.execute(tx);
  return rows[0]?.belongs === true;
}
