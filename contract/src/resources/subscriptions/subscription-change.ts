import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, enveloped, holders, members, single } from '../../conventions/endpoint.ts';
import {
  allOptional,
  boolean,
  day,
  identifier,
  integer,
  listOf,
  longText,
  map,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
  tier,
} from '../../conventions/field.ts';
import { autoRenew, intervals, terms, trialMode } from '../packages/terms.ts';
import {
  packageChangeDirections,
  packageChangeStatuses,
  packageChangeTimes,
  Subscription,
  SubscriptionPackageChange,
} from './subscription-resources.ts';

/** Terms that can override those of the package, when a subscription is created or updated. */
export const subscriptionWritable = allOptional({
  name: text(150, { minLength: 1 }),
  description: nullable(longText()),
  price: terms.price,
  currency: terms.currency,
  periodicity: terms.periodicity,
  periodicity_type: terms.periodicity_type,
  trial_period: terms.trial_period,
  trial_interval: terms.trial_interval,
  auto_renew: autoRenew,
  trial_mode: trialMode,
  grace_period: terms.grace_period,
  grace_interval: terms.grace_interval,
  tier: nullable(tier()),
  subscription_metadata: nullable(metadata()),
});

export const subscriptionCreation = {
  package_id: identifier('pkg'),
  subscriber_id: identifier('cust'),
  parent_subscription_id: optional(
    nullable(
      identifier(
        'sub',
        "The reseller's subscription from which this one is resold; users can leave it out if there is only one.",
      ),
    ),
  ),
  features: optional(
    Type.Unsafe<Record<string, string | number | boolean>>({
      ...map(),
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: 'Values that replace those of the package, by feature.',
    }),
  ),
  ...subscriptionWritable,
};

/** The subscription that a customer would get today. */
const SubscriptionPreview = object({
  object: Type.Unsafe<'SubscriptionPreview'>({ type: 'string', const: 'SubscriptionPreview' }),
  package_id: identifier('pkg'),
  subscriber_id: identifier('cust'),
  starts_at: day(),
  ends_at: day(),
  trial_ends_at: nullable(day()),
  auto_renew: autoRenew,
  grace_ends_at: Type.String({ ...day(), description: 'The last day of use, unless it is renewed.' }),
  tier: nullable(integer()),
  price: terms.price,
  currency: terms.currency,
  signup_fee: terms.price,
  periodicity: terms.periodicity,
  periodicity_type: oneOf(intervals),
  features: listOf(object({ tag: text(150), name: text(150), value: text(255) })),
});

/** The price of a renewal, and what happens to the scheduled package change. */
const PreviewFigures = object({
  figures: object({
    cycles: Type.Integer({ ...integer(), description: 'Number of periods that are added; 0 for a cancellation.' }),
    package_id: identifier('pkg', 'The package of the periods that are added.'),
    price: Type.Number({
      ...terms.price,
      description:
        'The price of one added period. If a package change takes effect before it, this is the price of the new package.',
    }),
    currency: terms.currency,
    periodicity: terms.periodicity,
    periodicity_type: oneOf(intervals),
    amount: nullable(
      Type.Number({
        ...terms.price,
        description:
          'The total price of the renewal; null if a change to a package with another period takes effect before it.',
      }),
    ),
    package_change: nullable(
      object({
        id: identifier('subchange'),
        to_package_id: nullable(identifier('pkg')),
        effective_at: day(),
        status: oneOf(packageChangeStatuses, 'What happens to the package change; a cancellation withdraws it.'),
      }),
    ),
  }),
});

const packageTerms = object({
  package_id: identifier('pkg'),
  name: text(150),
  tier: nullable(integer()),
  price: terms.price,
  currency: terms.currency,
  periodicity: terms.periodicity,
  periodicity_type: oneOf(intervals),
  grace_period: terms.grace_period,
  grace_interval: oneOf(intervals),
});

/** The effect of a package change, and whether it is possible today. */
const PackageChangePreview = object({
  object: Type.Unsafe<'PackageChangePreview'>({ type: 'string', const: 'PackageChangePreview' }),
  subscription_id: identifier('sub'),
  direction: oneOf(packageChangeDirections),
  when: oneOf(packageChangeTimes),
  effective_at: Type.String({ ...day(), description: 'The first day with the new package.' }),
  allowed: boolean(
    'Whether the change is possible today. Not possible while usage is above the limits of the new package.',
  ),
  refusal: nullable(Type.String({ ...longText(), description: 'Why the change is not possible; null if it is.' })),
  from: packageTerms,
  to: packageTerms,
  starts_at: day(),
  ends_at: Type.String({
    ...day(),
    description: 'The current period keeps its dates; the new length applies from the next renewal on.',
  }),
  trial_ends_at: nullable(day()),
  features: listOf(
    object({
      tag: text(150),
      from: nullable(text(255, { description: 'Null if the subscription does not have the feature now.' })),
      to: nullable(text(255, { description: 'Null if the new package does not have the feature.' })),
      used: Type.Integer({ ...integer(), description: 'Usage, including the part that is resold to customers below.' }),
      handed_down: Type.Integer({ ...integer(), description: 'The part that is resold to customers below.' }),
      unlimited_below: listOf(
        identifier(
          'sub',
          'A resold subscription with an unlimited value. As long as one exists, this feature cannot be limited.',
        ),
      ),
      over: boolean('Whether usage or the resold part is above the limit of the new package.'),
    }),
  ),
});

const tag = 'Subscriptions';
const params = { subscription_id: 'sub' } as const;
const changeParams = { subscription_id: 'sub', package_change_id: 'subchange' } as const;
const readers = holders('read-subscriptions', members('read-subscriptions', 'subscription', 'subscription_id'));
const changeBody = object({
  package_id: identifier('pkg'),
  when: optional(
    oneOf(
      packageChangeTimes,
      'By default a downgrade takes effect at the end of the period (or trial), everything else now.',
    ),
  ),
});

const packageChanges = collection(SubscriptionPackageChange, {
  path: '/subscriptions/:subscription_id/package-changes',
  tag,
  params,
  elementParams: changeParams,
});

export const subscriptionChangeEndpoints = {
  previewNewSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/preview',
    tag,
    summary: 'Preview a new subscription',
    description:
      'Dates, price and features as they would be today. Nothing is stored. Errors are the same as for the real request.',
    access: holders('create-subscriptions', members('manage-subscriptions', 'customer', 'subscriber_id')),
    body: object(subscriptionCreation),
    answer: enveloped(SubscriptionPreview),
    errors: ['package-not-available', 'customer-not-active', 'subscription-not-usable', 'feature-limit-reached'],
  }),
  previewSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/preview',
    tag,
    summary: 'Preview a renewal or cancellation',
    description:
      'Send the body of `renew` or of `cancel`. The response is the resulting subscription, with the figures in `meta.custom`: the price of the periods that a renewal adds, and what happens to a scheduled package change. Nothing is stored. Errors are the same as for the real request.',
    access: readers,
    params,
    body: object({
      renew: optional(boolean()),
      cycles: optional(integer(1, 1000)),
      uncancel: optional(boolean()),
      cancel: optional(boolean()),
      cancel_now: optional(boolean()),
    }),
    answer: single(Subscription, [], PreviewFigures),
    errors: ['subscription-canceled', 'subscription-inactive', 'subscription-terminated', 'held-by-platform'],
  }),
  changePackage: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/change-package',
    tag,
    summary: 'Move a subscription to another package, now or at the end of its period',
    description:
      'Price, terms and features become those of the new package. Features keep their ids and usage; those that the new package does not have are removed. The current period keeps its dates. Providers that the new package does not have are replaced by its default. The change takes one from the stock of the new package at once, even if it takes effect at the end of the period. It replaces a change that was scheduled before. While usage is above the limits of the new package, an immediate change is rejected with the figures; a scheduled one is checked on its day.',
    access: holders('update-subscriptions'),
    params,
    body: changeBody,
    answer: single(Subscription, ['package_changes']),
    errors: ['package-not-available', 'package-change-not-allowed', 'package-limits-exceeded'],
  }),
  previewPackageChange: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/change-package/preview',
    tag,
    summary: 'Preview a package change, with limits that would be exceeded',
    access: holders('update-subscriptions'),
    params,
    body: changeBody,
    answer: enveloped(PackageChangePreview),
    errors: ['package-not-available', 'package-change-not-allowed'],
  }),
  listPackageChanges: endpoint({
    ...packageChanges.list,
    summary: 'List the package changes of a subscription: scheduled, completed, failed and withdrawn',
    access: readers,
  }),
  readPackageChange: endpoint({
    ...packageChanges.read,
    summary: 'Read a package change of a subscription',
    access: readers,
  }),
  withdrawPackageChange: endpoint({
    ...packageChanges.delete,
    summary: 'Withdraw a scheduled package change',
    access: holders('update-subscriptions'),
    errors: ['package-change-not-scheduled'],
  }),
};
