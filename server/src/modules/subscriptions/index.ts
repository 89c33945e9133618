export { whenSubscriptionIsDeleted } from './delete-subscription.ts';
export { lifecycleOf } from './lifecycle-of-row.ts';
export { isUsable } from './lifecycle.ts';
export { consumeFeature, releaseFeature, requireFlag, spendFeature } from './quotas.ts';
export type { SubscriptionRow } from './store.ts';
export { subscriptionView } from './transformer.ts';
export { areUsable, isUsableAbove, lockSubscriptionForUse } from './use-subscription.ts';
