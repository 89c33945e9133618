import { Type } from 'typebox';
import { empty, endpoint, enveloped, holders, list, members, single } from '../../conventions/endpoint.ts';
import {
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
import { autoRenew, intervals, terms, trialMode } from '../packages/service-package.ts';
import {
  packageChangeDirections,
  packageChangeStatuses,
  packageChangeTimes,
  Subscription,
  SubscriptionPackageChange,
} from './subscription-resources.ts';

/** What the terms of the package may be replaced with, when subscribing and later. */
export const subscriptionWritable = {
  name: optional(text(150, { minLength: 1 })),
  description: optional(nullable(longText())),
  price: optional(terms.price),
  currency: optional(terms.currency),
  periodicity: optional(terms.periodicity),
  periodicity_type: optional(terms.periodicity_type),
  trial_period: optional(terms.trial_period),
  trial_interval: optional(terms.trial_interval),
  auto_renew: optional(autoRenew),
  trial_mode: optional(trialMode),
  grace_period: optional(terms.grace_period),
  grace_interval: optional(terms.grace_interval),
  tier: optional(nullable(tier())),
  subscription_metadata: optional(nullable(metadata())),
};

export const subscriptionCreation = {
  package_id: identifier('pkg'),
  subscriber_id: identifier('cust'),
  parent_subscription_id: optional(
    nullable(
      identifier(
        'sub',
        "The reseller's subscription that this one is handed down from; users need not name the only one.",
      ),
    ),
  ),
  features: optional(
    Type.Unsafe<Record<string, string | number | boolean>>({
      ...map(),
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: "Other values than the package's, by feature.",
    }),
  ),
  ...subscriptionWritable,
};

/** What a customer would get by subscribing today. */
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

/** What a renewal costs, and what becomes of the scheduled package change. */
const PreviewFigures = object({
  figures: object({
    cycles: Type.Integer({ ...integer(), description: 'How many periods are added; 0 for a cancellation.' }),
    package_id: identifier('pkg', 'The package of the periods that are added.'),
    price: Type.Number({
      ...terms.price,
      description: 'What a period costs that is added: of the new package where a change of it comes before.',
    }),
    currency: terms.currency,
    periodicity: terms.periodicity,
    periodicity_type: oneOf(intervals),
    amount: nullable(
      Type.Number({
        ...terms.price,
        description: 'What the renewal costs; null where the package that comes before has another period.',
      }),
    ),
    package_change: nullable(
      object({
        id: identifier('subchange'),
        to_package_id: nullable(identifier('pkg')),
        effective_at: day(),
        status: oneOf(packageChangeStatuses, 'What becomes of it: a cancellation withdraws it.'),
      }),
    ),
  }),
});

const packageSide = object({
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

/** What a change of the package would do, and whether it is possible today. */
const PackageChangePreview = object({
  object: Type.Unsafe<'PackageChangePreview'>({ type: 'string', const: 'PackageChangePreview' }),
  subscription_id: identifier('sub'),
  direction: oneOf(packageChangeDirections),
  when: oneOf(packageChangeTimes),
  effective_at: Type.String({ ...day(), description: 'The first day with the new package.' }),
  allowed: boolean('Whether it would be done today: false while more is used than the new package allows.'),
  refusal: nullable(Type.String({ ...longText(), description: 'Why it would not be done; null where it would.' })),
  from: packageSide,
  to: packageSide,
  starts_at: day(),
  ends_at: Type.String({
    ...day(),
    description: 'The period under way keeps its dates; the new rhythm begins with the next renewal.',
  }),
  trial_ends_at: nullable(day()),
  features: listOf(
    object({
      tag: text(150),
      from: nullable(text(255, { description: 'Null: the subscription does not have it now.' })),
      to: nullable(text(255, { description: 'Null: the new package does not have it.' })),
      used: Type.Integer({ ...integer(), description: 'What is used, with what is handed down to customers below.' }),
      handed_down: Type.Integer({ ...integer(), description: 'Of that, what customers below have.' }),
      unlimited_below: listOf(
        identifier('sub', 'A subscription below that has no limit of it, so that none can be set here.'),
      ),
      over: boolean('More is used or handed down than the new package allows.'),
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
      'Unless given, a downgrade waits for the end of the period (of the trial, while on trial) and all else is done now.',
    ),
  ),
});

export const subscriptionChangeEndpoints = {
  previewNewSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/preview',
    tag,
    summary: 'Show what a new subscription would be',
    description: 'Dates, price and features as they would be today. Nothing is stored, and refused is what would be.',
    access: holders('create-subscriptions', members('manage-subscriptions', 'customer', 'subscriber_id')),
    body: object(subscriptionCreation),
    answer: enveloped(SubscriptionPreview),
    errors: ['package-not-available', 'customer-not-active', 'subscription-not-usable', 'feature-limit-reached'],
  }),
  previewSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/preview',
    tag,
    summary: 'Show what a renewal or a cancellation would make of a subscription',
    description:
      'Takes the body of `renew` or that of `cancel` and answers with the resulting subscription, and under `meta.custom` with the figures: the price that holds in the periods that a renewal adds, and what becomes of a package change that is scheduled. Nothing is stored, and refused is what would be.',
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
      'Price, terms and features become those of the new package; features keep their ids and what is used of them, and those that it does not have go. The period under way keeps its dates. Providers that the new package does not have are replaced by its default. One is taken from the stock of the new package at once, also for a change at the end of the period, which takes the place of one that was scheduled before. Refused now with the figures while more is used than the new package allows; a scheduled one is refused on its day.',
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
    summary: 'Show what a change of the package would change, and what would be over its limit',
    access: holders('update-subscriptions'),
    params,
    body: changeBody,
    answer: enveloped(PackageChangePreview),
    errors: ['package-not-available', 'package-change-not-allowed'],
  }),
  listPackageChanges: endpoint({
    method: 'GET',
    path: '/subscriptions/:subscription_id/package-changes',
    tag,
    summary: 'List the package changes of a subscription: scheduled, made, failed and withdrawn',
    access: readers,
    params,
    answer: list(SubscriptionPackageChange),
  }),
  readPackageChange: endpoint({
    method: 'GET',
    path: '/subscriptions/:subscription_id/package-changes/:package_change_id',
    tag,
    summary: 'Read a package change of a subscription',
    access: readers,
    params: changeParams,
    answer: single(SubscriptionPackageChange),
  }),
  withdrawPackageChange: endpoint({
    method: 'DELETE',
    path: '/subscriptions/:subscription_id/package-changes/:package_change_id',
    tag,
    summary: 'Withdraw a scheduled package change',
    access: holders('update-subscriptions'),
    params: changeParams,
    answer: empty,
    errors: ['package-change-not-scheduled'],
  }),
};
