import type { Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { customerUse } from './rules/customer-status.ts';
import { type CustomerRow, lockCustomerForShare } from './store.ts';

/**
 * The customer that something new is to be built on, kept as it is until the transaction ends.
 * To be locked before what is below it: subscription, account, room, in this order.
 * @throws 422 naming `field` when there is none, 409 `customer-not-active`.
 */
export async function lockCustomerForUse(tx: Tx, id: Uuid, field = 'subscriber_id'): Promise<CustomerRow> {
  const row = await lockCustomerForShare(tx, id);
  if (!row) throw invalidInput({ [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`] });
  const status = row.effective_status;
  if (!customerUse(status).canCreate) {
    const whose = row.status === status ? 'The customer' : 'A reseller above the customer';
    throw conflict('customer-not-active', `${whose} is ${status}: nothing new is opened for it.`);
  }
  return row;
}
