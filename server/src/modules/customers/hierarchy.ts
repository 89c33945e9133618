import { sql } from 'kysely';
import type { Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { CustomerRow } from './store.ts';
import { lockCustomerForUse } from './use-customer.ts';

/** How many resellers may stand above each other. */
const maxDepth = 8;

/**
 * The reseller for which a customer is made, kept as it is until the transaction ends.
 * @throws 422 naming `parent_customer_id`, 409 `customer-not-active`
 */
export async function lockParent(tx: Tx, id: Uuid): Promise<CustomerRow> {
  const parent = await lockCustomerForUse(tx, id, 'parent_customer_id');
  if (!parent.is_reseller) throw invalidInput({ parent_customer_id: ['The parent customer is not a reseller.'] });
  if (parent.ancestors.length >= maxDepth - 1)
    throw invalidInput({ parent_customer_id: [`Customers stand below each other at most ${maxDepth} deep.`] });
  return parent;
}

/**
 * Asked with the customer locked: nothing is made below it meanwhile.
 * @param any counts also those that are terminated. @throws 409 `has-sub-customers`
 */
export async function refuseWithSubCustomers(tx: Tx, id: Uuid, any = true): Promise<void> {
  const { rows } = await sql<{ found: boolean }>`
    select exists(
      select from customers where parent_customer_id = ${id} ${any ? sql`` : sql`and status <> 'terminated'`}
    ) as found
  `.execute(tx);
  if (!rows[0]?.found) return;
  const sentence = any
    ? 'The customer has customers below it: they must be deleted first.'
    : 'The customer has customers below it: they must be terminated first.';
  throw conflict('has-sub-customers', sentence);
}

/**
 * What the platform itself sold ends by its hand alone. Asked with the customer locked: nothing is sold to it or below
 * it meanwhile. @throws 409 `sold-by-platform` where a user asks
 */
export async function refuseSoldByPlatform(tx: Tx, actor: Actor, id: Uuid): Promise<void> {
  if (actor.type !== 'user') return;
  const { rows } = await sql<{ found: boolean }>`
    select exists(
      select from customers reached join subscriptions on subscriptions.subscriber_id = reached.id
      where (reached.id = ${id} or reached.ancestors @> array[${id}::uuid]) and parent_subscription_id is null
        and subscriptions.status not in ('inactive', 'terminated')
    ) as found
  `.execute(tx);
  if (rows[0]?.found)
    throw conflict(
      'sold-by-platform',
      'The platform itself sold a subscription here that still runs: it ends that first.',
    );
}

/**
 * What the platform took out of use is ended by nobody else, nor by way of its customer. Asked with the customer locked.
 * @throws 409 `held-by-platform` where a user asks
 */
export async function refuseWithHeldSubscriptions(tx: Tx, actor: Actor, id: Uuid): Promise<void> {
  if (actor.type !== 'user') return;
  const { rows } = await sql<{ found: boolean }>`
    select exists(
      select from customers reached join subscriptions on subscriptions.subscriber_id = reached.id
      where (reached.id = ${id} or reached.ancestors @> array[${id}::uuid]) and subscriptions.held_by_platform
    ) as found
  `.execute(tx);
  if (rows[0]?.found)
    throw conflict(
      'held-by-platform',
      'The platform took a subscription here out of use or canceled it: only its administrators end that.',
    );
}

/**
 * Tells everybody below a locked customer what stands above them. One level after the other: what is made below a
 * customer holds it, so that each level is complete once the one above it is written.
 */
export async function propagateStatus(tx: Tx, customer: Pick<CustomerRow, 'id' | 'effective_status'>): Promise<void> {
  let above: { id: Uuid; effective_status: string }[] = [customer];
  while (above.length > 0) {
    const { rows } = await sql<{ id: Uuid; effective_status: string }>`
      with locked as materialized (
        select id from customers where parent_customer_id = any(${above.map(({ id }) => id)}::uuid[])
        order by id for no key update
      )
      update customers below set status_above = parent.effective_status
      from locked, customers parent
      where below.id = locked.id and parent.id = below.parent_customer_id
        and below.status_above <> parent.effective_status
      returning below.id, below.effective_status
    `.execute(tx);
    above = rows;
  }
}
