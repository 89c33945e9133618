import { subscriptionEndpoints as endpoints } from '@foyer/contract/resources/subscriptions/subscription.ts';
import { subscriptionFeatureEndpoints as featureEndpoints } from '@foyer/contract/resources/subscriptions/subscription-feature.ts';
import { subscriptionProviderEndpoints as providerEndpoints } from '@foyer/contract/resources/subscriptions/subscription-provider.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import { type Actor, type Route, route, row, rows, value, actionRoute } from '../../platform/http/input/call.ts';
import {
  cancelSubscription,
  renewSubscription,
  uncancelSubscription,
  updateSubscription,
} from './lifecycle/change-subscription.ts';
import { changePackage, previewPackageChange, withdrawPackageChange } from './package-change/change-package.ts';
import { createSubscription, previewNewSubscription } from './create-subscription.ts';
import { deleteSubscription } from './delete-subscription.ts';
import { expiringWithin } from './lifecycle/expiring.ts';
import { nearLimit } from './usage/near-limit.ts';
import { requirePackageChange } from './package-change/package-change-store.ts';
import { previewSubscription } from './lifecycle/preview-subscription.ts';
import { requirePrintedProvider, requireSubscription, requireUsedFeature, type SubscriptionRow } from './store.ts';
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

export function subscriptionRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  const changed = async (actor: Actor, act: (change: Change) => Promise<SubscriptionRow>) =>
    row(subscriptionView, await inTransaction(dependencies, actor, act));
  return [
    route(endpoints.listSubscriptions, ({ query, reader }) => {
      const narrowed = [
        expiringWithin(query['expiring_within'], reader.today),
        nearLimit(query['near_limit'], reader.today),
      ].filter((scope) => scope !== null);
      return rows(subscriptionView, narrowed.length === 0 ? null : sql.join(narrowed, sql` and `));
    }),
    route(endpoints.previewNewSubscription, async ({ actor, principal, body }) =>
      value(await previewNewSubscription(dependencies, actor, principal, body)),
    ),
    route(endpoints.previewSubscription, async ({ actor, params, body }) => {
      const preview = await previewSubscription(dependencies, actor, params.subscription_id, body);
      return row(subscriptionView, preview.row, { figures: preview.figures });
    }),
    route(endpoints.changePackage, async ({ actor, params, body }) =>
      row(subscriptionView, await changePackage(dependencies, actor, params.subscription_id, body)),
    ),
    route(endpoints.previewPackageChange, async ({ actor, params, body }) =>
      value(await previewPackageChange(dependencies, actor, params.subscription_id, body)),
    ),
    route(endpoints.listPackageChanges, async ({ params }) => {
      await requireSubscription(db, params.subscription_id);
      return rows(packageChangeView, sql`subscription_package_changes.subscription_id = ${params.subscription_id}`);
    }),
    route(endpoints.readPackageChange, async ({ params }) =>
      row(packageChangeView, await requirePackageChange(db, params.subscription_id, params.package_change_id)),
    ),
    actionRoute(endpoints.withdrawPackageChange, ({ actor, params }) =>
      withdrawPackageChange(dependencies, actor, params.subscription_id, params.package_change_id),
    ),
    route(endpoints.createSubscription, ({ actor, principal, body }) =>
      changed(actor, (change) => createSubscription(change, principal, body)),
    ),
    route(endpoints.readSubscription, async ({ params }) =>
      row(subscriptionView, await requireSubscription(db, params.subscription_id)),
    ),
    route(endpoints.updateSubscription, async (call) =>
      row(subscriptionView, await updateSubscription(dependencies, call)),
    ),
    actionRoute(endpoints.deleteSubscription, ({ actor, params }) =>
      deleteSubscription(dependencies, actor, params.subscription_id),
    ),
    route(endpoints.renewSubscription, ({ actor, params, body }) =>
      changed(actor, (change) => renewSubscription(change, params.subscription_id, body)),
    ),
    route(endpoints.cancelSubscription, ({ actor, params, body }) =>
      changed(actor, (change) => cancelSubscription(change, params.subscription_id, body)),
    ),
    route(endpoints.uncancelSubscription, ({ actor, params }) =>
      changed(actor, (change) => uncancelSubscription(change, params.subscription_id)),
    ),
    route(endpoints.readSubscriptionUsage, async ({ params }) => {
      await requireSubscription(db, params.subscription_id);
      return rows(subscriptionFeatureView, sql`subscription_features.subscription_id = ${params.subscription_id}`);
    }),
    ...nestedRoutes(dependencies, {
      parent: { column: 'subscription_id', require: requireSubscription },
      view: subscriptionFeatureView,
      require: requireUsedFeature,
      list: featureEndpoints.listSubscriptionFeatures,
      read: featureEndpoints.readSubscriptionFeature,
      create: [featureEndpoints.createSubscriptionFeature, addSubscriptionFeature],
      update: [featureEndpoints.updateSubscriptionFeature, updateSubscriptionFeature],
      delete: [featureEndpoints.deleteSubscriptionFeature, deleteSubscriptionFeature],
    }),
    route(featureEndpoints.syncSubscriptionFeatures, async ({ actor, params, body }) =>
      row(subscriptionView, await syncSubscriptionFeatures(dependencies, actor, params.subscription_id, body)),
    ),
    ...nestedRoutes(dependencies, {
      parent: { column: 'subscription_id', require: requireSubscription },
      view: subscriptionProviderView,
      require: requirePrintedProvider,
      list: providerEndpoints.listSubscriptionProviders,
      read: providerEndpoints.readSubscriptionProvider,
      create: [providerEndpoints.createSubscriptionProvider, addSubscriptionProvider],
      update: [providerEndpoints.updateSubscriptionProvider, updateSubscriptionProvider],
      delete: [providerEndpoints.deleteSubscriptionProvider, removeSubscriptionProvider],
    }),
  ];
}
