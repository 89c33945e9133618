import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { eventAbout, rowEvent } from '../../../events/row-event.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { refuseChanged } from '../../../platform/immutable.ts';
import { readFeature, readFeatureChanges } from '../../features/index.ts';
import { copyPackageFeatures, firstWindowEnd, valuesByTag } from './copy-package-features.ts';
import {
  insertFeatures,
  listFeatures,
  lockSubscription,
  removeFeatures,
  requireUsedFeature,
  storeFeature,
  type SubscriptionRow,
  type UsedFeatureRow,
} from '../store.ts';
import { lockBranch } from '../resale/allocation-store.ts';
import { refuseHeld } from '../lifecycle/move-refused.ts';
import { restoreUsages } from '../usage/kept-usage-store.ts';
import { refuseFeatureInUse, updateAllocations } from '../resale/allocations.ts';
import { recomputeUsageWindows } from '../usage/quotas.ts';
import { storeResourceCounts } from '../usage/usage-store.ts';

/** Adds a feature that is not linked to a package feature. @throws 422 if the subscription already has it. */
export async function addSubscriptionFeature(
  dependencies: Dependencies,
  { actor, params: { subscription_id: subscriptionId }, body: input }: CallOf<'createSubscriptionFeature'>,
): Promise<UsedFeatureRow> {
  const tagField = input.service_feature_code === undefined && input.tag !== undefined ? 'tag' : 'service_feature_code';
  if (input.tag !== undefined && input.tag !== input[tagField])
    throw invalidInput({ tag: ['The tag and the service feature code differ. Send only one of them.'] });
  const feature = readFeature(input, tagField);
  return await inTransaction(dependencies, actor, async (change) => {
    const subscription = await lockSubscription(change.tx, subscriptionId);
    refuseHeld(actor, subscription, null);
    await lockBranch(change.tx, subscription);
    const before = valuesByTag(await listFeatures(change.tx, subscriptionId));
    const [row] = await insertFeatures(
      change.tx,
      [
        {
          ...feature,
          subscription_id: subscriptionId,
          package_feature_id: null,
          valid_until: firstWindowEnd(subscription, feature, change.today),
        },
      ],
      change.now,
    );
    if (!row) throw invalidInput({ [tagField]: ['The subscription already has this feature.'] });
    await restoreUsages(change, subscriptionId, [row.tag]);
    await storeResourceCounts(change.tx, subscriptionId, [row.tag], change.now);
    await updateAllocations(change, subscription, before);
    await change.emit(rowEvent('subscription_feature.created', { customerId: subscription.subscriber_id, after: row }));
    return await requireUsedFeature(change.tx, subscriptionId, row.id);
  });
}

export async function updateSubscriptionFeature(
  dependencies: Dependencies,
  { actor, params, body: input, immutable }: CallOf<'updateSubscriptionFeature'>,
): Promise<UsedFeatureRow> {
  const { subscription_id: subscriptionId, feature_id: id } = params;
  return await inTransaction(dependencies, actor, async (change) => {
    const subscription = await lockSubscription(change.tx, subscriptionId);
    refuseHeld(actor, subscription, null);
    await lockBranch(change.tx, subscription);
    const before = valuesByTag(await listFeatures(change.tx, subscriptionId));
    const row = await requireUsedFeature(change.tx, subscriptionId, id);
    refuseChanged(immutable, { ...row });
    const updated = await storeFeature(change.tx, id, { ...readFeatureChanges(row, input), updated_at: change.now });
    await recomputeUsageWindows(change, subscriptionId);
    await updateAllocations(change, subscription, before);
    await change.emit(
      rowEvent('subscription_feature.updated', {
        customerId: subscription.subscriber_id,
        before: row,
        after: { ...row, ...updated },
      }),
    );
    return await requireUsedFeature(change.tx, subscriptionId, id);
  });
}

export async function deleteSubscriptionFeature(
  dependencies: Dependencies,
  { actor, params: { subscription_id: subscriptionId, feature_id: id } }: CallOf<'deleteSubscriptionFeature'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const subscription = await lockSubscription(change.tx, subscriptionId);
    refuseHeld(actor, subscription, null);
    await lockBranch(change.tx, subscription);
    const before = valuesByTag(await listFeatures(change.tx, subscriptionId));
    const row = await requireUsedFeature(change.tx, subscriptionId, id);
    if (subscription.parent_subscription_id !== null || row.handed_down > 0) refuseFeatureInUse(row);
    await removeFeatures(change.tx, [id]);
    await updateAllocations(change, subscription, before);
    await change.emit(
      rowEvent('subscription_feature.deleted', { customerId: subscription.subscriber_id, before: row }),
    );
  });
}

/** Copies the features from the package again. `sync: false` changes nothing. */
export async function syncSubscriptionFeatures(
  dependencies: Dependencies,
  { actor, params: { subscription_id: subscriptionId }, body: input }: CallOf<'syncSubscriptionFeatures'>,
): Promise<SubscriptionRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const subscription = await lockSubscription(change.tx, subscriptionId);
    if (!input.sync) return subscription;
    refuseHeld(actor, subscription, null);
    await lockBranch(change.tx, subscription);
    const { before, after, isChanged } = await copyPackageFeatures(change, subscription);
    await updateAllocations(change, subscription, before);
    const eventData = { customerId: subscription.subscriber_id, before, after };
    if (isChanged) await change.emit(eventAbout('subscription.features_synced', subscriptionId, eventData));
    return subscription;
  });
}
