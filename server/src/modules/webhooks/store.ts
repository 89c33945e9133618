import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Webhooks } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export interface WebhookRow extends Selectable<Webhooks> {
  /** Set only in the answer to its creation. */
  readonly secret?: string;
}

/** @throws 404 */
export async function requireWebhook(db: Database | Tx, id: Uuid): Promise<WebhookRow> {
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The webhook was not found.');
  return row;
}

/** Does not wait for the inserts of deliveries, which lock the key for share. @throws 404 */
export async function lockWebhook(tx: Tx, id: Uuid): Promise<WebhookRow> {
  const row = await tx.selectFrom('webhooks').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  if (!row) throw notFound('The webhook was not found.');
  return row;
}

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

export async function insertWebhook(tx: Tx, row: Insertable<Webhooks>): Promise<WebhookRow> {
  return await tx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeWebhook(tx: Tx, id: Uuid, changes: Updateable<Webhooks>): Promise<WebhookRow> {
  return await tx.updateTable('webhooks').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
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
