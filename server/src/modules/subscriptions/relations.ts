import { sql } from 'kysely';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { customerView } from '../customers/index.ts';
import { visibleCustomers } from '../memberships/index.ts';
import { servicePackageView } from '../service-packages/index.ts';
import { serviceProviderView } from '../service-providers/index.ts';
import { belongsTo, hasMany, linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import {
  packageChangeView,
  subscriptionFeatureView,
  subscriptionProviderView,
  subscriptionView,
  usageView,
} from './transformer.ts';

const visibleSubscriptions = (userId: Uuid) =>
  sql`(select id from subscriptions where subscriber_id in ${visibleCustomers(userId, 'read-subscriptions')})`;

export const tenantScopes: readonly TenantScope[] = [
  { view: subscriptionView, condition: (userId) => sql`subscriptions.id in ${visibleSubscriptions(userId)}` },
  {
    view: subscriptionFeatureView,
    condition: (userId) => sql`subscription_features.subscription_id in ${visibleSubscriptions(userId)}`,
  },
  {
    view: packageChangeView,
    condition: (userId) => sql`subscription_package_changes.subscription_id in ${visibleSubscriptions(userId)}`,
  },
  {
    view: usageView,
    condition: (userId) => sql`subscription_usages.subscription_id in ${visibleSubscriptions(userId)}`,
  },
];

const providerLink = { table: 'subscription_providers', parent: 'service_provider_id', child: 'subscription_id' };

export const relations: readonly NamedRelation[] = [
  relation(subscriptionView, 'features', hasMany(subscriptionFeatureView, 'subscription_id')),
  relation(subscriptionView, 'usages', hasMany(usageView, 'subscription_id')),
  relation(subscriptionView, 'providers', hasMany(subscriptionProviderView, 'subscription_id')),
  relation(subscriptionView, 'package_changes', hasMany(packageChangeView, 'subscription_id')),
  relation(packageChangeView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(subscriptionView, 'package', belongsTo(servicePackageView, 'package_id')),
  relation(subscriptionView, 'customer', belongsTo(customerView, 'subscriber_id')),
  relation(subscriptionFeatureView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(subscriptionProviderView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(subscriptionProviderView, 'service_provider', belongsTo(serviceProviderView, 'service_provider_id')),
  relation(customerView, 'subscriptions', hasMany(subscriptionView, 'subscriber_id')),
  relation(servicePackageView, 'subscriptions', hasMany(subscriptionView, 'package_id')),
  relation(serviceProviderView, 'subscriptions', linked(subscriptionView, providerLink)),
];
