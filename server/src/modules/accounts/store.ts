import type { Insertable, Selectable, Updateable } from 'kysely';
import { outOfUse } from '../../database/out-of-use.ts';
import { rowStore } from '../../database/row-store.ts';
import type { Accounts } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AccountRow = Selectable<Accounts>;

const accounts = rowStore('accounts', 'account');

export const {
  find: findAccount,
  require: requireAccount,
  lock: lockAccountRow,
  lockForShare: lockAccountRowForShare,
  lockAllOf: lockAccountsOf,
  remove: removeAccount,
} = accounts;

export async function findSubscriberId(tx: Tx, subscriptionId: Uuid): Promise<Uuid | undefined> {
  const row = await tx
    .selectFrom('subscriptions')
    .select('subscriber_id')
    .where('id', '=', subscriptionId)
    .executeTakeFirst();
  return row?.subscriber_id;
}

/** Null if the key is taken. */
export async function insertAccount(tx: Tx, row: Insertable<Accounts>): Promise<AccountRow | null> {
  const inserted = await tx
    .insertInto('accounts')
    .values({ ...row, out_of_use_since: row.status === 'active' ? null : row.created_at })
    .onConflict((conflict) => conflict.column('account_key').doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

export async function storeAccount(tx: Tx, id: Uuid, changes: Updateable<Accounts>): Promise<AccountRow> {
  const since = outOfUse(changes.status && changes.status === 'active', changes.updated_at);
  return await accounts.store(tx, id, { ...changes, ...since });
}

/** @returns the accounts that were active. */
export async function deactivateAccounts(tx: Tx, customerId: Uuid, now: string): Promise<AccountRow[]> {
  return await tx
    .updateTable('accounts')
    .set({ status: 'inactive', out_of_use_since: now, updated_at: now })
    .where('id', 'in', (accounts) =>
      accounts
        .selectFrom('accounts')
        .select('id')
        .where('subscriber_id', '=', customerId)
        .where('status', '=', 'active')
        .orderBy('id')
        .forNoKeyUpdate(),
    )
    .returningAll()
    .execute();
}
