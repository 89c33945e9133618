import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { invalidInput } from '../../platform/failures.ts';
import { filterOverlapping } from './requests/signature.ts';
import { createWebhookSecret, secretAssociatedData } from './secrets.ts';
import { lockWebhook, storeWebhook, type WebhookRow } from './store.ts';

const tooManySecrets =
  'Ten former secrets still sign requests. Rotate with `overlap_hours` 0 to end them, or wait until an overlap ends.';

const defaultOverlapHours = 24;

/** Limits the length of the signature header. */
const maxFormerSecrets = 10;

/**
 * Replaces the secret. Every former secret still signs until the end of its own overlap; a rotation without overlap
 * ends all of them.
 * @returns the row with its new secret
 * @throws 404; 422 naming `overlap_hours` while too many secrets overlap
 */
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
    const until = dependencies.clock.after(overlapHours * 3600);
    const former =
      overlapHours === 0
        ? []
        : [{ sealed: before.secret_sealed, until }, ...filterOverlapping(before.former_secrets, now)];
    if (former.length > maxFormerSecrets) throw invalidInput({ overlap_hours: [tooManySecrets] });
    const row = await storeWebhook(tx, id, {
      secret_sealed: sealed,
      former_secrets: JSON.stringify(former),
      updated_at: now,
    });
    await emit(rowEvent('webhook.secret_rotated', { customerId: row.customer_id, before, after: row }));
    return { ...row, secret };
  });
}
