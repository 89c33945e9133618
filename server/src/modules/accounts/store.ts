import type { Insertable, Selectable, Updateable } from 'kysely';
import { outOfUse } from '../../database/out-of-use.ts';
import { rowStore } from '../../database/row-store.ts';
import type { Accounts } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AccountRow = Selectable<Accounts>;

export const {
  find: findAccount,
  require: requireAccount,
  lock: lockAccountRow,
  remove: removeAccount,
} = rowStore('accounts', 'account');

export async function lockAccountRowForShare(tx: Tx, id: Uuid): Promise<AccountRow | undefined> {
  return await tx.selectFrom('accounts').selectAll().where('id', '=', id).forShare().executeTakeFirst();
}

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
  return await tx
    .updateTable('accounts')
    .set({ ...changes, ...outOfUse(changes.status && changes.status === 'active', changes.updated_at) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
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

export async function lockAccountsOf(
  tx: Tx,
  parent: 'subscriber_id' | 'subscription_id',
  parentId: Uuid,
): Promise<AccountRow[]> {
  return await tx.selectFrom('accounts').selectAll().where(parent, '=', parentId).orderBy('id').forUpdate().execute();
}
