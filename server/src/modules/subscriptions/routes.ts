import { subscriptionEndpoints as endpoints } from '@foyer/contract/resources/subscription.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { noContent, type Route, route, row, rows, value } from '../../platform/http/input/call.ts';
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
import { requirePrintedProvider, requireSubscription, requireUsedFeature } from './store.ts';
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
  const features = async (subscriptionId: string) => {
    await requireSubscription(db, subscriptionId);
    return rows(subscriptionFeatureView, sql`subscription_features.subscription_id = ${subscriptionId}`);
  };
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
    route(endpoints.withdrawPackageChange, async ({ actor, params }) => {
      await withdrawPackageChange(dependencies, actor, params.subscription_id, params.package_change_id);
      return noContent;
    }),
    route(endpoints.createSubscription, async ({ actor, principal, body }) =>
      row(
        subscriptionView,
        await inTransaction(dependencies, actor, (change) => createSubscription(change, principal, body)),
      ),
    ),
    route(endpoints.readSubscription, async ({ params }) =>
      row(subscriptionView, await requireSubscription(db, params.subscription_id)),
    ),
    route(endpoints.updateSubscription, async ({ actor, params, body, immutable }) =>
      row(subscriptionView, await updateSubscription(dependencies, actor, params.subscription_id, body, immutable)),
    ),
    route(endpoints.deleteSubscription, async ({ actor, params }) => {
      await deleteSubscription(dependencies, actor, params.subscription_id);
      return noContent;
    }),
    route(endpoints.renewSubscription, async ({ actor, params, body }) =>
      row(
        subscriptionView,
        await inTransaction(dependencies, actor, (change) => renewSubscription(change, params.subscription_id, body)),
      ),
    ),
    route(endpoints.cancelSubscription, async ({ actor, params, body }) =>
      row(
        subscriptionView,
        await inTransaction(dependencies, actor, (change) => cancelSubscription(change, params.subscription_id, body)),
      ),
    ),
    route(endpoints.uncancelSubscription, async ({ actor, params }) =>
      row(
        subscriptionView,
        await inTransaction(dependencies, actor, (change) => uncancelSubscription(change, params.subscription_id)),
      ),
    ),
    route(endpoints.readSubscriptionUsage, ({ params }) => features(params.subscription_id)),
    route(endpoints.listSubscriptionFeatures, ({ params }) => features(params.subscription_id)),
    route(endpoints.createSubscriptionFeature, async ({ actor, params, body }) =>
      row(subscriptionFeatureView, await addSubscriptionFeature(dependencies, actor, params.subscription_id, body)),
    ),
    route(endpoints.readSubscriptionFeature, async ({ params }) =>
      row(subscriptionFeatureView, await requireUsedFeature(db, params.subscription_id, params.feature_id)),
    ),
    route(endpoints.updateSubscriptionFeature, async ({ actor, params, body, immutable }) =>
      row(
        subscriptionFeatureView,
        await updateSubscriptionFeature(
          dependencies,
          actor,
          params.subscription_id,
          params.feature_id,
          body,
          immutable,
        ),
      ),
    ),
    route(endpoints.deleteSubscriptionFeature, async ({ actor, params }) => {
      await deleteSubscriptionFeature(dependencies, actor, params.subscription_id, params.feature_id);
      return noContent;
    }),
    route(endpoints.syncSubscriptionFeatures, async ({ actor, params, body }) =>
      row(subscriptionView, await syncSubscriptionFeatures(dependencies, actor, params.subscription_id, body)),
    ),
    route(endpoints.listSubscriptionProviders, async ({ params }) => {
      await requireSubscription(db, params.subscription_id);
      return rows(subscriptionProviderView, sql`subscription_providers.subscription_id = ${params.subscription_id}`);
    }),
    route(endpoints.createSubscriptionProvider, async ({ actor, params, body }) =>
      row(subscriptionProviderView, await addSubscriptionProvider(dependencies, actor, params.subscription_id, body)),
    ),
    route(endpoints.readSubscriptionProvider, async ({ params }) =>
      row(subscriptionProviderView, await requirePrintedProvider(db, params.subscription_id, params.provider_id)),
    ),
    route(endpoints.updateSubscriptionProvider, async ({ actor, params, body, immutable }) =>
      row(
        subscriptionProviderView,
        await updateSubscriptionProvider(
          dependencies,
          actor,
          params.subscription_id,
          params.provider_id,
          body,
          immutable,
        ),
      ),
    ),
    route(endpoints.deleteSubscriptionProvider, async ({ actor, params }) => {
      await removeSubscriptionProvider(dependencies, actor, params.subscription_id, params.provider_id);
      return noContent;
    }),
  ];
}
