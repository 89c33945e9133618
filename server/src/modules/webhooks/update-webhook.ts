import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { refuseChanged, withoutUndefined } from '../../platform/immutable.ts';
import { disabledByRequest, requireValidInput } from './check-input.ts';
import { leaseSeconds, resumeLanes, suspendLanes } from './delivery/lane-store.ts';
import { lockWebhook, storeWebhook, type WebhookRow } from './store.ts';

/** @throws 404; 422 naming `url`, `events` or `customer_id` */
export async function updateWebhook(
  dependencies: Dependencies,
  { actor, params: { webhook_id: id }, body: input, immutable }: CallOf<'updateWebhook'>,
): Promise<WebhookRow> {
  await requireValidInput(dependencies, input);
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const before = await lockWebhook(tx, id);
    refuseChanged(immutable, { ...before });
    const row = await storeWebhook(tx, id, {
      ...withoutUndefined({
        url: input.url,
        description: input.description,
        events: input.events && [...new Set(input.events)],
      }),
      ...activationColumns(before, input.active, now),
      updated_at: now,
    });
    if (row.active && !before.active) await resumeLanes(tx, id, now, dependencies.clock.after(leaseSeconds));
    if (!row.active && before.active) await suspendLanes(tx, [id]);
    await emit(rowEvent('webhook.updated', { customerId: row.customer_id, before, after: row }));
    return row;
  });
}

function activationColumns(before: WebhookRow, active: boolean | undefined, now: string) {
  if (active === undefined || active === before.active) return {};
  return active
    ? { active, failing_since: null, disabled_at: null, disabled_reason: null }
    : { active, disabled_at: now, disabled_reason: disabledByRequest };
}
