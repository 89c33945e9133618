import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { outOfUse } from '../../database/out-of-use.ts';
import type { Customers } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseTaken, type Unique, uniqueMembers } from './rules/unique-members.ts';

export type CustomerRow = Selectable<Customers>;

/** @throws 404 */
export async function requireCustomer(db: Database | Tx, id: Uuid): Promise<CustomerRow> {
  const row = await db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('The customer was not found.');
  return row;
}

/** Changes of a customer run one after the other, and nothing is begun below it meanwhile. @throws 404 */
export async function lockCustomer(tx: Tx, id: Uuid): Promise<CustomerRow> {
  const row = await tx.selectFrom('customers').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw notFound('The customer was not found.');
  return row;
}

/** Kept as it is until the transaction ends, by as many at once as change something below it. */
export async function lockCustomerForShare(tx: Tx, id: Uuid): Promise<CustomerRow | undefined> {
  return await tx.selectFrom('customers').selectAll().where('id', '=', id).forShare().executeTakeFirst();
}

function isUsableStatus(status: unknown): boolean {
  return status === 'active' || status === 'suspended';
}

/** Null when something that must be unique is another customer's; the transaction goes on. */
export async function insertCustomer(tx: Tx, row: Insertable<Customers>): Promise<CustomerRow | null> {
  const inserted = await tx
    .insertInto('customers')
    .values({ ...row, out_of_use_since: isUsableStatus(row.status) ? null : row.created_at })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

/** @throws 422 when something that must be unique has become another customer's at the same time. */
export async function storeCustomer(tx: Tx, id: Uuid, changes: Updateable<Customers>): Promise<CustomerRow> {
  try {
    return await tx
      .updateTable('customers')
      .set({ ...changes, ...outOfUse(changes.status && isUsableStatus(changes.status), changes.updated_at) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    refuseTaken(error);
    throw error;
  }
}

export async function removeCustomer(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('customers').where('id', '=', id).execute();
}

/** Which of the given values another customer than `exceptId` has, whatever the case. */
export async function takenMembers(
  db: Database | Tx,
  given: { readonly [Name in Unique]?: string | null },
  exceptId: Uuid | null,
): Promise<Unique[]> {
  const found = uniqueMembers.map((name) => {
    const column = sql.ref(name);
    return sql`exists(
      select from customers where lower(${column}) = lower(${given[name] ?? null}::text) and id is distinct from ${exceptId}::uuid
    ) as ${column}`;
  });
  const { rows } = await sql<Record<Unique, boolean>>`select ${sql.join(found)}`.execute(db);
  return uniqueMembers.filter((name) => rows[0]?.[name]);
}
