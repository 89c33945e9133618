import { collection } from '../../conventions/collection.ts';
import { endpoint, holders } from '../../conventions/endpoint.ts';
import { identifier, object, optional } from '../../conventions/field.ts';
import { providerWritable } from '../packages/service-package-provider.ts';
import { SubscriptionProvider } from './subscription-resources.ts';

const tag = 'Subscriptions';
const params = { subscription_id: 'sub' } as const;
const providerParams = { subscription_id: 'sub', provider_id: 'subprov' } as const;

const subscriptionProviders = collection(SubscriptionProvider, {
  path: '/subscriptions/:subscription_id/providers',
  tag,
  params,
  elementParams: providerParams,
});

export const subscriptionProviderEndpoints = {
  listSubscriptionProviders: endpoint({
    ...subscriptionProviders.list,
    summary: 'List the providers of a subscription',
    access: holders('read-subscriptions'),
  }),
  createSubscriptionProvider: endpoint({
    ...subscriptionProviders.create,
    summary: 'Add a provider of the package to a subscription',
    description:
      'Settings are copied from the package by default. The `tags` in the settings limit which providers of a pool get new meetings.',
    access: holders('manage-subscriptions-providers'),
    body: object({ package_provider_id: identifier('pkgprov'), ...providerWritable }),
    errors: ['already-exists'],
  }),
  readSubscriptionProvider: endpoint({
    ...subscriptionProviders.read,
    summary: 'Read a provider of a subscription',
    access: holders('read-subscriptions'),
  }),
  updateSubscriptionProvider: endpoint({
    ...subscriptionProviders.update,
    summary: 'Change a provider of a subscription',
    access: holders('manage-subscriptions-providers'),
    body: object(providerWritable),
    immutable: object({ package_provider_id: optional(identifier('pkgprov')) }),
    errors: ['default-provider-required'],
  }),
  deleteSubscriptionProvider: endpoint({
    ...subscriptionProviders.delete,
    summary: 'Remove an inactive provider that is not the default from a subscription',
    access: holders('manage-subscriptions-providers'),
    errors: ['provider-active-or-default'],
  }),
};
