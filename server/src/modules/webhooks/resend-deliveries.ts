import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { repeatDelivery, repeatFailed } from './delivery/delivery-store.ts';
import { openLanes } from './delivery/lane-store.ts';
import { lockWebhook } from './store.ts';
import type { DeliveryRow } from './transformer.ts';

/** @throws 404; 409 `webhook-disabled` */
export async function resendDelivery(
  dependencies: Dependencies,
  actor: Actor,
  webhookId: Uuid,
  id: Uuid,
): Promise<DeliveryRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    await requireActive(change, webhookId);
    const row = await repeatDelivery(change.tx, webhookId, id, change.now);
    await openLanes(change.tx, [row], change.now);
    return row;
  });
}

/** Sends failed deliveries again. @returns their number @throws 404; 409 `webhook-disabled` */
export async function recoverDeliveries(
  dependencies: Dependencies,
  actor: Actor,
  webhookId: Uuid,
  since: string,
): Promise<number> {
  return await inTransaction(dependencies, actor, async (change) => {
    await requireActive(change, webhookId);
    const rows = await repeatFailed(change.tx, webhookId, since, change.now);
    await openLanes(change.tx, rows, change.now);
    return rows.length;
  });
}

async function requireActive({ tx }: Change, id: Uuid): Promise<void> {
  const { active } = await lockWebhook(tx, id);
  if (!active) throw conflict('webhook-disabled', 'The webhook is disabled. Enable it with `active` true first.');
}
