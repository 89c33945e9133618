import { defineModule } from '../../module.ts';
import {
  packageChangeView,
  subscriptionFeatureView,
  subscriptionProviderView,
  subscriptionView,
} from './transformer.ts';
import { deactivateSubscriptionsOfCustomer, deleteSubscriptionsOfCustomer } from './delete-subscription.ts';
import { subscriptionJobs } from './jobs.ts';
import { relations, tenantScopes } from './relations.ts';
import { subscriptionRoutes } from './routes.ts';

import { emitLimitReached } from './usage/refused-limits.ts';

export { recomputeStoredUsage } from './usage/stored-usage.ts';
export { reserveStoredAmounts } from './usage/reserve-stored.ts';
export { createSubscription } from './create-subscription.ts';
export { lifecycleColumns, lifecycleOf, type LifecycleRow } from './lifecycle/lifecycle-of-row.ts';
export { isUsable, lastDayOfUse } from './lifecycle/lifecycle.ts';
export { consumeWithinLimit, releaseFeature, requireFlag } from './usage/quotas.ts';
export { lockUsages, recordUsage, recordUsages } from './usage/record-usage.ts';
export { lockSubscriptionForShare, type SubscriptionRow } from './store.ts';
export { subscriptionView } from './transformer.ts';
export { areUsable, isSubscriptionUsable, lockSubscriptionForUse } from './lifecycle/use-subscription.ts';

export const subscriptions = defineModule({
  name: 'subscriptions',
  routes: subscriptionRoutes,
  views: {
    SubscriptionPackageChange: packageChangeView,
    ServicePackageSubscriptionFeature: subscriptionFeatureView,
    SubscriptionProvider: subscriptionProviderView,
    ServicePackageSubscription: subscriptionView,
  },
  jobs: subscriptionJobs,
  relations,
  tenantScopes,
  reactions: {
    'customer.terminating': (change, { customerId }) => deactivateSubscriptionsOfCustomer(change, customerId),
    'customer.deleting': (change, { customerId }) => deleteSubscriptionsOfCustomer(change, customerId),
    'limit.refused': emitLimitReached,
  },
});
