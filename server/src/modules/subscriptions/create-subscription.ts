import { newRow } from '../../database/row-store.ts';
import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { normalizeFeatureValue } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, dryRun } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { calendarDate, printCalendarDate } from '../../platform/time/calendar-date.ts';
import { cutText, maxNameLength } from '../../platform/text/cut-text.ts';
import type { Principal, InputOf, CallOf } from '../../platform/http/input/call.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import { moneyFaults } from '../../platform/text/money.ts';
import { randomCode } from '../../platform/crypto/opaque-token.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import {
  addProviderRow,
  type PackageProviderRow,
  requireServicePackage,
  type ServicePackageRow,
  takeFromStock,
} from '../service-packages/index.ts';
import { copyPackageFeatures } from './features/copy-package-features.ts';
import { providerEvent } from './features/subscription-providers.ts';
import { capToParent, updateAllocations } from './resale/allocations.ts';
import { lockParentSubscription } from './resale/parent-subscription.ts';
import { lifecycleOf, columnsOf } from './lifecycle/lifecycle-of-row.ts';
import type { SubscriptionLifecycle } from './lifecycle/lifecycle.ts';
import { firstPeriod, graceOrTrialEndsOn } from './lifecycle/period.ts';
import { requireSellable, requireActiveProvider } from './require-sellable.ts';
import {
  insertSubscription,
  listFeatures,
  storeFeature,
  subscriptionProviders,
  type SubscriptionProviderRow,
  type SubscriptionRow,
} from './store.ts';

type Input = InputOf<'createSubscription'>;

/**
 * Subscribes a customer: copies terms, features and the default provider from the package, and takes one from its stock.
 * @throws 422 if the package or customer is unknown or the package cannot be sold; 409 if the customer is not active.
 */
export async function createSubscription(
  change: Change,
  principal: Principal | null,
  input: Input,
): Promise<SubscriptionRow> {
  const customer = await lockCustomerForUse(change.tx, input.subscriber_id, 'subscriber_id');
  const parent = await lockParentSubscription(change, principal, customer, input);
  // A reseller can resell its subscription even if the package is no longer for sale.
  const { servicePackage, providers } = await (parent ? requireActiveProvider : requireSellable)(
    change.tx,
    input.package_id,
  );
  if (servicePackage.has_stock && !parent) await takeFromStock(change.tx, servicePackage.id, change.now);
  requireValidPrice(servicePackage, input);
  const row = await insert(change, servicePackage, parent, input);
  await copyPackageFeatures(change, row, true);
  const requestedTags = await overrideValues(change, row, input.features ?? {});
  await capToParent(change, row, requestedTags);
  await updateAllocations(change, row, null);
  const provider = await copyDefaultProvider(change, row, providers);
  await change.emit(rowEvent('subscription.created', { after: row }));
  const features = await listFeatures(change.tx, row.id);
  await change.emitAll(
    features.map((feature) =>
      rowEvent('subscription_feature.created', { customerId: row.subscriber_id, after: feature }),
    ),
  );
  if (provider) await change.emit(providerEvent('created', row, { after: provider }));
  return row;
}

/** The subscription as it would be created today; a dry run. @throws as `createSubscription` */
export async function previewNewSubscription(
  dependencies: Dependencies,
  { actor, principal, body: input }: CallOf<'previewNewSubscription'>,
): Promise<Record<string, unknown>> {
  return await dryRun(dependencies, actor, async (change) => {
    const row = await createSubscription(change, principal, input);
    const { signup_fee: signupFee } = await requireServicePackage(change.tx, row.package_id);
    const features = await listFeatures(change.tx, row.id);
    return {
      object: 'SubscriptionPreview',
      package_id: printIdentifier('pkg', row.package_id),
      subscriber_id: printIdentifier('cust', row.subscriber_id),
      starts_at: printCalendarDate(calendarDate(row.starts_at)),
      ends_at: printCalendarDate(calendarDate(row.ends_at)),
      trial_ends_at: row.trial_ends_at === null ? null : printCalendarDate(calendarDate(row.trial_ends_at)),
      grace_ends_at: printCalendarDate(graceOrTrialEndsOn(lifecycleOf(row))),
      auto_renew: row.auto_renew,
      tier: row.tier,
      price: Number(row.price),
      currency: row.currency,
      signup_fee: Number(signupFee),
      periodicity: row.periodicity,
      periodicity_type: row.periodicity_type,
      features: features.map(({ tag, name, value }) => ({ tag, name, value })),
    };
  });
}

/**
 * Replaces values that were copied from the package.
 * @returns the tags of `values`
 * @throws 422 naming each invalid feature
 */
async function overrideValues(
  { tx, now }: Change,
  row: SubscriptionRow,
  values: Readonly<Record<string, unknown>>,
): Promise<ReadonlySet<string>> {
  const faults: FieldFaults = {};
  const featuresByTag = new Map((await listFeatures(tx, row.id)).map((feature) => [feature.tag, feature]));
  for (const [tag, value] of Object.entries(values)) {
    const feature = featuresByTag.get(tag);
    const definition = findFeature(tag);
    const normalized = feature && definition ? normalizeFeatureValue(definition, value) : null;
    if (!feature || !normalized) faults[`features.${tag}`] = ['The package does not have this feature.'];
    else if (normalized.ok) await storeFeature(tx, feature.id, { value: normalized.value, updated_at: now });
    else faults[`features.${tag}`] = [normalized.message];
  }
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  return new Set(Object.keys(values));
}

function requireValidPrice(servicePackage: ServicePackageRow, input: Input): void {
  const faults = moneyFaults(input, { price: servicePackage.price }, input.currency ?? servicePackage.currency);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}

/** Tries again with another tag while the random tag is taken. */
async function insert(
  { tx, now, today }: Change,
  servicePackage: ServicePackageRow,
  parent: SubscriptionRow | null,
  input: Input,
): Promise<SubscriptionRow> {
  const { terms, period, tier, price, currency } = initialTerms(servicePackage, input, today);
  for (;;) {
    const tag = randomCode(8);
    const row = await insertSubscription(tx, {
      ...newRow(now),
      tag,
      name: input.name ?? cutText(`${servicePackage.name} - ${tag}`, maxNameLength),
      description: input.description ?? null,
      package_id: servicePackage.id,
      subscriber_id: input.subscriber_id,
      parent_subscription_id: parent?.id ?? null,
      ancestors: parent ? [...parent.ancestors, parent.id] : [],
      service_type: servicePackage.service_type,
      ...columnsOf({ ...initialState, ...terms, ...period, isResold: parent !== null }),
      tier,
      price,
      currency,
      subscription_metadata: JSON.stringify(input.subscription_metadata ?? {}),
    });
    if (row) return row;
  }
}

const initialState = {
  status: 'active',
  isActive: true,
  cancelsOn: null,
  canceledAt: null,
  canceledNow: false,
} as const satisfies Partial<SubscriptionLifecycle>;

function initialTerms(servicePackage: ServicePackageRow, input: Input, today: Change['today']) {
  const terms = {
    trialPeriod: input.trial_period ?? servicePackage.trial_period,
    trialInterval: input.trial_interval ?? servicePackage.trial_interval,
    trialMode: input.trial_mode ?? servicePackage.trial_mode,
    gracePeriod: input.grace_period ?? servicePackage.grace_period,
    graceInterval: input.grace_interval ?? servicePackage.grace_interval,
    autoRenew: input.auto_renew ?? servicePackage.auto_renew,
    periodicity: input.periodicity ?? servicePackage.periodicity,
    periodicityType: input.periodicity_type ?? servicePackage.periodicity_type,
  };
  return {
    terms,
    period: firstPeriod(terms, today),
    tier: input.tier === undefined ? servicePackage.tier : input.tier,
    price: input.price ?? servicePackage.price,
    currency: input.currency ?? servicePackage.currency,
  };
}

async function copyDefaultProvider(
  { tx, now }: Change,
  row: SubscriptionRow,
  providers: readonly PackageProviderRow[],
): Promise<SubscriptionProviderRow | null> {
  const [provider] = providers;
  if (!provider) return null;
  return await addProviderRow({ tx, now }, subscriptionProviders, row.id, {
    existing: [],
    active: true,
    default: true,
    serviceProviderId: provider.service_provider_id,
    packageProviderId: provider.id,
    settings: provider.settings,
    field: 'package_id',
  });
}
