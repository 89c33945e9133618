import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockWebhook, lockWebhooksOfCustomer, removeWebhook, type WebhookRow } from './store.ts';

/** @throws 404 */
export async function deleteWebhook(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    await remove(change, await lockWebhook(change.tx, id));
  });
}

export async function deleteWebhooksOfCustomer(
  change: Change,
  { customerId }: ReactionSubjects['customer.deleting'],
): Promise<void> {
  for (const row of await lockWebhooksOfCustomer(change.tx, customerId)) await remove(change, row);
}

async function remove({ tx, emit }: Change, row: WebhookRow): Promise<void> {
  await removeWebhook(tx, row.id);
  await emit(rowEvent('webhook.deleted', { customerId: row.customer_id, before: row }));
}
