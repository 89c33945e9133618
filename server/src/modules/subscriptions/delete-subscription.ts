import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { shareCustomer } from '../customers/index.ts';
import { takeBack } from './resale/handed-down.ts';
import { hasHandedDown } from './resale/handed-down-store.ts';
import { refuseHeld } from './resale/held-by-platform.ts';
import { lifecycleOf } from './lifecycle/lifecycle-of-row.ts';
import { allowedMoves } from './lifecycle/lifecycle.ts';
import { dropScheduledChange } from './package-change/make-package-change.ts';
import { refuseMove } from './lifecycle/refuse-move.ts';
import { recordOn } from './record-on.ts';
import {
  lockSubscription,
  lockSubscriptionsOf,
  removeSubscription,
  requireSubscription,
  storeSubscription,
} from './store.ts';

/** @throws 409 `subscription-not-inactive`, `has-sub-subscriptions`; for users `held-by-platform` */
export async function deleteSubscription(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    // From the top down, as everybody locks: the end of the customer must not cross this.
    await shareCustomer(change.tx, (await requireSubscription(change.tx, id)).subscriber_id);
    const row = await lockSubscription(change.tx, id);
    if (row.status !== 'inactive') {
      throw refuseMove(
        'subscription-not-inactive',
        `Only an inactive subscription is deleted; this one is ${row.status}.`,
        allowedMoves(lifecycleOf(row), change.today),
      );
    }
    refuseHeld(actor, row, null);
    if (await hasHandedDown(change.tx, id)) {
      throw refuseMove(
        'has-sub-subscriptions',
        'Customers below have subscriptions of this one: delete them first.',
        allowedMoves(lifecycleOf(row), change.today).filter((move) => move !== 'delete'),
      );
    }
    await dropScheduledChange(change, row);
    await change.react('subscription.deleting', { subscriptionId: id });
    await removeSubscription(change.tx, id);
    await takeBack(change, row);
    await change.emit({
      name: 'subscription.deleted',
      resource: { type: 'ServicePackageSubscription', id },
      customerId: row.subscriber_id,
      before: row,
    });
  });
}

export async function deactivateSubscriptionsOfCustomer(
  change: Change,
  { customerId }: ReactionSubjects['customer.terminating'],
): Promise<void> {
  for (const row of await lockSubscriptionsOf(change.tx, customerId)) {
    if (row.status === 'terminated') continue;
    await dropScheduledChange(change, row);
    if (row.status === 'inactive') continue;
    const updated = await storeSubscription(change.tx, row.id, {
      status: 'inactive',
      is_active: false,
      usable_until: null,
      updated_at: change.now,
    });
    await recordOn(change, 'subscription.updated', row, row, updated);
  }
}

export async function deleteSubscriptionsOfCustomer(
  change: Change,
  { customerId }: ReactionSubjects['customer.deleting'],
): Promise<void> {
  for (const row of await lockSubscriptionsOf(change.tx, customerId)) {
    await removeSubscription(change.tx, row.id);
    await takeBack(change, row);
    await recordOn(change, 'subscription.deleted', row, row, null);
  }
}
