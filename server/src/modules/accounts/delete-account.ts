import type { Dependencies } from '../../dependencies.ts';
import { change } from '../../events/change.ts';
import { createConsequences } from '../../events/consequences.ts';
import { refused } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { releaseFeature } from '../subscriptions/index.ts';
import { lockAccount } from './lock-account.ts';
import { removeAccount } from './store.ts';

/**
 * What goes with an account that is deleted by itself: its rooms, with what they use of the subscription. Where the
 * customer or the subscription goes, its own consequences remove the rooms before the accounts.
 */
export const whenAccountIsDeleted = createConsequences();

/** @throws 409 `account-not-inactive` */
export async function deleteAccount(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await change(dependencies, actor, async (under) => {
    const row = await lockAccount(under.tx, id);
    if (row.status !== 'inactive')
      throw refused('account-not-inactive', `Only an inactive account is deleted; this one is ${row.status}.`);
    await whenAccountIsDeleted.run(under, id);
    await removeAccount(under.tx, id);
    await releaseFeature(under, row.subscription_id, 'max_accounts');
    await under.emit({
      name: 'account.deleted',
      resource: { type: 'Account', id },
      customerId: row.subscriber_id,
      before: row,
    });
  });
}
