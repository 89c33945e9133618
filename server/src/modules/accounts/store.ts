import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { outOfUseColumn } from '../../database/out-of-use.ts';
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
  const outOfUseSince = row.status === 'active' ? null : row.created_at;
  return await accounts.insertUnlessTaken(tx, { ...row, out_of_use_since: outOfUseSince });
}

export async function storeAccount(tx: Tx, id: Uuid, changes: Updateable<Accounts>): Promise<AccountRow> {
  const since = outOfUseColumn(changes.status && changes.status === 'active', changes.updated_at);
  return await accounts.store(tx, id, { ...changes, ...since });
}

/** @returns the accounts that were active. */
export async function deactivateAccounts(tx: Tx, customerId: Uuid, now: string): Promise<AccountRow[]> {
  const active = sql`subscriber_id = ${customerId} and status = 'active'`;
  return await accounts.storeWhere(tx, active, { status: 'inactive', out_of_use_since: now, updated_at: now });
}
