import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockCustomerForShare } from '../customers/index.ts';
import { releaseAllocation } from './resale/allocations.ts';
import { hasChildren } from './resale/allocation-store.ts';
import { refuseHeld, moveRefused } from './lifecycle/move-refused.ts';
import { lifecycleOf } from './lifecycle/lifecycle-of-row.ts';
import { allowedMoves } from './lifecycle/lifecycle.ts';
import { withdrawScheduledChange } from './package-change/withdraw-package-change.ts';
import { emitPackageChangeDeletions } from './package-change/write-package-change.ts';
import { providerEvent } from './features/subscription-providers.ts';
import { lockProviderRows } from '../service-packages/index.ts';
import {
  listFeatures,
  lockSubscription,
  lockSubscriptionsOf,
  removeSubscription,
  requireSubscription,
  storeSubscription,
  type SubscriptionRow,
  subscriptionProviders,
} from './store.ts';

/** @throws 409 `subscription-not-inactive`, `has-sub-subscriptions`; for users `held-by-platform` */
export async function deleteSubscription(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    // Lock order: the customer first, against a deadlock with its termination.
    await lockCustomerForShare(change.tx, (await requireSubscription(change.tx, id)).subscriber_id);
    const row = await lockSubscription(change.tx, id);
    if (row.status !== 'inactive') {
      throw moveRefused(
        'subscription-not-inactive',
        `Only an inactive subscription can be deleted. This one is ${row.status}.`,
        allowedMoves(lifecycleOf(row), change.today),
      );
    }
    refuseHeld(actor, row, null);
    if (await hasChildren(change.tx, id)) {
      throw moveRefused(
        'has-sub-subscriptions',
        'Other subscriptions are resold from this one. Delete them first.',
        allowedMoves(lifecycleOf(row), change.today).filter((move) => move !== 'delete'),
      );
    }
    await withdrawScheduledChange(change, row);
    await removeLockedSubscription(change, row);
  });
}

/** Deletes a locked subscription with its accounts, features and providers. */
async function removeLockedSubscription(change: Change, row: SubscriptionRow): Promise<void> {
  const { id, subscriber_id: customerId } = row;
  await change.react('subscription.deleting', { subscriptionId: id });
  const features = await listFeatures(change.tx, id);
  const providers = await lockProviderRows(change.tx, subscriptionProviders, id);
  // Before the rows are deleted, since events print names and usage from other tables.
  await change.emitAll([
    ...features.map((before) => rowEvent('subscription_feature.deleted', { customerId, before })),
    ...providers.map((before) => providerEvent('deleted', row, { before })),
  ]);
  await emitPackageChangeDeletions(change, row);
  await removeSubscription(change.tx, id);
  await releaseAllocation(change, row);
  await change.emit(rowEvent('subscription.deleted', { before: row }));
}

export async function deactivateSubscriptionsOfCustomer(change: Change, customerId: Uuid): Promise<void> {
  for (const row of await lockSubscriptionsOf(change.tx, 'subscriber_id', customerId)) {
    if (row.status === 'terminated') continue;
    await withdrawScheduledChange(change, row);
    if (row.status === 'inactive') continue;
    const updated = await storeSubscription(change.tx, row.id, {
      status: 'inactive',
      is_active: false,
      usable_until: null,
      updated_at: change.now,
    });
    await change.emit(rowEvent('subscription.updated', { before: row, after: updated }));
  }
}

export async function deleteSubscriptionsOfCustomer(change: Change, customerId: Uuid): Promise<void> {
  for (const row of await lockSubscriptionsOf(change.tx, 'subscriber_id', customerId)) {
    await removeLockedSubscription(change, row);
  }
}
