import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { subscriptionEndpoints } from '@foyer/contract/resources/subscription.ts';
import { findFeature, normalizeFeatureValue } from '@foyer/contract/resources/features.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, dryRun } from '../../events/change.ts';
import { calendarDate, printCalendarDate } from '../../platform/time/calendar-date.ts';
import { cutText, longestName } from '../../platform/text/cut-text.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import { newUuid, printIdentifier } from '../../platform/identity/identifier.ts';
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
import { capToParent, lockParentSubscription, updateAllocations } from './resale/allocations.ts';
import { lifecycleOf, columnsOf } from './lifecycle/lifecycle-of-row.ts';
import type { SubscriptionLifecycle } from './lifecycle/lifecycle.ts';
import { firstPeriod, graceOrTrialEndsOn } from './lifecycle/period.ts';
import { requireSellable, requireActiveProvider } from './require-sellable.ts';
import {
  insertSubscription,
  listFeatures,
  storeFeature,
  subscriptionProviders,
  type SubscriptionRow,
} from './store.ts';

type Input = BodyOf<(typeof subscriptionEndpoints)['createSubscription']>;

/**
 * Subscribes a customer: terms, features (used: 0) and the default provider are copied from the package, and one is
 * taken from its stock.
 * @throws 422 when the package or the customer is unknown or the package cannot be sold; 409 when the customer is not active.
 */
export async function createSubscription(
  change: Change,
  principal: Principal | null,
  input: Input,
): Promise<SubscriptionRow> {
  const customer = await lockCustomerForUse(change.tx, input.subscriber_id, 'subscriber_id');
  const source = await lockParentSubscription(change, principal, customer, input);
  // What the reseller has, it hands down, also of a package that is sold no more.
  const { servicePackage, providers } = await (source ? requireActiveProvider : requireSellable)(
    change.tx,
    input.package_id,
  );
  if (servicePackage.has_stock && !source) await takeFromStock(change.tx, servicePackage.id, change.now);
  refuseMoney(servicePackage, input);
  const row = await insert(change, servicePackage, source, input);
  await copyPackageFeatures(change, row);
  const given = await overrideValues(change, row, input.features ?? {});
  await capToParent(change, row, given);
  await updateAllocations(change, row, null);
  await copyDefaultProvider(change, row, providers);
  await change.emit({
    name: 'subscription.created',
    resource: { type: 'ServicePackageSubscription', id: row.id },
    customerId: row.subscriber_id,
    after: row,
  });
  return row;
}

/** What it would be today; nothing is stored. @throws as a creation does */
export async function previewNewSubscription(
  dependencies: Dependencies,
  actor: Actor,
  principal: Principal | null,
  input: Input,
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

/** Other values than the package's. @returns their tags. @throws 422 that names each at fault */
async function overrideValues(
  { tx, now }: Change,
  row: SubscriptionRow,
  given: Readonly<Record<string, unknown>>,
): Promise<ReadonlySet<string>> {
  const faults: FieldFaults = {};
  const known = new Map((await listFeatures(tx, row.id)).map((feature) => [feature.tag, feature]));
  for (const [tag, value] of Object.entries(given)) {
    const feature = known.get(tag);
    const definition = findFeature(tag);
    const read = feature && definition ? normalizeFeatureValue(definition, value) : null;
    if (!feature || !read) faults[`features.${tag}`] = ['The package has no such feature.'];
    else if (read.ok) await storeFeature(tx, feature.id, { value: read.value, updated_at: now });
    else faults[`features.${tag}`] = [read.message];
  }
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  return new Set(Object.keys(given));
}

function refuseMoney(from: ServicePackageRow, input: Input): void {
  const faults = moneyFaults(input, { price: from.price }, input.currency ?? from.currency);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}

async function insert(
  { tx, now, today }: Change,
  from: ServicePackageRow,
  source: SubscriptionRow | null,
  input: Input,
): Promise<SubscriptionRow> {
  const { terms, period, tier, price, currency } = initialTerms(from, input, today);
  for (;;) {
    const tag = randomCode(8);
    const row = await insertSubscription(tx, {
      id: newUuid(),
      tag,
      name: input.name ?? cutText(`${from.name} - ${tag}`, longestName),
      description: input.description ?? null,
      package_id: from.id,
      subscriber_id: input.subscriber_id,
      parent_subscription_id: source?.id ?? null,
      ancestors: source ? [...source.ancestors, source.id] : [],
      service_type: from.service_type,
      ...columnsOf({ ...initialState, ...terms, ...period, isResold: source !== null }),
      trial_period: terms.trialPeriod,
      trial_interval: terms.trialInterval,
      trial_mode: terms.trialMode,
      grace_period: terms.gracePeriod,
      grace_interval: terms.graceInterval,
      periodicity: terms.periodicity,
      periodicity_type: terms.periodicityType,
      tier,
      price,
      currency,
      subscription_metadata: JSON.stringify(input.subscription_metadata ?? {}),
      created_at: now,
      updated_at: now,
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

function initialTerms(from: ServicePackageRow, input: Input, today: Change['today']) {
  const terms = {
    trialPeriod: input.trial_period ?? from.trial_period,
    trialInterval: input.trial_interval ?? from.trial_interval,
    trialMode: input.trial_mode ?? from.trial_mode,
    gracePeriod: input.grace_period ?? from.grace_period,
    graceInterval: input.grace_interval ?? from.grace_interval,
    periodicity: input.periodicity ?? from.periodicity,
    periodicityType: input.periodicity_type ?? from.periodicity_type,
  };
  return {
    terms,
    period: firstPeriod(terms, today),
    tier: input.tier === undefined ? from.tier : input.tier,
    price: input.price ?? from.price,
    currency: input.currency ?? from.currency,
  };
}

async function copyDefaultProvider(
  { tx, now }: Change,
  row: SubscriptionRow,
  providers: readonly PackageProviderRow[],
): Promise<void> {
  const [provider] = providers;
  if (!provider) return;
  await addProviderRow(tx, subscriptionProviders, row.id, [], {
    active: true,
    default: true,
    serviceProviderId: provider.service_provider_id,
    packageProviderId: provider.id,
    settings: provider.settings,
    field: 'package_id',
    now,
  });
}
