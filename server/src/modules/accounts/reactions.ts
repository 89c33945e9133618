import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import { removeLockedAccount } from './delete-account.ts';
import { deactivateAccounts, lockAccountsOf } from './store.ts';

/** A terminated customer has no active accounts. */
export async function deactivateAccountsOfCustomer(
  change: Change,
  { customerId }: ReactionSubjects['customer.terminating'],
): Promise<void> {
  const accounts = await deactivateAccounts(change.tx, customerId, change.now);
  await change.emitAll(
    accounts.map((row) => rowEvent('account.updated', { before: { ...row, status: 'active' }, after: row })),
  );
}

export async function removeAccountsOfCustomer(
  change: Change,
  { customerId }: ReactionSubjects['customer.deleting'],
): Promise<void> {
  for (const row of await lockAccountsOf(change.tx, 'subscriber_id', customerId))
    await removeLockedAccount(change, row);
}

export async function removeAccountsOfSubscription(
  change: Change,
  { subscriptionId }: ReactionSubjects['subscription.deleting'],
): Promise<void> {
  for (const row of await lockAccountsOf(change.tx, 'subscription_id', subscriptionId))
    await removeLockedAccount(change, row);
}
