import type { Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { customerUse } from './rules/customer-status.ts';
import { type CustomerRow, lockCustomerForShare } from './store.ts';

/**
 * Locks the customer for share before something is created below it. Lock order: customer, subscription, account, room.
 * @throws 422 naming `field` if there is no such customer, 409 `customer-not-active`.
 */
export async function lockCustomerForUse(tx: Tx, id: Uuid, field = 'subscriber_id'): Promise<CustomerRow> {
  const row = await lockCustomerForShare(tx, id);
  if (!row) throw invalidInput({ [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`] });
  const status = row.effective_status;
  if (!customerUse(status).canCreate) {
    const subject = row.status === status ? 'The customer' : 'A reseller above the customer';
    throw conflict('customer-not-active', `${subject} is ${status}, so nothing new can be created for it.`);
  }
  return row;
}
