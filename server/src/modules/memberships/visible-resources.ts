import type { Right } from '@foyer/contract/conventions/rights.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';

/**
 * A subquery of the ids of the customers that the user can see. It starts at the user's own memberships, so its cost does
 * not grow with the platform. A membership in a reseller includes all customers below it.
 */
export function visibleCustomers(userId: Uuid, right: Right = 'read-customer'): RawBuilder<unknown> {
  return sql`(
    select held.customer_id from customer_users held
    join customers visible on visible.id = held.customer_id and ${allowsAccess('visible')}
    where held.user_id = ${userId} and ${hasRight('held', right)}
    union
    select visible.id from customer_users held
    join customers reseller on reseller.id = held.customer_id and reseller.is_reseller and ${allowsAccess('reseller')}
    join customers visible on visible.ancestors @> array[reseller.id] and visible.ancestors <> '{}'
    where held.user_id = ${userId} and ${hasRight('held', right)})`;
}

/** As `visibleCustomers`, and also the deleted customers of the branch, whose events are kept. */
export function visibleCustomersOfEvents(userId: Uuid, right: Right): RawBuilder<unknown> {
  return sql`(
    select id from ${visibleCustomers(userId, right)} existing (id)
    union
    select deleted.id from customer_users held
    join customers reseller on reseller.id = held.customer_id and reseller.is_reseller and ${allowsAccess('reseller')}
    join deleted_customers deleted on deleted.ancestors @> array[reseller.id]
    where held.user_id = ${userId} and ${hasRight('held', right)})`;
}

/** Only the customers in which the user has a membership, without those below a reseller. */
export function customersOfUser(userId: Uuid, right: Right): RawBuilder<unknown> {
  return sql`(
    select held.customer_id from customer_users held
    join customers own on own.id = held.customer_id and ${allowsAccess('own')}
    where held.user_id = ${userId} and ${hasRight('held', right)})`;
}

/** The topmost customers of all memberships of the user. */
export async function tenantsOfUser(db: Database, userId: Uuid): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select distinct coalesce(ancestors[1], id) as id from customers where id in (
      select customer_id from customer_users where user_id = ${userId}
      union
      select subscriber_id from account_users join accounts on accounts.id = account_id where user_id = ${userId}
      union
      select customer_id from room_users join rooms on rooms.id = room_id where user_id = ${userId})
  `.execute(db);
  return idsOf(rows);
}

export function visibleAccounts(userId: Uuid, right: Right = 'read-account'): RawBuilder<unknown> {
  return sql`(
    select visible.id from accounts visible where visible.subscriber_id in ${visibleCustomers(userId, right)}
    union all
    select visible.id from account_users held
    join accounts visible on visible.id = held.account_id
    join customers owner on owner.id = visible.subscriber_id and ${allowsAccess('owner')}
    where held.user_id = ${userId} and ${hasRight('held', right)})`;
}

export function visibleRooms(userId: Uuid, right: Right = 'read-room'): RawBuilder<unknown> {
  return sql`(
    select visible.id from rooms visible where visible.customer_id in ${visibleCustomers(userId, right)}
    union all
    select visible.id from account_users held
    join rooms visible on visible.account_id = held.account_id
    join customers owner on owner.id = visible.customer_id and ${allowsAccess('owner')}
    where held.user_id = ${userId} and ${hasRight('held', right)}
    union all
    select visible.id from room_users held
    join rooms visible on visible.id = held.room_id
    join customers owner on owner.id = visible.customer_id and ${allowsAccess('owner')}
    where held.user_id = ${userId} and ${hasRight('held', right)})`;
}

/** The user, and the users of every resource whose users they manage. */
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

/** A condition on a customer: users of inactive and terminated customers, and of customers below those, have no access. */
export function allowsAccess(customer: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${customer}.effective_status`)} in ('active', 'suspended')`;
}

/** @param membership the alias of a row */
export function hasRight(membership: string, right: Right): RawBuilder<unknown> {
  return sql`(${sql.ref(`${membership}.owner`)} or ${sql.ref(`${membership}.permissions`)} @> array[${right}]::text[])`;
}
