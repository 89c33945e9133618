import { type Change, inTransaction, system } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { type DeliveryState, lockWebhooks, storeDeliveryStates, storeWebhook, type WebhookRow } from '../store.ts';
import type { Attempt } from '../transformer.ts';
import { type PendingDelivery, type StoredOutcome, storeOutcomes } from './delivery-store.ts';
import { type LeasedLane, lockLanes, releaseLanes, suspendLanes } from './lane-store.ts';
import { disabledAfterMs, retryDelayMs } from './retry-schedule.ts';

/** The outcome of an attempt. */
export interface Completion {
  readonly delivery: PendingDelivery;
  readonly attempt: Attempt;
}

export const goneStatus = 410;

/** Stores outcomes, in their order of arrival, and releases lanes. Emits `webhook.disabled`. */
export async function completeDeliveries(
  dependencies: Dependencies,
  completions: readonly Completion[],
  lanes: readonly LeasedLane[],
): Promise<void> {
  const ids = new Set([...completions.map(({ delivery }) => delivery.id), ...lanes.map(({ webhookId }) => webhookId)]);
  await inTransaction(dependencies, system, async (change) => {
    const { tx, now } = change;
    const webhooks = await lockWebhooks(tx, [...ids]);
    const states = webhooks.map((webhook) =>
      stateAfter(
        webhook,
        completions.filter(({ delivery }) => delivery.id === webhook.id),
      ),
    );
    const disabled = states.filter(({ disabledReason }) => disabledReason !== null);
    const lockedLanes = await lockLanes(
      tx,
      lanes,
      disabled.map(({ webhook }) => webhook.id),
    );
    await storeOutcomes(tx, completions.map(outcomeOf), now);
    await storeDeliveryStates(tx, states.filter(isChanged));
    for (const { webhook, disabledReason } of disabled) await disable(change, webhook, disabledReason);
    if (disabled.length > 0)
      await suspendLanes(
        tx,
        disabled.map(({ webhook }) => webhook.id),
      );
    await releaseLanes(tx, lockedLanes, now);
  });
}

interface WebhookState extends DeliveryState {
  readonly webhook: WebhookRow;
  readonly disabledReason: string | null;
}

function stateAfter(webhook: WebhookRow, completions: readonly Completion[]): WebhookState {
  let { failing_since: failingSince, last_delivery_at: lastDeliveryAt } = webhook;
  let disabledReason: string | null = null;
  for (const { attempt } of completions) {
    if (attempt.error === null) {
      [failingSince, lastDeliveryAt] = [null, attempt.at];
      continue;
    }
    failingSince ??= attempt.at;
    if (attempt.status_code === goneStatus) disabledReason = 'The receiver answered 410 Gone.';
    else if (epochMs(attempt.at) - epochMs(failingSince) >= disabledAfterMs)
      disabledReason ??= 'No delivery succeeded for three days.';
  }
  return { webhook, failingSince, lastDeliveryAt, disabledReason: webhook.active ? disabledReason : null };
}

function isChanged({ webhook, failingSince, lastDeliveryAt }: WebhookState): boolean {
  return failingSince !== webhook.failing_since || lastDeliveryAt !== webhook.last_delivery_at;
}

function outcomeOf({ delivery, attempt }: Completion): StoredOutcome {
  const tries = delivery.tries + 1;
  const common = { id: delivery.delivery_id, tries, attempt };
  if (attempt.error === null) return { ...common, state: 'delivered', next_attempt_at: null };
  const delayMs = attempt.status_code === goneStatus ? null : retryDelayMs(tries, Math.random());
  if (delayMs === null) return { ...common, state: 'failed', next_attempt_at: null };
  const nextAttemptAt = new Date(epochMs(attempt.at) + attempt.duration_ms + delayMs).toISOString();
  return { ...common, state: 'pending', next_attempt_at: nextAttemptAt };
}

async function disable({ tx, now, emit }: Change, before: WebhookRow, reason: string | null): Promise<void> {
  const row = await storeWebhook(tx, before.id, {
    active: false,
    disabled_at: now,
    disabled_reason: reason,
    updated_at: now,
  });
  await emit(rowEvent('webhook.disabled', { customerId: row.customer_id, before, after: row }));
}

export function webhookIdsOf(completions: readonly Completion[]): Set<Uuid> {
  return new Set(completions.map(({ delivery }) => delivery.id));
}
