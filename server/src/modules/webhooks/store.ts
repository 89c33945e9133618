import { type Selectable, sql } from 'kysely';
import { rowStore } from '../../database/row-store.ts';
import type { Webhooks } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export interface WebhookRow extends Selectable<Webhooks> {
  /** Set only in the answer to its creation. */
  readonly secret?: string;
}

/** A secret that was replaced, and the end of the overlap in which it still signs requests. */
export type FormerSecret = WebhookRow['former_secrets'][number];

export const {
  require: requireWebhook,
  lock: lockWebhook,
  insert: insertWebhook,
  store: storeWebhook,
} = rowStore('webhooks', 'webhook', { lock: 'no key update' });

/** Locks the webhooks that exist, in the order of their ids. */
export async function lockWebhooks(tx: Tx, ids: readonly Uuid[]): Promise<WebhookRow[]> {
  return await tx
    .selectFrom('webhooks')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export async function lockWebhooksOfCustomer(tx: Tx, customerId: Uuid): Promise<WebhookRow[]> {
  return await tx
    .selectFrom('webhooks')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Removes the webhook with its deliveries. */
export async function removeWebhook(tx: Tx, id: Uuid): Promise<void> {
  await tx.selectFrom('webhooks').select('id').where('id', '=', id).forUpdate().execute();
  await sql`delete from webhooks where id = ${id}`.execute(tx);
}

export interface DeliveryState {
  readonly webhook: Pick<WebhookRow, 'id'>;
  readonly failingSince: string | null;
  readonly lastDeliveryAt: string | null;
}

/** The caller has locked the webhooks. */
export async function storeDeliveryStates(tx: Tx, states: readonly DeliveryState[]): Promise<void> {
  await sql`
    update webhooks set failing_since = state.failing_since, last_delivery_at = state.last_delivery_at
    from unnest(${states.map(({ webhook }) => webhook.id)}::uuid[],
        ${states.map(({ failingSince }) => failingSince)}::timestamptz[],
        ${states.map(({ lastDeliveryAt }) => lastDeliveryAt)}::timestamptz[])
      as state (id, failing_since, last_delivery_at)
    where webhooks.id = state.id`.execute(tx);
}
