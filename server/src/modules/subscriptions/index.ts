export { whenSubscriptionIsDeleted } from './delete-subscription.ts';
export { lifecycleColumns, lifecycleOf, type LifecycleRow } from './lifecycle-of-row.ts';
export { expiryOf as lastDayOfUse, isUsable } from './lifecycle.ts';
export { consumeFeature, releaseFeature, requireFlag } from './quotas.ts';
export { lockUsages, spendFeature, spendFeatures } from './spend-feature.ts';
export { countRecordings } from './count-recordings.ts';
export type { SubscriptionRow } from './store.ts';
export { subscriptionView } from './transformer.ts';
export { areUsable, isUsableAbove, lockSubscriptionForUse } from './use-subscription.ts';
