import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { releaseFeature, requireFlag } from '../subscriptions/index.ts';
import { lockAccount } from './lock-account.ts';
import { type AccountRow, removeAccount, deactivateAccounts, lockAccountsOf } from './store.ts';

/** @throws 409 `account-not-inactive` */
export async function deleteAccount(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockAccount(change.tx, id);
    if (row.status !== 'inactive')
      throw conflict('account-not-inactive', `Only an inactive account can be deleted. This one is ${row.status}.`);
    if (actor.type === 'user') await requireFlag(change, row.subscription_id, 'allow_delete_account');
    await removeAccountWithRooms(change, row);
    await releaseFeature(change, row.subscription_id, 'max_accounts');
  });
}

/** The caller holds the lock on the row. */
async function removeAccountWithRooms(change: Change, row: AccountRow): Promise<void> {
  await change.react('account.deleting', { accountId: row.id });
  await removeAccount(change.tx, row.id);
  await change.emit(rowEvent('account.deleted', { before: row }));
}

/** A terminated customer has no active accounts. */
export async function deactivateAccountsOfCustomer(change: Change, customerId: Uuid): Promise<void> {
  const accounts = await deactivateAccounts(change.tx, customerId, change.now);
  await change.emitAll(
    accounts.map((row) => rowEvent('account.updated', { before: { ...row, status: 'active' }, after: row })),
  );
}

/** Accounts are deleted with their customer and with their subscription. */
export async function removeAccountsOf(
  change: Change,
  column: 'subscriber_id' | 'subscription_id',
  id: Uuid,
): Promise<void> {
  for (const row of await lockAccountsOf(change.tx, column, id)) await removeAccountWithRooms(change, row);
}
