import { Type } from 'typebox';
import {
  boolean,
  day,
  derived,
  identifier,
  instant,
  integer,
  longText,
  metadata,
  nullable,
  oneOf,
  text,
} from '../../conventions/field.ts';
import { serviceTypes } from '../providers/provider-types.ts';
import { identity, many, one, resource, timestamps } from '../../conventions/resource.ts';
import { providerRow } from '../packages/service-package-provider.ts';
import { autoRenew, intervals, terms, trialMode } from '../packages/terms.ts';

export const subscriptionStatuses = ['active', 'inactive', 'canceled', 'suspended', 'terminated'] as const;

export const unusableReasons = ['subscription', 'parent-subscription', 'customer'] as const;

export const Subscription = resource('subscription', {
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('subscription'),
    tag: text(8, { freeText: true }),
    name: text(150, { freeText: true }),
    description: nullable(longText({ freeText: true })),
    package_id: identifier('pkg'),
    subscriber_id: identifier('cust'),
    parent_subscription_id: nullable(identifier('sub', "The reseller's subscription from which this one is resold.")),
    service_type: oneOf(serviceTypes),
    status: oneOf(subscriptionStatuses),
    is_active: boolean(),
    is_usable: boolean(
      'Whether it can be used today. This depends on its own status and dates, on those of the subscriptions from which it is resold, and on the status of its customer.',
    ),
    unusable_because: nullable(
      oneOf(
        unusableReasons,
        "Why it cannot be used: its own status or dates, the reseller's subscription from which it is resold, or the customer, if the customer or a reseller above is inactive or terminated.",
      ),
    ),
    held_by_platform: boolean(
      'Whether an administrator suspended, deactivated or canceled it. Users cannot change the status then.',
    ),
    starts_at: day(),
    ends_at: day(),
    cancels_at: nullable(day()),
    canceled_at: nullable(instant()),
    last_day_of_use: nullable(
      Type.String({
        ...day(),
        description:
          'The last day on which it can be used by its own dates unless it is renewed, including the grace period. Null if it renews automatically, or if its status does not allow use.',
      }),
    ),
    trial_period: integer(),
    trial_interval: oneOf(intervals),
    trial_mode: trialMode,
    trial_ends_at: nullable(day()),
    grace_period: integer(),
    grace_interval: oneOf(intervals),
    auto_renew: autoRenew,
    periodicity: integer(),
    periodicity_type: oneOf(intervals),
    tier: nullable(integer()),
    price: terms.price,
    currency: terms.currency,
    ...timestamps(),
    subscription_metadata: metadata(),
  },
  includes: {
    features: many('ServicePackageSubscriptionFeature'),
    usages: many('SubscriptionUsage'),
    providers: many('ServicePackageProvider'),
    package_changes: many('SubscriptionPackageChange'),
    accounts: many('Account'),
    package: one('ServicePackage'),
    customer: one('Customer'),
  },
});

const usageFields = {
  id: identifier('usage'),
  plan_subscription_feature_id: identifier('subfeat'),
  subscription_feature_tag: text(),
  used: integer(),
  handed_down: derived({
    ...integer(),
    description: 'The amount that is resold in other subscriptions, which this one can no longer use.',
  }),
  valid_until: nullable(day()),
  created_at: instant(),
  updated_at: instant(),
  readable_created_at: derived(text()),
  readable_updated_at: derived(text()),
};

export const SubscriptionFeature = resource('subscription_feature', {
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('subscription_feature'),
    subscription_id: identifier('sub'),
    service_subscription_id: derived(identifier('sub')),
    package_feature_id: nullable(identifier('pkgfeat')),
    service_feature_id: derived(nullable(identifier('pkgfeat'))),
    tag: text(150, { freeText: true }),
    name: text(150, { freeText: true }),
    description: nullable(longText({ freeText: true })),
    value: text(255),
    resettable_period: integer(),
    resettable_interval: oneOf(intervals),
    sort_order: nullable(integer()),
    ...timestamps(),
    usage: derived(Type.Object({ data: Type.Object(usageFields) })),
  },
  includes: { subscription: one('ServicePackageSubscription') },
});

/** The current usage of a feature; no history is kept. */
export const SubscriptionUsage = resource('subscription_usage', {
  readPermission: 'read-subscriptions',
  fields: { ...identity('subscription_usage'), ...usageFields },
  includes: {},
});

export const SubscriptionProvider = resource('subscription_provider', {
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('subscription_provider'),
    subscription_id: identifier('sub'),
    package_provider_id: identifier('pkgprov'),
    ...providerRow,
    ...timestamps(),
  },
  includes: {
    subscription: one('ServicePackageSubscription'),
    service_provider: one('ServiceProvider'),
  },
});

export const packageChangeTimes = ['now', 'period_end'] as const;
export const packageChangeStatuses = ['scheduled', 'done', 'failed', 'withdrawn'] as const;
export const packageChangeDirections = ['upgrade', 'downgrade', 'lateral'] as const;

/** A package change of a subscription: scheduled, completed, failed or withdrawn. */
export const SubscriptionPackageChange = resource('subscription_package_change', {
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('subscription_package_change'),
    subscription_id: identifier('sub'),
    from_package_id: nullable(identifier('pkg', 'Null after the package was deleted.')),
    to_package_id: nullable(identifier('pkg', 'Null after the package was deleted.')),
    direction: oneOf(
      packageChangeDirections,
      'By tier: `upgrade` to a higher one, `downgrade` to a lower one, `lateral` if both are equal or one is missing.',
    ),
    status: oneOf(
      packageChangeStatuses,
      '`failed`: on its day, usage was above the limits of the new package or the package was no longer available; the subscription was not changed. `withdrawn`: it was undone or replaced by another change, or the subscription ended.',
    ),
    effective_at: day(),
    done_at: nullable(instant()),
    failure: nullable(longText()),
    ...timestamps(),
  },
  includes: { subscription: one('ServicePackageSubscription') },
});
