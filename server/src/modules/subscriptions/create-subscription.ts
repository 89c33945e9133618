import type { BodyOf } from '@foyer/contract/endpoint.ts';
import type { subscriptionEndpoints } from '@foyer/contract/subscription.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import { Failure, invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import { newUuid } from '../../platform/identifier.ts';
import { randomCode } from '../../platform/opaque-token.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import { currentUsage } from '../features/index.ts';
import {
  addProviderRow,
  listPackageFeatures,
  lockServicePackage,
  type PackageProviderRow,
  type ServicePackageRow,
  takeFromStock,
  usableProviders,
} from '../service-packages/index.ts';
import { firstPeriod } from './period.ts';
import { insertFeatures, insertSubscription, subscriptionProviders, type SubscriptionRow } from './store.ts';

type Input = BodyOf<(typeof subscriptionEndpoints)['createSubscription']>;

/**
 * Subscribes a customer: terms, features (used: 0) and the default provider are copied from the package, and one is
 * taken from its stock.
 * @throws 422 when the package or the customer is unknown or the package cannot be sold; 409 when the customer is not active.
 */
export async function createSubscription(
  dependencies: Dependencies,
  actor: Actor,
  input: Input,
): Promise<SubscriptionRow> {
  return await change(dependencies, actor, async (under) => {
    await lockCustomerForUse(under.tx, input.subscriber_id, 'subscriber_id');
    const servicePackage = await lockServicePackage(under.tx, input.package_id);
    if (!servicePackage) throw invalidInput({ package_id: ['The selected package id is invalid.'] });
    const providers = await usableProviders(under.tx, input.package_id);
    await refuseUnsellable(under, servicePackage, providers);
    const row = await insert(under, servicePackage, input);
    await copyFeatures(under, row);
    await copyDefaultProvider(under, row, providers);
    await under.emit({
      name: 'subscription.created',
      resource: { type: 'ServicePackageSubscription', id: row.id },
      customerId: row.subscriber_id,
      after: row,
    });
    return row;
  });
}

async function refuseUnsellable(
  under: Change,
  servicePackage: ServicePackageRow,
  providers: readonly PackageProviderRow[],
): Promise<void> {
  const reason = await unsellable(under, servicePackage, providers);
  if (reason) throw new Failure('package-not-available', reason, { errors: { package_id: [reason] } });
}

async function unsellable(
  { tx, now }: Change,
  servicePackage: ServicePackageRow,
  providers: readonly PackageProviderRow[],
): Promise<string | null> {
  if (servicePackage.status !== 'active') return 'The service package is not active.';
  if (servicePackage.retired) return 'The service package is retired.';
  if (providers.length === 0) return 'The service package has no provider that is active.';
  if (servicePackage.has_stock && !(await takeFromStock(tx, servicePackage.id, now)))
    return 'The service package is out of stock.';
  return null;
}

async function insert({ tx, now, today }: Change, from: ServicePackageRow, input: Input): Promise<SubscriptionRow> {
  const terms = {
    trialPeriod: input.trial_period ?? from.trial_period,
    trialInterval: (input.trial_interval ?? from.trial_interval) as 'day',
    trialMode: (input.trial_mode ?? from.trial_mode) as 'outside',
    periodicity: input.periodicity ?? from.periodicity,
    periodicityType: (input.periodicity_type ?? from.periodicity_type) as 'day',
  };
  const period = firstPeriod(terms, today);
  for (;;) {
    const tag = randomCode(8);
    const row = await insertSubscription(tx, {
      id: newUuid(),
      tag,
      name: input.name ?? `${from.name} - ${tag}`,
      description: input.description ?? null,
      package_id: from.id,
      subscriber_id: input.subscriber_id,
      service_type: from.service_type,
      status: 'active',
      is_active: true,
      starts_at: period.startsOn,
      ends_at: period.endsOn,
      anchor_day: period.anchorDay,
      trial_ends_at: period.trialEndsOn,
      trial_period: terms.trialPeriod,
      trial_interval: terms.trialInterval,
      trial_mode: terms.trialMode,
      grace_period: input.grace_period ?? from.grace_period,
      grace_interval: input.grace_interval ?? from.grace_interval,
      periodicity: terms.periodicity,
      periodicity_type: terms.periodicityType,
      tier: input.tier === undefined ? from.tier : input.tier,
      price: input.price ?? from.price,
      currency: input.currency ?? from.currency,
      subscription_metadata: JSON.stringify(input.subscription_metadata ?? {}),
      created_at: now,
      updated_at: now,
    });
    if (row) return row;
  }
}

async function copyFeatures({ tx, now, today }: Change, row: SubscriptionRow): Promise<void> {
  const features = await listPackageFeatures(tx, row.package_id);
  const copies = features.map((feature) => ({
    subscription_id: row.id,
    package_feature_id: feature.id,
    tag: feature.tag,
    name: feature.name,
    description: feature.description,
    value: feature.value,
    resettable_period: feature.resettable_period,
    resettable_interval: feature.resettable_interval,
    sort_order: feature.sort_order,
    valid_until: firstWindowEnd(row, feature, today),
  }));
  await insertFeatures(tx, copies, now);
}

/** Where the usage of a feature that begins today is first reset; null when it never is. */
export function firstWindowEnd(
  row: SubscriptionRow,
  feature: { resettable_period: number; resettable_interval: string | null },
  today: Change['today'],
): string | null {
  return currentUsage(
    { used: 0, validUntil: null },
    {
      resettablePeriod: feature.resettable_period,
      resettableInterval: feature.resettable_interval as 'month' | null,
      startsOn: row.starts_at as Change['today'],
      anchorDay: row.anchor_day,
    },
    today,
  ).validUntil;
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
    field: 'package_id',
    now,
  });
}
