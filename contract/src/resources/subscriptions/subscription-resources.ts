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
import { intervals, providerRow, terms, autoRenew, trialMode } from '../packages/service-package.ts';

export const subscriptionStatuses = ['active', 'inactive', 'canceled', 'suspended', 'terminated'] as const;

export const unusableReasons = ['subscription', 'parent-subscription', 'customer'] as const;

export const Subscription = resource({
  object: 'ServicePackageSubscription',
  prefix: 'sub',
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('ServicePackageSubscription', 'sub'),
    tag: text(8, { freeText: true }),
    name: text(150, { freeText: true }),
    description: nullable(longText({ freeText: true })),
    package_id: identifier('pkg'),
    subscriber_id: identifier('cust'),
    parent_subscription_id: nullable(
      identifier('sub', "The reseller's subscription that this one was handed down from."),
    ),
    service_type: oneOf(serviceTypes),
    status: oneOf(subscriptionStatuses),
    is_active: boolean(),
    is_usable: boolean(
      'Whether it can be used today: by its own status and dates, by those of every subscription that it was handed down from, and by the status of its customer.',
    ),
    unusable_because: nullable(
      oneOf(
        unusableReasons,
        "What keeps it from being used: its own status or dates, the reseller's subscription that it was handed down from, or the customer, which is inactive or terminated as itself or by a reseller above it.",
      ),
    ),
    held_by_platform: boolean(
      'Whether an administrator took it out of use or canceled it: users neither lift nor change that.',
    ),
    starts_at: day(),
    ends_at: day(),
    cancels_at: nullable(day()),
    canceled_at: nullable(instant()),
    last_day_of_use: nullable(
      Type.String({
        ...day(),
        description:
          'The last day on which it can be used by its own dates, grace included, unless it is renewed; null where it renews itself, and where its status does not let it be used.',
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
    description:
      'What the subscriptions that were handed down of this one have of it; set aside, and so not to be used.',
  }),
  valid_until: nullable(day()),
  created_at: instant(),
  updated_at: instant(),
  readable_created_at: derived(text()),
  readable_updated_at: derived(text()),
};

export const SubscriptionFeature = resource({
  object: 'ServicePackageSubscriptionFeature',
  prefix: 'subfeat',
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('ServicePackageSubscriptionFeature', 'subfeat'),
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

/** What of a feature is used now; no history is kept. */
export const SubscriptionUsage = resource({
  object: 'SubscriptionUsage',
  prefix: 'usage',
  readPermission: 'read-subscriptions',
  fields: { ...identity('SubscriptionUsage', 'usage'), ...usageFields },
  includes: {},
});

export const SubscriptionProvider = resource({
  object: 'ServicePackageProvider',
  prefix: 'subprov',
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('ServicePackageProvider', 'subprov'),
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

/** A subscription's move from one package to another: scheduled, made, found impossible on its day, or withdrawn. */
export const SubscriptionPackageChange = resource({
  object: 'SubscriptionPackageChange',
  prefix: 'subchange',
  readPermission: 'read-subscriptions',
  fields: {
    ...identity('SubscriptionPackageChange', 'subchange'),
    subscription_id: identifier('sub'),
    from_package_id: nullable(identifier('pkg', 'Null once that package is deleted.')),
    to_package_id: nullable(identifier('pkg', 'Null once that package is deleted.')),
    direction: oneOf(
      packageChangeDirections,
      'By tier: `upgrade` to a higher one, `downgrade` to a lower one, `lateral` where a tier is missing or both are equal.',
    ),
    status: oneOf(
      packageChangeStatuses,
      '`failed`: on its day more was used than the new package allows, or the package could not be had any more; the subscription stayed as it was. `withdrawn`: taken back, replaced by another, or dropped with what ended the subscription.',
    ),
    effective_at: day(),
    done_at: nullable(instant()),
    failure: nullable(longText()),
    ...timestamps(),
  },
  includes: { subscription: one('ServicePackageSubscription') },
});
