import type { Change } from '../../../events/change.ts';
import { Failure } from '../../../platform/failures.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { findUsedFeature, type UsedFeatureRow } from '../store.ts';
import {
  tryConsume,
  lockUsedFeature,
  lockUsedFeatures,
  releaseUsage,
  storeWindows,
  type ConsumedUsage,
  type UsageWindow,
} from './usage-store.ts';
import { usageOf } from './usage-of-row.ts';

/**
 * Consumes `amount` of a feature within the transaction of the change.
 * @throws 422 `feature-limit-reached` with the limit, the usage and the requested amount.
 */
export async function consumeWithinLimit(change: Change, subscriptionId: Uuid, tag: string, amount = 1): Promise<void> {
  const usage =
    (await tryConsume(change, subscriptionId, tag, amount)) ??
    (await consumeLocked(change, subscriptionId, tag, amount));
  if (String(usage.used + usage.handed_down) === usage.value)
    await change.react('limit.used-up', {
      subscriptionId,
      tag,
      limit: usage.value,
      used: usage.used + usage.handed_down,
    });
}

export async function releaseFeature(change: Change, subscriptionId: Uuid, tag: string, amount = 1): Promise<void> {
  await releaseUsage(change, subscriptionId, tag, amount);
}

/** Called after the reset interval of a feature or the start of the subscription has changed. */
export async function recomputeUsageWindows({ tx, now, today }: Change, subscriptionId: Uuid): Promise<void> {
  await storeWindows(tx, findOutdatedWindows(await lockUsedFeatures(tx, subscriptionId), today), now);
}

/** Computes today's window of each usage whose stored window is outdated. */
export function findOutdatedWindows(rows: readonly UsedFeatureRow[], today: Change['today']): UsageWindow[] {
  return rows
    .map((row) => ({ row, ...usageOf(row, today) }))
    .filter(({ row, used, validUntil }) => used !== row.used || validUntil !== row.valid_until)
    .map(({ row, used, validUntil }) => ({ usageId: row.usage_id, used, validUntil }));
}

/** @throws 422 `feature-not-sold` if the subscription does not have the flag */
export async function requireFlag({ tx }: Change, subscriptionId: Uuid, tag: string): Promise<void> {
  const feature = await findUsedFeature(tx, subscriptionId, tag);
  if (feature?.value === 'true') return;
  const message = `The subscription does not include ${tag}.`;
  throw new Failure('feature-not-sold', message, { errors: { [tag]: [message] } });
}

/** Tries again with the usage locked and its window moved to today. @throws 422 with the figures */
async function consumeLocked(
  change: Change,
  subscriptionId: Uuid,
  tag: string,
  amount: number,
): Promise<ConsumedUsage> {
  const { tx, now, today } = change;
  const feature = await lockUsedFeature(tx, subscriptionId, tag);
  if (!feature) throw limitReached(subscriptionId, tag, { limit: '0', used: 0, requested: amount });
  await storeWindows(tx, findOutdatedWindows([feature], today), now);
  const usage = await tryConsume(change, subscriptionId, tag, amount);
  if (usage) return usage;
  const used = usageOf(feature, today).used + feature.handed_down;
  throw limitReached(subscriptionId, tag, { limit: feature.value, used, requested: amount });
}

export function limitReached(
  subscriptionId: Uuid,
  tag: string,
  { limit, used, requested }: { limit: string; used: number; requested: number },
): Failure {
  const message = `The limit of ${tag} is reached: ${used} of ${limit} are used in the subscription ${printIdentifier('sub', subscriptionId)}, and ${requested} more ${requested === 1 ? 'was' : 'were'} requested.`;
  return new Failure('feature-limit-reached', message, {
    errors: { [tag]: [message] },
    limit: { subscriptionId, tag, limit, used },
  });
}
