import type { Change } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { EventInput } from '../../../events/event-data.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { currentUsage } from '../../features/index.ts';
import { listPackageFeatures } from '../../service-packages/index.ts';
import { keepUsages, restoreUsages } from '../usage/kept-usage-store.ts';
import { recomputeUsageWindows } from '../usage/quotas.ts';
import {
  insertFeatures,
  listFeatures,
  removeFeatures,
  storeFeature,
  type SubscriptionFeatureRow,
  type SubscriptionRow,
} from '../store.ts';
import { usageOf } from '../usage/usage-of-row.ts';
import { storeResourceCounts, lockUsedFeatures } from '../usage/usage-store.ts';

/**
 * Replaces the subscription's features with those of its package. Tags in both keep their id and usage.
 * @param isNew the subscription is being created: it has no usage, and the caller emits the events of the features
 * @returns the values by tag, before and after, and whether any feature changed
 */
export async function copyPackageFeatures(
  change: Change,
  subscription: SubscriptionRow,
  isNew = false,
): Promise<{ before: Record<string, string>; after: Record<string, string>; isChanged: boolean }> {
  const { tx, now, today } = change;
  const { subscriber_id: customerId } = subscription;
  const packageFeatures = await listPackageFeatures(tx, subscription.package_id);
  const existing = new Map((await listFeatures(tx, subscription.id)).map((row) => [row.tag, row]));
  const tags = new Set(packageFeatures.map(({ tag }) => tag));
  const removed = [...existing.values()].filter(({ tag }) => !tags.has(tag));
  if (removed.length > 0) await saveRemovedUsages(change, subscription.id, tags);
  // Before the rows are deleted, since events print usage from another table.
  await change.emitAll(removed.map((row) => rowEvent('subscription_feature.deleted', { customerId, before: row })));
  await removeFeatures(tx, idsOf(removed));
  const copies = packageFeatures.map(
    ({ id, tag, name, description, value, resettable_period, resettable_interval, sort_order }) => ({
      package_feature_id: id,
      tag,
      name,
      description,
      value,
      resettable_period,
      resettable_interval,
      sort_order,
    }),
  );
  const updated: EventInput[] = [];
  for (const copy of copies) {
    const before = existing.get(copy.tag);
    if (!before) continue;
    const after = await storeFeature(tx, before.id, { ...copy, updated_at: now });
    if (after.updated_at !== before.updated_at)
      updated.push(rowEvent('subscription_feature.updated', { customerId, before, after }));
  }
  await change.emitAll(updated);
  const added = copies
    .filter(({ tag }) => !existing.has(tag))
    .map((copy) => ({
      ...copy,
      subscription_id: subscription.id,
      valid_until: firstWindowEnd(subscription, copy, today),
    }));
  const inserted = await insertFeatures(tx, added, now);
  if (!isNew) {
    const newTags = added.map(({ tag }) => tag);
    if (newTags.length > 0) {
      await restoreUsages(change, subscription.id, newTags);
      await storeResourceCounts(tx, subscription.id, newTags, now);
    }
    await recomputeUsageWindows(change, subscription.id);
    await change.emitAll(inserted.map((row) => rowEvent('subscription_feature.created', { customerId, after: row })));
  }
  return {
    before: valuesByTag([...existing.values()]),
    after: valuesByTag(copies),
    isChanged: removed.length + updated.length + inserted.length > 0,
  };
}

/** Saves the usage of features about to be removed, so that a change to another package and back does not reset it. */
async function saveRemovedUsages(
  { tx, today }: Change,
  subscriptionId: Uuid,
  remainingTags: ReadonlySet<string>,
): Promise<void> {
  const removed = (await lockUsedFeatures(tx, subscriptionId)).filter(({ tag }) => !remainingTags.has(tag));
  const usages = removed.map((feature) => ({ tag: feature.tag, ...usageOf(feature, today) }));
  await keepUsages(
    tx,
    subscriptionId,
    usages.filter(({ used }) => used > 0),
  );
}

/** The day of the first reset of a feature added today; null if it is never reset. */
export function firstWindowEnd(
  row: SubscriptionRow,
  feature: Pick<SubscriptionFeatureRow, 'resettable_period' | 'resettable_interval'>,
  today: Change['today'],
): string | null {
  return currentUsage(
    { used: 0, validUntil: null },
    {
      resettablePeriod: feature.resettable_period,
      resettableInterval: feature.resettable_interval,
      startsOn: row.starts_at as Change['today'],
      anchorDay: row.anchor_day,
    },
    today,
  ).validUntil;
}

export function valuesByTag(rows: readonly { tag: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ tag, value }) => [tag, value]));
}
