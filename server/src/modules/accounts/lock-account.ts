import type { Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockCustomerForShare } from '../customers/index.ts';
import {
  type AccountRow,
  findAccount,
  keepSubscription,
  lockAccountRow,
  requireAccount,
  lockAccountRowForShare,
} from './store.ts';

/** The account for a change of it; what is above it stays as it is meanwhile. @throws 404 */
export async function lockAccount(tx: Tx, id: Uuid): Promise<AccountRow> {
  await lockParentsForShare(tx, await requireAccount(tx, id));
  return await lockAccountRow(tx, id);
}

/**
 * The account that something new is to be built on, kept as it is until the transaction ends, and so are its
 * subscription and its customer.
 * @throws 422 naming `field` when there is none, 409 `account-not-active`.
 */
export async function lockAccountForUse(tx: Tx, id: Uuid, field = 'account_id'): Promise<AccountRow> {
  const found = await findAccount(tx, id);
  if (found) await lockParentsForShare(tx, found);
  const row = found && (await lockAccountRowForShare(tx, id));
  if (!row) throw invalidInput({ [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`] });
  if (row.status !== 'active') throw conflict('account-not-active', 'The account is inactive: nothing new is opened.');
  return row;
}

/** Locks are taken from the top down, so that a change of an account and the end of its customer do not block each other. */
async function lockParentsForShare(tx: Tx, row: AccountRow): Promise<void> {
  await lockCustomerForShare(tx, row.subscriber_id);
  await keepSubscription(tx, row.subscription_id);
}
