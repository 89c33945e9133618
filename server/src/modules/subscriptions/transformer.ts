import {
  Subscription,
  SubscriptionFeature,
  SubscriptionPackageChange,
  SubscriptionProvider,
  SubscriptionUsage,
} from '@foyer/contract/resources/subscriptions/subscription.ts';
import { sql } from 'kysely';
import { printCalendarDate } from '../../platform/time/calendar-date.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { printInstant } from '../../platform/time/instant.ts';
import { readableTime } from '../../platform/time/relative-time.ts';
import { defineView, type Reader } from '../../platform/list-query/view.ts';
import { idOrNull } from '../../platform/row-members.ts';
import { printProviderRow } from '../service-packages/index.ts';
import { hasExpired } from './lifecycle/due-store.ts';
import { lifecycleOf } from './lifecycle/lifecycle-of-row.ts';
import { expire, renewsItself, lastDayOfUse, isUsable } from './lifecycle/lifecycle.ts';
import type { PackageChangeRow } from './package-change/package-change-store.ts';
import { usageOf } from './usage/usage-of-row.ts';
import { findInheritedReasons, type UnusableReason, unusableReasonOn } from './lifecycle/unusable-reason.ts';
import type { ProviderRowWithNames, SubscriptionRow, UsedFeatureRow } from './store.ts';

interface HydratedSubscriptionRow extends SubscriptionRow {
  /** Set by `hydrate`. */
  inherited_reason?: Exclude<UnusableReason, 'subscription'> | null;
}

export const subscriptionView = defineView<typeof Subscription.fields, HydratedSubscriptionRow>({
  resource: Subscription,
  table: 'subscriptions',
  expressionsOn: (today) => ({
    status: sql`(case when ${hasExpired(today)} then 'suspended' else subscriptions.status end)`,
    is_active: sql`(subscriptions.is_active and not ${hasExpired(today)})`,
    is_usable: sql`(${unusableReasonOn(today)} is null)`,
    unusable_because: unusableReasonOn(today),
    last_day_of_use: sql`(case when subscriptions.usable_until >= ${today} and not (subscriptions.auto_renew and subscriptions.status = 'active') then subscriptions.usable_until end)`,
  }),
  hydrate: async (rows, reader) => {
    const inherited = await findInheritedReasons(reader.db, rows, reader.today);
    for (const row of rows) row.inherited_reason = inherited.get(row.id) ?? null;
  },
  transform: (row, reader) => {
    // In case the expiry job has not run yet.
    const state = expire(lifecycleOf(row), reader.today);
    const unusableReason = isUsable(state, reader.today) ? (row.inherited_reason ?? null) : 'subscription';
    return {
      status: state.status,
      is_active: state.isActive,
      is_usable: unusableReason === null,
      unusable_because: unusableReason,
      last_day_of_use:
        isUsable(state, reader.today) && !renewsItself(state) ? printCalendarDate(lastDayOfUse(state)) : null,
    };
  },
});

export const subscriptionFeatureView = defineView<typeof SubscriptionFeature.fields, UsedFeatureRow>({
  resource: SubscriptionFeature,
  table: 'subscription_features',
  from: sql`subscription_features
    join subscription_usages on subscription_usages.subscription_feature_id = subscription_features.id
    join subscriptions on subscriptions.id = subscription_features.subscription_id`,
  orders: {
    service_subscription_id: sql.ref('subscription_features.subscription_id'),
    service_feature_id: sql.ref('subscription_features.package_feature_id'),
  },
  select: sql`subscription_features.*, subscription_usages.id as usage_id, subscription_usages.used, subscription_usages.handed_down,
    subscription_usages.valid_until, subscription_usages.created_at as usage_created_at,
    subscription_usages.updated_at as usage_updated_at, subscriptions.starts_at, subscriptions.anchor_day`,
  transform: (row, reader) => ({
    service_subscription_id: printIdentifier('sub', row.subscription_id),
    service_feature_id: idOrNull('pkgfeat', row.package_feature_id),
    usage: { data: printUsage(row, row.id, reader) },
  }),
});

export const usageView = defineView<typeof SubscriptionUsage.fields, UsedFeatureRow>({
  resource: SubscriptionUsage,
  table: 'subscription_usages',
  from: sql`subscription_usages
    join subscription_features on subscription_features.id = subscription_usages.subscription_feature_id
    join subscriptions on subscriptions.id = subscription_usages.subscription_id`,
  select: sql`subscription_features.*, subscription_usages.id, subscription_usages.id as usage_id, subscription_usages.used, subscription_usages.handed_down,
    subscription_usages.valid_until, subscription_usages.created_at as usage_created_at,
    subscription_usages.updated_at as usage_updated_at, subscriptions.starts_at, subscriptions.anchor_day,
    subscription_usages.subscription_feature_id as feature_id`,
  transform: (row, reader) => printUsage(row, (row as UsedFeatureRow & { feature_id: string }).feature_id, reader),
});

function printUsage(row: UsedFeatureRow, featureId: string, reader: Reader) {
  const usage = usageOf(row, reader.today);
  const created = printInstant(row.usage_created_at);
  const updated = printInstant(row.usage_updated_at);
  return {
    id: printIdentifier('usage', row.usage_id),
    plan_subscription_feature_id: printIdentifier('subfeat', featureId),
    subscription_feature_tag: row.tag,
    used: usage.used,
    handed_down: row.handed_down,
    valid_until: usage.validUntil && printCalendarDate(usage.validUntil),
    created_at: created,
    updated_at: updated,
    readable_created_at: readableTime(created, reader.nowMs, reader.locale),
    readable_updated_at: readableTime(updated, reader.nowMs, reader.locale),
  };
}

export const subscriptionProviderView = defineView<typeof SubscriptionProvider.fields, ProviderRowWithNames>({
  resource: SubscriptionProvider,
  table: 'subscription_providers',
  from: sql`subscription_providers
    join service_providers on service_providers.id = subscription_providers.service_provider_id
    join subscriptions on subscriptions.id = subscription_providers.subscription_id`,
  select: sql`subscription_providers.*, service_providers.provider_name, service_providers.provider_type, subscriptions.package_id`,
  expressions: {
    default: sql.ref('subscription_providers.is_default'),
    service_provider_name: sql.ref('service_providers.provider_name'),
    service_provider_type: sql.ref('service_providers.provider_type'),
    package_id: sql.ref('subscriptions.package_id'),
  },
  transform: printProviderRow,
});

export const packageChangeView = defineView<typeof SubscriptionPackageChange.fields, PackageChangeRow>({
  resource: SubscriptionPackageChange,
  table: 'subscription_package_changes',
});
