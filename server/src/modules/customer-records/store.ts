import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { CustomerAddresses, CustomerLegalDocuments, CustomerTelephones, DB } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { invalidInput, notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AddressRow = Selectable<CustomerAddresses>;
export type TelephoneRow = Selectable<CustomerTelephones>;
export type LegalDocumentRow = Selectable<CustomerLegalDocuments>;

export const addressStore = recordStore<AddressRow>('customer_addresses', 'address');
export const telephoneStore = recordStore<TelephoneRow>('customer_telephones', 'telephone');
export const legalDocumentStore = recordStore<LegalDocumentRow>('customer_legal_documents', 'legal document');

function recordStore<Row>(table: keyof DB, noun: string) {
  return {
    /** @throws 404 */
    async require(db: Database | Tx, customerId: Uuid, id: Uuid): Promise<Row> {
      const { rows } = await sql<Row>`
        select * from ${sql.table(table)} where id = ${id} and customer_id = ${customerId}
      `.execute(db);
      const [row] = rows;
      if (!row) throw notFound(`The ${noun} was not found.`);
      return row;
    },
    async remove(tx: Tx, id: Uuid): Promise<void> {
      await sql`delete from ${sql.table(table)} where id = ${id}`.execute(tx);
    },
    /** The caller locks the customer. @returns the deleted rows */
    async removeOf(tx: Tx, customerId: Uuid): Promise<Row[]> {
      const deleted = sql<Row>`delete from ${sql.table(table)} where customer_id = ${customerId} returning *`;
      return (await deleted.execute(tx)).rows;
    },
  };
}

export async function insertAddress(tx: Tx, row: Insertable<CustomerAddresses>): Promise<AddressRow> {
  return await tx.insertInto('customer_addresses').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeAddress(tx: Tx, id: Uuid, changes: Updateable<CustomerAddresses>): Promise<AddressRow> {
  const update = tx.updateTable('customer_addresses').set(changes).where('id', '=', id);
  return await update.returningAll().executeTakeFirstOrThrow();
}

export async function insertTelephone(tx: Tx, row: Insertable<CustomerTelephones>): Promise<TelephoneRow> {
  return await tx.insertInto('customer_telephones').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeTelephone(tx: Tx, id: Uuid, changes: Updateable<CustomerTelephones>): Promise<TelephoneRow> {
  const update = tx.updateTable('customer_telephones').set(changes).where('id', '=', id);
  return await update.returningAll().executeTakeFirstOrThrow();
}

/** The caller locks the customer. @throws 422 if the customer already has the document */
export async function refuseDuplicate(
  tx: Tx,
  customerId: Uuid,
  document: Pick<LegalDocumentRow, 'type' | 'country' | 'value'>,
  exceptId: Uuid | null,
): Promise<void> {
  const { rows } = await sql<{ is_duplicate: boolean }>`
    select exists(
      select from customer_legal_documents
      where customer_id = ${customerId} and type = ${document.type} and country = ${document.country}
        and value = ${document.value} and id is distinct from ${exceptId}::uuid
    ) as is_duplicate
  `.execute(tx);
  if (rows[0]?.is_duplicate) throw invalidInput({ value: ['The customer already has this document.'] });
}

export async function insertLegalDocument(tx: Tx, row: Insertable<CustomerLegalDocuments>): Promise<LegalDocumentRow> {
  return await tx.insertInto('customer_legal_documents').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeLegalDocument(
  tx: Tx,
  id: Uuid,
  changes: Updateable<CustomerLegalDocuments>,
): Promise<LegalDocumentRow> {
  const update = tx.updateTable('customer_legal_documents').set(changes).where('id', '=', id);
  return await update.returningAll().executeTakeFirstOrThrow();
}
