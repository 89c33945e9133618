import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import { disabledByRequest, requireValidInput } from './check-input.ts';
import { createWebhookSecret, secretAssociatedData } from './secrets.ts';
import { insertWebhook, type WebhookRow } from './store.ts';

type Input = InputOf<'createWebhook'>;

/**
 * @returns the row with its secret
 * @throws 422 naming `url`, `events` or `customer_id`; 409 `customer-not-active`
 */
export async function createWebhook(dependencies: Dependencies, actor: Actor, input: Input): Promise<WebhookRow> {
  await requireValidInput(dependencies, input);
  const id = newUuid();
  const secret = createWebhookSecret();
  const sealed = await dependencies.secretBox.seal(secret, secretAssociatedData(id));
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const { customer_id: customerId = null, active = true } = input;
    if (customerId !== null) await lockCustomerForUse(tx, customerId, 'customer_id');
    const row = await insertWebhook(tx, {
      id,
      customer_id: customerId,
      url: input.url,
      description: input.description ?? null,
      events: [...new Set(input.events)],
      active,
      ...(active ? {} : { disabled_at: now, disabled_reason: disabledByRequest }),
      secret_sealed: sealed,
      created_at: now,
      updated_at: now,
    });
    await emit(rowEvent('webhook.created', { customerId, after: row }));
    return { ...row, secret };
  });
}
