import {
  type FeatureDefinition,
  features as catalogue,
  limitOf,
  sharedLimits,
} from '@foyer/contract/resources/features.ts';
import type { Change } from '../../../events/change.ts';
import { Failure, type FieldFaults, invalidInput } from '../../../platform/failures.ts';
import type { Principal } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { CustomerRow } from '../../customers/index.ts';
import { listPackageFeatures } from '../../service-packages/index.ts';
import { firstWindowEnd, valuesByTag } from '../features/copy-package-features.ts';
import { sumAllocations, findParentCandidates, lockChildren, storeAllocations } from './allocation-store.ts';
import { findScheduled } from '../package-change/package-change-store.ts';
import { emitSubscriptionEvent } from '../emit-event.ts';
import { insertFeatures, storeFeature, type SubscriptionRow, type UsedFeatureRow } from '../store.ts';
import { usageOf } from '../usage/usage-of-row.ts';
import { lockSubscriptionForUse } from '../lifecycle/use-subscription.ts';
import { lockUsedFeatures } from '../usage/usage-store.ts';

interface ParentInput {
  readonly package_id: Uuid;
  readonly parent_subscription_id?: Uuid | null;
}

/**
 * The reseller's subscription of which a new one is handed down, kept as it is until the transaction ends; null where
 * the platform itself sells. Users have nothing to sell but what they hand down.
 * @throws 422 that names `package_id` or `parent_subscription_id`; 409 `subscription-not-usable`
 */
export async function lockParentSubscription(
  change: Change,
  principal: Principal | null,
  customer: CustomerRow,
  input: ParentInput,
): Promise<SubscriptionRow | null> {
  const given = input.parent_subscription_id ?? null;
  if (given === null && principal?.kind !== 'user') return null;
  const field = 'parent_subscription_id';
  const sources =
    customer.parent_customer_id === null
      ? []
      : await findParentCandidates(change.tx, customer.parent_customer_id, input.package_id);
  if (given === null && sources.length > 1)
    throw invalidInput({ [field]: ['The reseller has several subscriptions to this package: name one of them.'] });
  const source = sources.find(({ id }) => given === null || id === given);
  if (!source)
    throw invalidInput(
      given === null
        ? { package_id: ['The reseller is not subscribed to this package.'] }
        : { [field]: ['The selected parent subscription is not one of the reseller to this package.'] },
    );
  return await lockSubscriptionForUse(change, source.id, field);
}

/**
 * Gives a new subscription what is left of its parent's, where that is less than what the package gives; `wanted`
 * values stay as they are. What the parent bounds, the new one has, too.
 */
export async function capToParent(change: Change, row: SubscriptionRow, wanted: ReadonlySet<string>): Promise<void> {
  if (row.parent_subscription_id === null) return;
  const { tx, now, today } = change;
  const next = await findScheduledValues(tx, row.parent_subscription_id);
  const above = byTag(await lockUsedFeatures(tx, row.parent_subscription_id));
  const own = byTag(await lockUsedFeatures(tx, row.id));
  const total = await sumAllocations(tx, row.parent_subscription_id);
  for (const feature of catalogue) {
    const parent = above.get(feature.code);
    const child = own.get(feature.code);
    const others = (total.get(feature.code) ?? 0) - (child ? (limitOf(child.value) ?? 0) : 0);
    const used = parent ? usageOf(parent, today).used : 0;
    const most = availableInParent(feature, valueOf(feature, parent), next, used + others);
    if (wanted.has(feature.code) || isWithin(feature, valueOf(feature, child), most)) continue;
    if (child) await storeFeature(tx, child.id, { value: most, updated_at: now });
    else await addFeature(change, row, parent ?? feature, most);
  }
}

/**
 * After a change of what a subscription has: those below have no more than it, and it no more than the one above.
 * @param before what it had, by feature: only what was raised has to fit; null for a new one.
 * @throws 422 `feature-limit-reached` with the figures
 */
export async function updateAllocations(
  change: Change,
  row: SubscriptionRow,
  before: Readonly<Record<string, string>> | null,
): Promise<void> {
  await lowerChildLimits(change, row);
  await reserveInParent(change, row, before === null ? null : new Map(Object.entries(before)));
}

/**
 * What is set aside for those below stays with them: less than that is refused. Everything else of theirs that is more
 * than the subscription has now is lowered, at every depth.
 */
export async function lowerChildLimits(change: Change, row: SubscriptionRow): Promise<void> {
  const { tx, now, today } = change;
  const children = await lockChildren(tx, row.id);
  if (children.length === 0) return;
  await lockUsedFeatures(tx, row.id);
  await storeAllocations(tx, row.id, now);
  const total = await sumAllocations(tx, row.id);
  const own = byTag(await lockUsedFeatures(tx, row.id));
  const errors: FieldFaults = {};
  const lowered = new Set<SubscriptionRow>();
  for (const child of children) {
    const theirs = byTag(await lockUsedFeatures(tx, child.id));
    for (const feature of catalogue) {
      const [most, value] = [valueOf(feature, own.get(feature.code)), valueOf(feature, theirs.get(feature.code))];
      if (isShared(feature)) {
        const fault = childLimitFault(
          feature,
          own.get(feature.code),
          { value, total: total.get(feature.code) ?? 0 },
          today,
        );
        if (fault !== null) errors[feature.code] = [fault];
      } else if (!isWithin(feature, value, most)) {
        await lowerFeature(change, child, theirs.get(feature.code), own.get(feature.code), most);
        lowered.add(child);
      }
    }
  }
  const tags = Object.keys(errors);
  if (tags.length > 0) {
    const message = `More was handed down than this would leave: ${tags.join(', ')}.`;
    throw new Failure('feature-limit-reached', message, { errors });
  }
  for (const child of lowered) await lowerChildLimits(change, child);
}

async function lowerFeature(
  change: Change,
  child: SubscriptionRow,
  theirs: UsedFeatureRow | undefined,
  own: UsedFeatureRow | undefined,
  most: string,
): Promise<void> {
  if (theirs) {
    const after = await storeFeature(change.tx, theirs.id, { value: most, updated_at: change.now });
    await emitSubscriptionEvent(
      change,
      'subscription.feature_updated',
      child,
      valuesByTag([theirs]),
      valuesByTag([after]),
    );
  } else if (own) await addFeature(change, child, own, most);
}

async function addFeature(
  { tx, now, today }: Change,
  row: SubscriptionRow,
  from: UsedFeatureRow | FeatureDefinition,
  value: string,
) {
  const copy = { ...('tag' in from ? columnsOfFeature(from) : columnsOfDefinition(from)), value };
  const valid_until = firstWindowEnd(row, copy, today);
  await insertFeatures(tx, [{ ...copy, subscription_id: row.id, package_feature_id: null, valid_until }], now);
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

function childLimitFault(
  feature: FeatureDefinition,
  own: UsedFeatureRow | undefined,
  { value, total }: { value: string; total: number },
  today: Change['today'],
): string | null {
  const limit = limitOf(valueOf(feature, own));
  if (limit === null) return null;
  if (limitOf(value) === null) return `An unlimited number of ${feature.code} is handed down.`;
  const used = own ? usageOf(own, today).used : 0;
  if (total === 0 || used + total <= limit) return null;
  return `${used} of ${feature.code} are used and ${total} are handed down, which is more than ${limit}.`;
}

/**
 * After a change of what a subscription has: sets aside in its parent what was handed down, and makes sure that the
 * parent has as much, and that the subscription itself has what it uses and hands down.
 * @throws 422 `feature-limit-reached` with the figures
 */
async function reserveInParent(
  change: Change,
  row: SubscriptionRow,
  before: ReadonlyMap<string, string> | null,
): Promise<void> {
  if (row.parent_subscription_id === null) return;
  const { tx, now, today } = change;
  const next = await findScheduledValues(tx, row.parent_subscription_id);
  const above = byTag(await lockUsedFeatures(tx, row.parent_subscription_id));
  const total = await sumAllocations(tx, row.parent_subscription_id);
  const own = byTag(await lockUsedFeatures(tx, row.id));
  const errors: FieldFaults = {};
  for (const feature of catalogue) {
    const tag = feature.code;
    const parent = above.get(tag);
    const value = valueOf(feature, own.get(tag));
    const had = before === null ? undefined : (before.get(tag) ?? feature.absentValue ?? '');
    const isRaised = had === undefined || !isWithin(feature, value, had);
    const sentence =
      ownUsageFault(feature, own.get(tag), today) ??
      (isRaised ? parentLimitFault(feature, { parent, next, value, handedDown: total.get(tag) ?? 0 }, today) : null);
    if (sentence !== null) errors[tag] = [sentence];
  }
  const tags = Object.keys(errors);
  if (tags.length > 0) {
    const message = `The reseller's subscription does not have what would be handed down: ${tags.join(', ')}.`;
    throw new Failure('feature-limit-reached', message, { errors });
  }
  await storeAllocations(tx, row.parent_subscription_id, now);
}

/** What is used of a feature that was handed down is of the reseller's: it does not go unseen. @throws 422 */
export function refuseFeatureInUse({ tag, used, handed_down: handedDown }: UsedFeatureRow): void {
  if (used + handedDown === 0) return;
  const sentence = `${used + handedDown} of ${tag} are used or handed down already.`;
  throw new Failure('feature-limit-reached', sentence, { errors: { [tag]: [sentence] } });
}

/** What was handed down with the subscription goes back to its parent, once it is gone. */
export async function releaseAllocation(
  { tx, now }: Change,
  { parent_subscription_id: parentId }: SubscriptionRow,
): Promise<void> {
  if (parentId === null) return;
  await lockUsedFeatures(tx, parentId);
  await storeAllocations(tx, parentId, now);
}

function byTag(rows: readonly UsedFeatureRow[]): Map<string, UsedFeatureRow> {
  return new Map(rows.map((row) => [row.tag, row]));
}

function valueOf(feature: FeatureDefinition, row: UsedFeatureRow | undefined): string {
  return row?.value ?? feature.absentValue ?? '';
}

function isShared({ code }: FeatureDefinition): boolean {
  return sharedLimits.includes(code);
}

/** The most that the parent could hand down, now and with the package that it is about to change to. */
function availableInParent(
  feature: FeatureDefinition,
  has: string,
  next: ScheduledValues | null,
  taken: number,
): string {
  if (!isShared(feature)) return has;
  const later = next?.values.get(feature.code) ?? feature.absentValue ?? '';
  const limits = [has, ...(next ? [later] : [])].map(limitOf).filter((limit) => limit !== null);
  return limits.length === 0 ? has : String(Math.max(0, Math.min(...limits) - taken));
}

function isWithin({ valueType }: FeatureDefinition, value: string, most: string): boolean {
  if (value === most) return true;
  if (valueType === 'flag') return value !== 'true';
  if (valueType === 'text') return false;
  const [asked, limit] = [limitOf(value), limitOf(most)];
  return limit === null || (asked !== null && asked <= limit);
}

interface AllocationRequest {
  readonly parent: UsedFeatureRow | undefined;
  /** What the package gives that the parent is about to change to. */
  readonly next: ScheduledValues | null;
  readonly value: string;
  /** What all that hang on the parent have together. */
  readonly handedDown: number;
}

/** Why the parent cannot hand down the value. */
function parentLimitFault(feature: FeatureDefinition, asked: AllocationRequest, today: Change['today']): string | null {
  const { parent, next, value, handedDown } = asked;
  const tag = feature.code;
  if (!isShared(feature)) {
    if (isWithin(feature, value, valueOf(feature, parent))) return null;
    return `The reseller's own subscription has ${tag} ${valueOf(feature, parent)}, and so hands down no ${value}.`;
  }
  const used = parent ? usageOf(parent, today).used : 0;
  const fault = sharedLimitFault(feature, valueOf(feature, parent), { value, used, handedDown });
  if (fault !== null) return `The reseller has ${fault}`;
  if (next === null) return null;
  const later = next.values.get(tag) ?? feature.absentValue ?? '';
  const faultLater = sharedLimitFault(feature, later, { value, used, handedDown });
  return faultLater === null ? null : `From ${next.effectiveOn} on the reseller has ${faultLater}`;
}

function sharedLimitFault(
  { code }: FeatureDefinition,
  has: string,
  { value, used, handedDown }: { value: string; used: number; handedDown: number },
): string | null {
  const limit = limitOf(has);
  if (limit === null) return null;
  if (limitOf(value) === null) return `${limit} of ${code}, and so hands down no unlimited number.`;
  if (used + handedDown <= limit) return null;
  return `${limit} of ${code}: ${used} are used and ${handedDown} would be handed down.`;
}

interface ScheduledValues {
  readonly effectiveOn: string;
  readonly values: ReadonlyMap<string, string>;
}

/** What the package gives to which the subscription is to change: nothing is handed down that would prevent that. */
async function findScheduledValues(tx: Change['tx'], id: Uuid): Promise<ScheduledValues | null> {
  const scheduled = await findScheduled(tx, id);
  if (!scheduled || scheduled.to_package_id === null) return null;
  const features = await listPackageFeatures(tx, scheduled.to_package_id);
  return {
    effectiveOn: scheduled.effective_at,
    values: new Map(features.map(({ tag, value }) => [tag, value])),
  };
}

/** What is used or handed down further cannot be taken away. */
function ownUsageFault(
  feature: FeatureDefinition,
  own: UsedFeatureRow | undefined,
  today: Change['today'],
): string | null {
  const limit = own && isShared(feature) ? limitOf(own.value) : null;
  if (limit === null || !own) return null;
  const used = usageOf(own, today).used + own.handed_down;
  return used <= limit ? null : `${used} of ${feature.code} are used or handed down already.`;
}
