import { subscriptionEndpoints as endpoints } from '@foyer/contract/resources/subscriptions/subscription.ts';
import { subscriptionFeatureEndpoints as featureEndpoints } from '@foyer/contract/resources/subscriptions/subscription-feature.ts';
import { subscriptionProviderEndpoints as providerEndpoints } from '@foyer/contract/resources/subscriptions/subscription-provider.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { nestedListRoute, nestedRoutes } from '../../nested-routes.ts';
import { type Route, route, row, rows, value, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import {
  cancelSubscription,
  renewSubscription,
  uncancelSubscription,
  updateSubscription,
} from './lifecycle/change-subscription.ts';
import { changePackage, previewPackageChange, withdrawPackageChange } from './package-change/change-package.ts';
import { createSubscription, previewNewSubscription } from './create-subscription.ts';
import { deleteSubscription } from './delete-subscription.ts';
import { expiringWithinCondition } from './lifecycle/expiring.ts';
import { nearLimitCondition } from './usage/near-limit.ts';
import { requirePackageChange } from './package-change/package-change-store.ts';
import { previewSubscription } from './lifecycle/preview-subscription.ts';
import { requireProviderWithNames, requireSubscription, requireUsedFeature } from './store.ts';
import {
  addSubscriptionFeature,
  deleteSubscriptionFeature,
  syncSubscriptionFeatures,
  updateSubscriptionFeature,
} from './features/subscription-features.ts';
import {
  addSubscriptionProvider,
  removeSubscriptionProvider,
  updateSubscriptionProvider,
} from './features/subscription-providers.ts';
import {
  packageChangeView,
  subscriptionFeatureView,
  subscriptionProviderView,
  subscriptionView,
} from './transformer.ts';

const parent = { column: 'subscription_id', require: requireSubscription };

export function subscriptionRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listSubscriptions, ({ query, reader }) => {
      const conditions = [
        expiringWithinCondition(query['expiring_within'], reader.today),
        nearLimitCondition(query['near_limit'], reader.today),
      ].filter((condition) => condition !== null);
      return rows(subscriptionView, conditions.length === 0 ? null : sql.join(conditions, sql` and `));
    }),
    route(endpoints.previewNewSubscription, async (call) => value(await previewNewSubscription(dependencies, call))),
    route(endpoints.previewSubscription, async (call) => {
      const preview = await previewSubscription(dependencies, call);
      return row(subscriptionView, preview.row, { figures: preview.figures });
    }),
    rowRoute(endpoints.changePackage, subscriptionView, (call) => changePackage(dependencies, call)),
    route(endpoints.previewPackageChange, async (call) => value(await previewPackageChange(dependencies, call))),
    nestedListRoute(dependencies, endpoints.listPackageChanges, packageChangeView, parent),
    rowRoute(endpoints.readPackageChange, packageChangeView, ({ params }) =>
      requirePackageChange(db, params.subscription_id, params.package_change_id),
    ),
    actionRoute(endpoints.withdrawPackageChange, (call) => withdrawPackageChange(dependencies, call)),
    rowRoute(endpoints.createSubscription, subscriptionView, ({ actor, principal, body }) =>
      inTransaction(dependencies, actor, (change) => createSubscription(change, principal, body)),
    ),
    rowRoute(endpoints.readSubscription, subscriptionView, ({ params }) =>
      requireSubscription(db, params.subscription_id),
    ),
    rowRoute(endpoints.updateSubscription, subscriptionView, (call) => updateSubscription(dependencies, call)),
    actionRoute(endpoints.deleteSubscription, ({ actor, params }) =>
      deleteSubscription(dependencies, actor, params.subscription_id),
    ),
    rowRoute(endpoints.renewSubscription, subscriptionView, ({ actor, params, body }) =>
      inTransaction(dependencies, actor, (change) => renewSubscription(change, params.subscription_id, body)),
    ),
    rowRoute(endpoints.cancelSubscription, subscriptionView, ({ actor, params, body }) =>
      inTransaction(dependencies, actor, (change) => cancelSubscription(change, params.subscription_id, body)),
    ),
    rowRoute(endpoints.uncancelSubscription, subscriptionView, ({ actor, params }) =>
      inTransaction(dependencies, actor, (change) => uncancelSubscription(change, params.subscription_id)),
    ),
    nestedListRoute(dependencies, endpoints.readSubscriptionUsage, subscriptionFeatureView, parent),
    ...nestedRoutes(dependencies, {
      parent,
      view: subscriptionFeatureView,
      require: requireUsedFeature,
      list: featureEndpoints.listSubscriptionFeatures,
      read: featureEndpoints.readSubscriptionFeature,
      create: [featureEndpoints.createSubscriptionFeature, addSubscriptionFeature],
      update: [featureEndpoints.updateSubscriptionFeature, updateSubscriptionFeature],
      delete: [featureEndpoints.deleteSubscriptionFeature, deleteSubscriptionFeature],
    }),
    rowRoute(featureEndpoints.syncSubscriptionFeatures, subscriptionView, (call) =>
      syncSubscriptionFeatures(dependencies, call),
    ),
    ...nestedRoutes(dependencies, {
      parent,
      view: subscriptionProviderView,
      require: requireProviderWithNames,
      list: providerEndpoints.listSubscriptionProviders,
      read: providerEndpoints.readSubscriptionProvider,
      create: [providerEndpoints.createSubscriptionProvider, addSubscriptionProvider],
      update: [providerEndpoints.updateSubscriptionProvider, updateSubscriptionProvider],
      delete: [providerEndpoints.deleteSubscriptionProvider, removeSubscriptionProvider],
    }),
  ];
}
