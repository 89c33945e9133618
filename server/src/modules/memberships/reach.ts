import type { Right } from '@foyer/contract/resources/membership.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/**
 * The ids of what a user's memberships let be read. Each begins at the user's own memberships, so that it costs what
 * the user has, whatever the platform holds. A membership in a reseller reaches its whole branch: here, in
 * `customersInReach`, and nowhere else.
 */
export function visibleCustomers(userId: Uuid, right: Right = 'read-customer'): RawBuilder<unknown> {
  return sql`(
    select held.customer_id from customer_users held
    join customers reached on reached.id = held.customer_id and ${withAccess('reached')}
    where held.user_id = ${userId} and ${gives('held', right)}
    union
    select reached.id from customer_users held
    join customers reseller on reseller.id = held.customer_id and reseller.is_reseller and ${withAccess('reseller')}
    join customers reached on reached.ancestors @> array[reseller.id] and reached.ancestors <> '{}'
    where held.user_id = ${userId} and ${gives('held', right)})`;
}

/** Of `customersInReach`, those in which the user has a membership: nothing that is only reached from above. */
export function customersOfUser(userId: Uuid, right: Right): RawBuilder<unknown> {
  return sql`(
    select held.customer_id from customer_users held
    join customers own on own.id = held.customer_id and ${withAccess('own')}
    where held.user_id = ${userId} and ${gives('held', right)})`;
}

/** The topmost customers above everything in which the user has a membership. */
export async function tenantsOfUser(db: Database, userId: Uuid): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select distinct coalesce(ancestors[1], id) as id from customers where id in (
      select customer_id from customer_users where user_id = ${userId}
      union
      select subscriber_id from account_users join accounts on accounts.id = account_id where user_id = ${userId}
      union
      select customer_id from room_users join rooms on rooms.id = room_id where user_id = ${userId})
  `.execute(db);
  return rows.map(({ id }) => id);
}

export function visibleAccounts(userId: Uuid, right: Right = 'read-account'): RawBuilder<unknown> {
  return sql`(
    select reached.id from accounts reached where reached.subscriber_id in ${visibleCustomers(userId, right)}
    union all
    select reached.id from account_users held
    join accounts reached on reached.id = held.account_id
    join customers owner on owner.id = reached.subscriber_id and ${withAccess('owner')}
    where held.user_id = ${userId} and ${gives('held', right)})`;
}

export function visibleRooms(userId: Uuid, right: Right = 'read-room'): RawBuilder<unknown> {
  return sql`(
    select reached.id from rooms reached where reached.customer_id in ${visibleCustomers(userId, right)}
    union all
    select reached.id from account_users held
    join rooms reached on reached.account_id = held.account_id
    join customers owner on owner.id = reached.customer_id and ${withAccess('owner')}
    where held.user_id = ${userId} and ${gives('held', right)}
    union all
    select reached.id from room_users held
    join rooms reached on reached.id = held.room_id
    join customers owner on owner.id = reached.customer_id and ${withAccess('owner')}
    where held.user_id = ${userId} and ${gives('held', right)})`;
}

/** Oneself, and the users of everything whose users one manages. */
export function visibleUsers(userId: Uuid): RawBuilder<unknown> {
  return sql`(
    select ${userId}::uuid
    union all
    select other.user_id from customer_users other
    where other.customer_id in ${visibleCustomers(userId, 'manage-customer-users')}
    union all
    select other.user_id from account_users other
    where other.account_id in ${visibleAccounts(userId, 'manage-account-users')}
    union all
    select other.user_id from room_users other
    where other.room_id in ${visibleRooms(userId, 'manage-users')})`;
}

/** An inactive or terminated customer gives its users no access, nor does one below it; those above keep theirs. */
export function withAccess(customer: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${customer}.effective_status`)} in ('active', 'suspended')`;
}

/** Whether the membership, the alias of a row, gives the right. */
export function gives(membership: string, right: Right): RawBuilder<unknown> {
  return sql`(${sql.ref(`${membership}.owner`)} or ${sql.ref(`${membership}.permissions`)} @> array[${right}]::text[])`;
}
