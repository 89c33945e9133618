import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { consumeWithinLimit, limitReached } from './quotas.ts';
import { type CountedUsage, lockStoredUsages, storeCountedUsages, type StoredTag } from './stored-usage.ts';

/**
 * Adds the amounts of new stored files to the usages. Called last in the change: it locks the usages before it counts, so
 * that concurrent requests cannot exceed a limit.
 * @param amounts the added amount by limit
 * @throws 422 `feature-limit-reached` with the limit, the usage and the requested amount
 */
export async function reserveStoredAmounts(
  change: Change,
  subscriptionId: Uuid,
  amounts: Readonly<Partial<Record<StoredTag, number>>>,
): Promise<void> {
  const usages = await lockStoredUsages(change.tx, [subscriptionId]);
  for (const [tag, requested] of Object.entries(amounts) as [StoredTag, number][]) {
    const current = usages.find(({ usage }) => usage.tag === tag);
    if (!current) refuseIfNotSold(subscriptionId, tag, requested);
    else if (current.usage.resettable_period === 0) refuseIfExceeded(subscriptionId, current, requested);
    else await consumeWithinLimit(change, subscriptionId, tag, requested);
  }
  await storeCountedUsages(change, usages);
}

function refuseIfNotSold(subscriptionId: Uuid, tag: StoredTag, requested: number): void {
  if (limitOf(findFeature(tag)?.absentValue ?? '0') !== null)
    throw limitReached(subscriptionId, tag, { limit: '0', used: 0, requested });
}

function refuseIfExceeded(subscriptionId: Uuid, { usage, counted }: CountedUsage, requested: number): void {
  const limit = limitOf(usage.value);
  if (limit === null || counted + usage.handed_down <= limit) return;
  const used = usage.used + usage.handed_down;
  throw limitReached(subscriptionId, usage.tag, { limit: usage.value, used, requested });
}
