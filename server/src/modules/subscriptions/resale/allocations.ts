import type { FeatureDefinition } from '@foyer/contract/resources/packages/feature-definition.ts';
import { features as catalogue } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Change } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { Failure, type FieldFaults } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { listPackageFeatures } from '../../service-packages/index.ts';
import { firstWindowEnd } from '../features/copy-package-features.ts';
import { storeAllocations, sumAllocations } from './allocation-store.ts';
import {
  availableInParent,
  childLimitFault,
  isShared,
  isWithin,
  ownUsageFault,
  parentLimitFault,
  type ScheduledValues,
  valueOf,
} from './feature-limits.ts';
import { findScheduled } from '../package-change/package-change-store.ts';
import {
  insertFeatures,
  lockSubscriptionsOf,
  storeFeature,
  type SubscriptionFeatureRow,
  type SubscriptionRow,
  type UsedFeatureRow,
} from '../store.ts';
import { usageOf } from '../usage/usage-of-row.ts';
import { lockUsedFeatures } from '../usage/usage-store.ts';

/**
 * Lowers the limits of a new subscription to the available amounts of its parent, and adds limits that only the parent
 * has.
 * @param requestedTags features with requested values, which stay as they are.
 */
export async function capToParent(
  change: Change,
  row: SubscriptionRow,
  requestedTags: ReadonlySet<string>,
): Promise<void> {
  if (row.parent_subscription_id === null) return;
  const { tx, now, today } = change;
  const scheduledValues = await findScheduledValues(tx, row.parent_subscription_id);
  const parentFeatures = indexByTag(await lockUsedFeatures(tx, row.parent_subscription_id));
  const ownFeatures = indexByTag(await lockUsedFeatures(tx, row.id));
  const allocatedByTag = await sumAllocations(tx, row.parent_subscription_id);
  for (const feature of catalogue) {
    const parent = parentFeatures.get(feature.code);
    const child = ownFeatures.get(feature.code);
    // The sum includes the new subscription.
    const allocatedToOthers = (allocatedByTag.get(feature.code) ?? 0) - (child ? (limitOf(child.value) ?? 0) : 0);
    const used = parent ? usageOf(parent, today).used : 0;
    const available = availableInParent(feature, valueOf(feature, parent), scheduledValues, used + allocatedToOthers);
    if (requestedTags.has(feature.code) || isWithin(feature, valueOf(feature, child), available)) continue;
    if (child) await storeFeature(tx, child.id, { value: available, updated_at: now });
    else await addFeature(change, row, parent ?? feature, available);
  }
}

/**
 * Called when features of a subscription have changed. Applies the new values to its resold subscriptions, and reserves
 * its limits in the parent.
 * @param before the former values by tag; null for a new subscription. Values that were not raised are not checked
 * against the parent.
 * @throws 422 `feature-limit-reached` with the figures
 */
export async function updateAllocations(
  change: Change,
  row: SubscriptionRow,
  before: Readonly<Record<string, string>> | null,
): Promise<void> {
  await applyLimitsToChildren(change, row);
  await reserveInParent(change, row, before === null ? null : new Map(Object.entries(before)));
}

/**
 * Checks that shared limits are not lower than what is allocated to resold subscriptions. Lowers values that are not
 * shared, such as flags, in the resold subscriptions at every depth.
 * @throws 422 `feature-limit-reached` with the figures
 */
export async function applyLimitsToChildren(change: Change, row: SubscriptionRow): Promise<void> {
  const { tx, now, today } = change;
  const children = await lockSubscriptionsOf(tx, 'parent_subscription_id', row.id);
  if (children.length === 0) return;
  // Locked before the allocations to the children are stored, and read again afterwards.
  await lockUsedFeatures(tx, row.id);
  await storeAllocations(tx, row.id, now);
  const allocatedByTag = await sumAllocations(tx, row.id);
  const ownFeatures = indexByTag(await lockUsedFeatures(tx, row.id));
  const errors: FieldFaults = {};
  const lowered = new Set<SubscriptionRow>();
  for (const child of children) {
    const childFeatures = indexByTag(await lockUsedFeatures(tx, child.id));
    for (const feature of catalogue) {
      const [available, value] = [
        valueOf(feature, ownFeatures.get(feature.code)),
        valueOf(feature, childFeatures.get(feature.code)),
      ];
      if (isShared(feature)) {
        const fault = childLimitFault(
          feature,
          ownFeatures.get(feature.code),
          { value, allocated: allocatedByTag.get(feature.code) ?? 0 },
          today,
        );
        if (fault !== null) errors[feature.code] = [fault];
      } else if (!isWithin(feature, value, available)) {
        await lowerFeature(
          change,
          child,
          { childFeature: childFeatures.get(feature.code), ownFeature: ownFeatures.get(feature.code) },
          available,
        );
        lowered.add(child);
      }
    }
  }
  const tags = Object.keys(errors);
  if (tags.length > 0) {
    const message = `More is allocated to resold subscriptions than the new limits allow: ${tags.join(', ')}.`;
    throw new Failure('feature-limit-reached', message, { errors });
  }
  for (const child of lowered) await applyLimitsToChildren(change, child);
}

async function lowerFeature(
  change: Change,
  child: SubscriptionRow,
  {
    childFeature,
    ownFeature,
  }: { readonly childFeature: UsedFeatureRow | undefined; readonly ownFeature: UsedFeatureRow | undefined },
  available: string,
): Promise<void> {
  const { subscriber_id: customerId } = child;
  if (childFeature) {
    const stored = await storeFeature(change.tx, childFeature.id, { value: available, updated_at: change.now });
    const after = { ...childFeature, ...stored };
    await change.emit(rowEvent('subscription_feature.updated', { customerId, before: childFeature, after }));
  } else if (ownFeature) {
    const added = await addFeature(change, child, ownFeature, available);
    await change.emitAll(added.map((after) => rowEvent('subscription_feature.created', { customerId, after })));
  }
}

async function addFeature(
  { tx, now, today }: Change,
  row: SubscriptionRow,
  source: UsedFeatureRow | FeatureDefinition,
  value: string,
): Promise<SubscriptionFeatureRow[]> {
  const copy = { ...('tag' in source ? columnsOfFeature(source) : columnsOfDefinition(source)), value };
  const valid_until = firstWindowEnd(row, copy, today);
  return await insertFeatures(tx, [{ ...copy, subscription_id: row.id, package_feature_id: null, valid_until }], now);
}

function columnsOfFeature({
  tag,
  name,
  description,
  resettable_period,
  resettable_interval,
  sort_order,
}: UsedFeatureRow) {
  return { tag, name, description, resettable_period, resettable_interval, sort_order };
}

function columnsOfDefinition({ code, name, description, resettablePeriod, resettableInterval }: FeatureDefinition) {
  return {
    tag: code,
    name,
    description,
    resettable_period: resettablePeriod,
    resettable_interval: resettableInterval,
    sort_order: null,
  };
}

/**
 * Reserves the subscription's limits in its parent. Checks that the parent has enough, and that the subscription's own
 * usage and allocations fit.
 * @throws 422 `feature-limit-reached` with the figures
 */
async function reserveInParent(
  change: Change,
  row: SubscriptionRow,
  before: ReadonlyMap<string, string> | null,
): Promise<void> {
  if (row.parent_subscription_id === null) return;
  const { tx, now, today } = change;
  const scheduledValues = await findScheduledValues(tx, row.parent_subscription_id);
  const parentFeatures = indexByTag(await lockUsedFeatures(tx, row.parent_subscription_id));
  const allocatedByTag = await sumAllocations(tx, row.parent_subscription_id);
  const ownFeatures = indexByTag(await lockUsedFeatures(tx, row.id));
  const errors: FieldFaults = {};
  const tagsAboveParent: string[] = [];
  for (const feature of catalogue) {
    const tag = feature.code;
    const parent = parentFeatures.get(tag);
    const value = valueOf(feature, ownFeatures.get(tag));
    const formerValue = before === null ? undefined : (before.get(tag) ?? feature.absentValue ?? '');
    const isRaised = formerValue === undefined || !isWithin(feature, value, formerValue);
    const ownFault = ownUsageFault(feature, ownFeatures.get(tag), today);
    if (ownFault !== null) {
      errors[tag] = [ownFault];
      continue;
    }
    if (!isRaised) continue;
    const request = { parent, next: scheduledValues, value, allocated: allocatedByTag.get(tag) ?? 0 };
    const parentFault = parentLimitFault(feature, request, today);
    if (parentFault === null) continue;
    errors[tag] = [parentFault];
    tagsAboveParent.push(tag);
  }
  const [tag] = tagsAboveParent;
  if (tag !== undefined) {
    const message = `The reseller's subscription does not have enough left: ${tagsAboveParent.join(', ')}.`;
    const { value: limit = '0', used = 0 } = parentFeatures.get(tag) ?? {};
    throw new Failure('feature-limit-reached', message, {
      errors,
      limit: { subscriptionId: row.parent_subscription_id, tag, limit, used: used + (allocatedByTag.get(tag) ?? 0) },
    });
  }
  const tags = Object.keys(errors);
  if (tags.length > 0) {
    const message = `More is used or resold than the new limits allow: ${tags.join(', ')}.`;
    throw new Failure('feature-limit-reached', message, { errors });
  }
  await storeAllocations(tx, row.parent_subscription_id, now);
}

/** @throws 422 `feature-limit-reached` if the feature is used or resold */
export function refuseFeatureInUse({ tag, used, handed_down: handedDown }: UsedFeatureRow): void {
  if (used + handedDown === 0) return;
  const sentence = `${tag} is in use: ${used + handedDown} used or resold.`;
  throw new Failure('feature-limit-reached', sentence, { errors: { [tag]: [sentence] } });
}

/** Called after the subscription is deleted. */
export async function releaseAllocation(
  { tx, now }: Change,
  { parent_subscription_id: parentId }: SubscriptionRow,
): Promise<void> {
  if (parentId === null) return;
  await lockUsedFeatures(tx, parentId);
  await storeAllocations(tx, parentId, now);
}

function indexByTag(rows: readonly UsedFeatureRow[]): Map<string, UsedFeatureRow> {
  return new Map(rows.map((row) => [row.tag, row]));
}

/** The values after the scheduled package change. Allocations must not exceed them, or the change would fail. */
async function findScheduledValues(tx: Change['tx'], id: Uuid): Promise<ScheduledValues | null> {
  const scheduled = await findScheduled(tx, id);
  if (!scheduled || scheduled.to_package_id === null) return null;
  const features = await listPackageFeatures(tx, scheduled.to_package_id);
  return {
    effectiveOn: scheduled.effective_at,
    values: new Map(features.map(({ tag, value }) => [tag, value])),
  };
}
