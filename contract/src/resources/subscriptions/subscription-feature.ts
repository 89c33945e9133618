import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members, single } from '../../conventions/endpoint.ts';
import { boolean, object, optional, text } from '../../conventions/field.ts';
import { featureValue, featureWritable } from '../packages/service-package-feature.ts';
import { Subscription, SubscriptionFeature } from './subscription-resources.ts';

const tag = 'Subscriptions';
const params = { subscription_id: 'sub' } as const;
const featureParams = { subscription_id: 'sub', feature_id: 'subfeat' } as const;
const readers = holders('read-subscriptions', members('read-subscriptions', 'subscription', 'subscription_id'));
const managers = holders(
  'manage-subscriptions-features',
  members('manage-subscriptions', 'subscription', 'subscription_id'),
);

const subscriptionFeatures = collection(SubscriptionFeature, {
  path: '/subscriptions/:subscription_id/features',
  tag,
  params,
  elementParams: featureParams,
});

export const subscriptionFeatureEndpoints = {
  listSubscriptionFeatures: endpoint({
    ...subscriptionFeatures.list,
    summary: 'List the features of a subscription',
    access: readers,
  }),
  createSubscriptionFeature: endpoint({
    ...subscriptionFeatures.create,
    summary: 'Add a feature to a subscription',
    adminOnly: ['resettable_period', 'resettable_interval'],
    access: managers,
    body: object({
      service_feature_code: optional(text(150, { minLength: 1 })),
      tag: optional(
        text(150, { minLength: 1, description: 'Another name of `service_feature_code`, which packages use.' }),
      ),
      value: featureValue(),
      ...featureWritable,
    }),
  }),
  readSubscriptionFeature: endpoint({
    ...subscriptionFeatures.read,
    summary: 'Read a feature of a subscription',
    access: readers,
  }),
  updateSubscriptionFeature: endpoint({
    ...subscriptionFeatures.update,
    summary: 'Change the value of a feature of a subscription',
    adminOnly: ['resettable_period', 'resettable_interval'],
    access: managers,
    body: object({
      value: optional(featureValue()),
      ...featureWritable,
    }),
    immutable: object({ tag: optional(text()) }),
  }),
  deleteSubscriptionFeature: endpoint({
    ...subscriptionFeatures.delete,
    summary: 'Remove a feature and its usage from a subscription',
    access: managers,
  }),
  syncSubscriptionFeatures: endpoint({
    method: 'POST',
    path: '/subscriptions/:subscription_id/features/sync',
    tag,
    summary: 'Copy the features of the package to a subscription again',
    description:
      'Features of the package keep their ids and usage; features that the package does not have are removed.',
    access: managers,
    params,
    body: object({ sync: boolean() }),
    answer: single(Subscription),
  }),
};
