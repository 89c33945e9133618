import type { Change } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { removeOne } from './delete-account.ts';
import { deactivateAccounts, lockAccountsBelow } from './store.ts';

/** A terminated customer has no account that is active. */
export async function deactivateAccountsOfCustomer(under: Change, customerId: Uuid): Promise<void> {
  const accounts = await deactivateAccounts(under.tx, customerId, under.now);
  await under.emitAll(
    accounts.map((row) => ({
      name: 'account.updated',
      resource: { type: 'Account', id: row.id },
      customerId,
      before: { ...row, status: 'active' },
      after: row,
    })),
  );
}

export async function removeAccountsOfCustomer(under: Change, customerId: Uuid): Promise<void> {
  for (const row of await lockAccountsBelow(under.tx, 'subscriber_id', customerId)) await removeOne(under, row);
}

export async function removeAccountsOfSubscription(under: Change, subscriptionId: Uuid): Promise<void> {
  for (const row of await lockAccountsBelow(under.tx, 'subscription_id', subscriptionId)) await removeOne(under, row);
}
