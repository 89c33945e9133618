import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { outOfUseColumn } from '../../database/out-of-use.ts';
import { rowStore } from '../../database/row-store.ts';
import type { Customers } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseTaken, type Unique, uniqueMembers } from './rules/unique-members.ts';

export type CustomerRow = Selectable<Customers>;

const customers = rowStore('customers', 'customer');

/**
 * While a customer is locked, nothing is created below it. With a shared lock, concurrent changes below the customer are
 * possible, changes of the customer itself are not.
 */
export const { require: requireCustomer, lock: lockCustomer, lockForShare: lockCustomerForShare } = customers;

function isUsableStatus(status: unknown): boolean {
  return status === 'active' || status === 'suspended';
}

/** Null if a unique value is taken; the transaction stays usable. */
export async function insertCustomer(tx: Tx, row: Insertable<Customers>): Promise<CustomerRow | null> {
  const outOfUseSince = isUsableStatus(row.status) ? null : row.created_at;
  return await customers.insertUnlessTaken(tx, { ...row, out_of_use_since: outOfUseSince });
}

/** @throws 422 if a concurrent request took a unique value. */
export async function storeCustomer(tx: Tx, id: Uuid, changes: Updateable<Customers>): Promise<CustomerRow> {
  const since = outOfUseColumn(changes.status && isUsableStatus(changes.status), changes.updated_at);
  try {
    return await customers.store(tx, id, { ...changes, ...since });
  } catch (error) {
    refuseTaken(error);
    throw error;
  }
}

/** Deletes the customer, and stores the ids of its ancestors, which receive the events of the deletion. */
export async function removeCustomer(tx: Tx, id: Uuid, now: string): Promise<void> {
  await sql`
    with removed as (delete from customers where id = ${id} returning id, ancestors)
    insert into deleted_customers (id, ancestors, deleted_at)
    select id, ancestors, ${now}::timestamptz from removed where ancestors <> '{}'`.execute(tx);
}

/** Removes the ancestors that `removeCustomer` stored before the instant. @returns the number of customers */
export async function forgetCustomersDeletedBefore(db: Database, instant: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('deleted_customers')
    .where('deleted_at', '<', instant)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The unique values that another customer than `exceptId` has, ignoring case. */
export async function findTakenMembers(
  db: Database | Tx,
  values: { readonly [Name in Unique]?: string | null },
  exceptId: Uuid | null,
): Promise<Unique[]> {
  const checks = uniqueMembers.map((name) => {
    const column = sql.ref(name);
    return sql`exists(
      select from customers where lower(${column}) = lower(${values[name] ?? null}::text) and id is distinct from ${exceptId}::uuid
    ) as ${column}`;
  });
  const { rows } = await sql<Record<Unique, boolean>>`select ${sql.join(checks)}`.execute(db);
  return uniqueMembers.filter((name) => rows[0]?.[name]);
}
