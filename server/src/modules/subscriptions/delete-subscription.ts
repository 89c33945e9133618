import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import type { ReactionSubjects } from '../../events/reactions.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { shareCustomer } from '../customers/index.ts';
import { takeBack } from './handed-down.ts';
import { hasHandedDown } from './handed-down-store.ts';
import { refuseHeld } from './held-by-platform.ts';
import { lifecycleOf } from './lifecycle-of-row.ts';
import { allowedMoves } from './lifecycle.ts';
import { dropScheduledChange } from './make-package-change.ts';
import { refuseMove } from './refuse-move.ts';
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
  await change(dependencies, actor, async (under) => {
    // From the top down, as everybody locks: the end of the customer must not cross this.
    await shareCustomer(under.tx, (await requireSubscription(under.tx, id)).subscriber_id);
    const row = await lockSubscription(under.tx, id);
    if (row.status !== 'inactive') {
      throw refuseMove(
        'subscription-not-inactive',
        `Only an inactive subscription is deleted; this one is ${row.status}.`,
        allowedMoves(lifecycleOf(row), under.today),
      );
    }
    refuseHeld(actor, row, null);
    if (await hasHandedDown(under.tx, id)) {
      throw refuseMove(
        'has-sub-subscriptions',
        'Customers below have subscriptions of this one: delete them first.',
        allowedMoves(lifecycleOf(row), under.today).filter((move) => move !== 'delete'),
      );
    }
    await dropScheduledChange(under, row);
    await under.react('subscription.deleting', { subscriptionId: id });
    await removeSubscription(under.tx, id);
    await takeBack(under, row);
    await under.emit({
      name: 'subscription.deleted',
      resource: { type: 'ServicePackageSubscription', id },
      customerId: row.subscriber_id,
      before: row,
    });
  });
}

export async function deactivateSubscriptionsOfCustomer(
  under: Change,
  { customerId }: ReactionSubjects['customer.terminating'],
): Promise<void> {
  for (const row of await lockSubscriptionsOf(under.tx, customerId)) {
    if (row.status === 'terminated') continue;
    await dropScheduledChange(under, row);
    if (row.status === 'inactive') continue;
    const updated = await storeSubscription(under.tx, row.id, {
      status: 'inactive',
      is_active: false,
      updated_at: under.now,
    });
    await recordOn(under, 'subscription.updated', row, row, updated);
  }
}

export async function deleteSubscriptionsOfCustomer(
  under: Change,
  { customerId }: ReactionSubjects['customer.deleting'],
): Promise<void> {
  for (const row of await lockSubscriptionsOf(under.tx, customerId)) {
    await removeSubscription(under.tx, row.id);
    await takeBack(under, row);
    await recordOn(under, 'subscription.deleted', row, row, null);
  }
}
