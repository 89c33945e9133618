import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseWithSubCustomers, refuseWithHeldSubscriptions, refuseSoldByPlatform } from './hierarchy.ts';
import { refuseHeld } from './platform-hold.ts';
import { lockCustomer, removeCustomer } from './store.ts';

/**
 * Deletes the customer with its subscriptions, accounts and rooms; its users stay.
 * @throws 409 `customer-not-terminated`, `has-sub-customers`; for users `held-by-platform` and `sold-by-platform`
 */
export async function deleteCustomer(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockCustomer(change.tx, id);
    if (row.status !== 'terminated') {
      throw conflict(
        'customer-not-terminated',
        `Only a terminated customer can be deleted. This one is ${row.status}.`,
      );
    }
    refuseHeld(actor, row, null);
    await refuseWithSubCustomers(change.tx, id);
    await refuseSoldByPlatform(change.tx, actor, id);
    await refuseWithHeldSubscriptions(change.tx, actor, id);
    await change.react('customer.deleting', { customerId: id });
    await removeCustomer(change.tx, id, change.now);
    change.invalidate('origins');
    await change.emit(rowEvent('customer.deleted', { customerId: id, before: row }));
  });
}
