import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { createWebhookSecret, secretAssociatedData } from './secrets.ts';
import { lockWebhook, storeWebhook, type WebhookRow } from './store.ts';

const defaultOverlapHours = 24;

/** @returns the row with its new secret @throws 404 */
export async function rotateWebhookSecret(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  overlapHours = defaultOverlapHours,
): Promise<WebhookRow> {
  const secret = createWebhookSecret();
  const sealed = await dependencies.secretBox.seal(secret, secretAssociatedData(id));
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const before = await lockWebhook(tx, id);
    const hasOverlap = overlapHours > 0;
    const row = await storeWebhook(tx, id, {
      secret_sealed: sealed,
      former_secret_sealed: hasOverlap ? before.secret_sealed : null,
      former_secret_until: hasOverlap ? dependencies.clock.after(overlapHours * 3600) : null,
      updated_at: now,
    });
    await emit(rowEvent('webhook.secret_rotated', { customerId: row.customer_id, before, after: row }));
    return { ...row, secret };
  });
}
