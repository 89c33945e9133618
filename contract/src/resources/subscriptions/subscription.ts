import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, list, members, single } from '../../conventions/endpoint.ts';
import { boolean, day, identifier, integer, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { serviceTypes } from '../providers/provider-types.ts';
import { subscriptionChangeEndpoints, subscriptionCreation, subscriptionWritable } from './subscription-change.ts';
import { Subscription, SubscriptionFeature, subscriptionStatuses } from './subscription-resources.ts';

export * from './subscription-resources.ts';

const tag = 'Subscriptions';
const params = { subscription_id: 'sub' } as const;
const subscriptions = collection(Subscription, { path: '/subscriptions', tag, elementParams: params });
export const subscriptionEndpoints = {
  ...subscriptionChangeEndpoints,
  listSubscriptions: endpoint({
    ...subscriptions.list,
    summary: 'List subscriptions',
    access: holders('read-subscriptions', members('read-subscriptions')),
    query: object({
      expiring_within: optional(
        Type.Integer({
          minimum: 0,
          maximum: 3660,
          description:
            'Only usable subscriptions that end within this many days unless they are renewed: at their cancellation, otherwise at the end of the period or trial, whichever is later. 0 is today. The grace period is not counted, so subscriptions in grace are included.',
        }),
      ),
      near_limit: optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          description:
            'Only usable subscriptions that use at least this percentage of a limit on rooms, accounts, recordings, storage or participant minutes, including what is resold. With 100, only those that have reached a limit. Limits of 0 are ignored.',
        }),
      ),
    }),
  }),
  createSubscription: endpoint({
    ...subscriptions.create,
    summary: 'Subscribe a customer to a package',
    description:
      "Copies the terms, features and limits, and the default provider of the package. Users of a reseller resell a part of the reseller's own subscription to the same package. They can resell at most what is left of it, and the reseller can no longer use that part.",
    access: holders('create-subscriptions', members('manage-subscriptions', 'customer', 'subscriber_id')),
    body: object(subscriptionCreation),
    errors: ['package-not-available', 'customer-not-active', 'subscription-not-usable', 'feature-limit-reached'],
  }),
  readSubscription: endpoint({
    ...subscriptions.read,
    summary: 'Read a subscription',
    access: holders('read-subscriptions', members('read-subscriptions', 'subscription', 'subscription_id')),
  }),
  updateSubscription: endpoint({
    ...subscriptions.update,
    summary: 'Change a subscription',
    access: holders('update-subscriptions', members('manage-subscriptions', 'subscription', 'subscription_id')),
    body: object({
      ...subscriptionWritable,
      status: optional(oneOf(subscriptionStatuses)),
      starts_at: optional(day()),
      ends_at: optional(day()),
      trial_ends_at: optional(nullable(day())),
    }),
    immutable: object({
      package_id: optional(identifier('pkg')),
      subscriber_id: optional(identifier('cust')),
      tag: optional(text()),
      service_type: optional(oneOf(serviceTypes)),
    }),
    errors: ['status-change-not-allowed', 'customer-not-active', 'held-by-platform'],
  }),
  deleteSubscription: endpoint({
    ...subscriptions.delete,
    summary: 'Delete an inactive subscription with its accounts, rooms and all that belongs to them',
    access: holders('delete-subscriptions', members('manage-subscriptions', 'subscription', 'subscription_id')),
    errors: ['subscription-not-inactive', 'has-sub-subscriptions', 'held-by-platform'],
  }),
  renewSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/renew',
    tag,
    summary: 'Renew a subscription',
    access: holders('renew-subscriptions', members('manage-subscriptions', 'subscription', 'subscription_id')),
    params,
    body: object({
      renew: boolean(),
      cycles: optional(integer(1, 1000)),
      uncancel: optional(boolean()),
    }),
    answer: single(Subscription),
    errors: ['subscription-canceled', 'subscription-inactive', 'subscription-terminated', 'held-by-platform'],
  }),
  cancelSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/cancel',
    tag,
    summary: 'Cancel a subscription, now or at the end of its period',
    access: holders('cancel-subscriptions', members('manage-subscriptions', 'subscription', 'subscription_id')),
    params,
    description: 'Also withdraws a scheduled package change. A subscription that is not active stays as it is.',
    body: object({ cancel: boolean(), cancel_now: optional(boolean()) }),
    answer: single(Subscription),
  }),
  uncancelSubscription: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/uncancel',
    tag,
    summary: 'Undo a cancellation that has not taken effect yet',
    description:
      'Free of charge: nothing is renewed, and the dates stay the same. A package change that was withdrawn by the cancellation stays withdrawn. To continue after the cancellation has taken effect, renew with `uncancel`.',
    access: holders('cancel-subscriptions', members('manage-subscriptions', 'subscription', 'subscription_id')),
    params,
    answer: single(Subscription),
    errors: ['cancellation-not-taken-back', 'held-by-platform'],
  }),
  readSubscriptionUsage: endpoint({
    method: 'GET',
    path: '/subscriptions/:subscription_id/usage',
    tag,
    summary: 'List the features of a subscription with their usage',
    access: holders('read-subscriptions', members('read-subscriptions', 'subscription', 'subscription_id')),
    params,
    answer: list(SubscriptionFeature),
  }),
};
