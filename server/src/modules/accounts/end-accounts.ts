import type { Change } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { type AccountRow, deactivateAccounts, removeAccounts } from './store.ts';

/** A terminated customer has no account that is active. */
export async function deactivateAccountsOfCustomer(under: Change, customerId: Uuid): Promise<void> {
  for (const row of await deactivateAccounts(under.tx, customerId, under.now)) {
    await under.emit({
      name: 'account.updated',
      resource: { type: 'Account', id: row.id },
      customerId,
      before: { ...row, status: 'active' },
      after: row,
    });
  }
}

export async function removeAccountsOfCustomer(under: Change, customerId: Uuid): Promise<void> {
  await recordRemoval(under, await removeAccounts(under.tx, 'subscriber_id', customerId));
}

export async function removeAccountsOfSubscription(under: Change, subscriptionId: Uuid): Promise<void> {
  await recordRemoval(under, await removeAccounts(under.tx, 'subscription_id', subscriptionId));
}

async function recordRemoval({ emit }: Change, removed: readonly AccountRow[]): Promise<void> {
  for (const row of removed) {
    await emit({
      name: 'account.deleted',
      resource: { type: 'Account', id: row.id },
      customerId: row.subscriber_id,
      before: row,
    });
  }
}
