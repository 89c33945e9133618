import { type RawBuilder, sql } from 'kysely';
import { isTrue } from '../../database/row-store.ts';
import type { Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import type { CustomerRow } from './store.ts';
import { lockCustomerForUse } from './use-customer.ts';

/** The maximum depth of the customer hierarchy. */
const maxDepth = 8;

/**
 * Locks the reseller below which a customer is created, for share.
 * @throws 422 naming `parent_customer_id`, 409 `customer-not-active`
 */
export async function lockParent(tx: Tx, id: Uuid): Promise<CustomerRow> {
  const parent = await lockCustomerForUse(tx, id, 'parent_customer_id');
  if (!parent.is_reseller) throw invalidInput({ parent_customer_id: ['The parent customer is not a reseller.'] });
  if (parent.ancestors.length >= maxDepth - 1)
    throw invalidInput({ parent_customer_id: [`Customers can be nested at most ${maxDepth} levels deep.`] });
  return parent;
}

/**
 * The caller locks the customer, so that no sub-customer is created meanwhile.
 * @throws 409 `has-sub-customers`
 */
export async function refuseWithSubCustomers(tx: Tx, id: Uuid, includesTerminated = true): Promise<void> {
  const notTerminated = includesTerminated ? sql`` : sql`and status <> 'terminated'`;
  if (!(await isTrue(tx, sql`exists(select from customers where parent_customer_id = ${id} ${notTerminated})`))) return;
  const sentence = `The customer has sub-customers. ${includesTerminated ? 'Delete' : 'Terminate'} them first.`;
  throw conflict('has-sub-customers', sentence);
}

/**
 * Users cannot end subscriptions that the platform sold. The caller locks the customer, so that none is sold meanwhile.
 * @throws 409 `sold-by-platform` for users
 */
export async function refuseSoldByPlatform(tx: Tx, actor: Actor, id: Uuid): Promise<void> {
  if (actor.type !== 'user') return;
  const running = sql`parent_subscription_id is null and subscriptions.status not in ('inactive', 'terminated')`;
  if (await hasSubscription(tx, id, running))
    throw conflict(
      'sold-by-platform',
      'The customer, or one below it, has a running subscription from the platform. Ask the platform to end it first.',
    );
}

/**
 * Users cannot end subscriptions that the platform holds, not even by ending the customer. The caller locks the customer.
 * @throws 409 `held-by-platform` for users
 */
export async function refuseWithHeldSubscriptions(tx: Tx, actor: Actor, id: Uuid): Promise<void> {
  if (actor.type !== 'user') return;
  if (await hasSubscription(tx, id, sql`subscriptions.held_by_platform`))
    throw conflict(
      'held-by-platform',
      'The platform suspended or canceled a subscription of this customer or of one below it. Only a platform administrator can end it.',
    );
}

/** Whether the customer, or one below it, has such a subscription. */
async function hasSubscription(tx: Tx, customerId: Uuid, condition: RawBuilder<unknown>): Promise<boolean> {
  return await isTrue(
    tx,
    sql`exists(
      select from customers reached join subscriptions on subscriptions.subscriber_id = reached.id
      where (reached.id = ${customerId} or reached.ancestors @> array[${customerId}::uuid]) and ${condition}
    )`,
  );
}

/**
 * Writes the effective status of a locked customer to all customers below it, level by level. Creating a customer locks
 * its parent for share, so no level gains a row after its parents are written.
 */
export async function propagateStatus(tx: Tx, customer: Pick<CustomerRow, 'id' | 'effective_status'>): Promise<void> {
  let parents: { id: Uuid; effective_status: string }[] = [customer];
  while (parents.length > 0) {
    const { rows } = await sql<{ id: Uuid; effective_status: string }>`
      with locked as materialized (
        select id from customers where parent_customer_id = any(${idsOf(parents)}::uuid[])
        order by id for no key update
      )
      update customers below set status_above = parent.effective_status
      from locked, customers parent
      where below.id = locked.id and parent.id = below.parent_customer_id
        and below.status_above <> parent.effective_status
      returning below.id, below.effective_status
    `.execute(tx);
    parents = rows;
  }
}
