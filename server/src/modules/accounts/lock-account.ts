import type { Tx } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockCustomerForShare } from '../customers/index.ts';
import { lockSubscriptionForShare } from '../subscriptions/index.ts';
import { type AccountRow, findAccount, lockAccountRow, requireAccount, lockAccountRowForShare } from './store.ts';

/** Locks the account for update, and its customer and subscription for share. @throws 404 */
export async function lockAccount(tx: Tx, id: Uuid): Promise<AccountRow> {
  await lockParentsForShare(tx, await requireAccount(tx, id));
  return await lockAccountRow(tx, id);
}

/**
 * Locks the account, its customer and its subscription for share, before something is created below the account.
 * @throws 422 naming `field` if there is no such account, 409 `account-not-active`.
 */
export async function lockAccountForUse(tx: Tx, id: Uuid, field = 'account_id'): Promise<AccountRow> {
  const account = await findAccount(tx, id);
  if (account) await lockParentsForShare(tx, account);
  const row = account && (await lockAccountRowForShare(tx, id));
  if (!row) throw invalidInput({ [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`] });
  if (row.status !== 'active')
    throw conflict('account-not-active', 'The account is inactive, so nothing new can be created in it.');
  return row;
}

/** Lock order from the customer down, against deadlocks. */
async function lockParentsForShare(tx: Tx, row: AccountRow): Promise<void> {
  await lockCustomerForShare(tx, row.subscriber_id);
  await lockSubscriptionForShare(tx, row.subscription_id);
}
