import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { CustomerAddresses, CustomerLegalDocuments, CustomerTelephones } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { invalidInput, notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AddressRow = Selectable<CustomerAddresses>;
export type TelephoneRow = Selectable<CustomerTelephones>;
export type LegalDocumentRow = Selectable<CustomerLegalDocuments>;

/** @throws 404 */
export async function requireAddress(db: Database | Tx, customerId: Uuid, id: Uuid): Promise<AddressRow> {
  const row = await db
    .selectFrom('customer_addresses')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst();
  if (!row) throw notFound('The address was not found.');
  return row;
}

export async function insertAddress(tx: Tx, row: Insertable<CustomerAddresses>): Promise<AddressRow> {
  return await tx.insertInto('customer_addresses').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeAddress(tx: Tx, id: Uuid, changes: Updateable<CustomerAddresses>): Promise<AddressRow> {
  const update = tx.updateTable('customer_addresses').set(changes).where('id', '=', id);
  return await update.returningAll().executeTakeFirstOrThrow();
}

export async function removeAddress(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('customer_addresses').where('id', '=', id).execute();
}

/** @throws 404 */
export async function requireTelephone(db: Database | Tx, customerId: Uuid, id: Uuid): Promise<TelephoneRow> {
  const row = await db
    .selectFrom('customer_telephones')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst();
  if (!row) throw notFound('The telephone was not found.');
  return row;
}

export async function insertTelephone(tx: Tx, row: Insertable<CustomerTelephones>): Promise<TelephoneRow> {
  return await tx.insertInto('customer_telephones').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeTelephone(tx: Tx, id: Uuid, changes: Updateable<CustomerTelephones>): Promise<TelephoneRow> {
  const update = tx.updateTable('customer_telephones').set(changes).where('id', '=', id);
  return await update.returningAll().executeTakeFirstOrThrow();
}

export async function removeTelephone(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('customer_telephones').where('id', '=', id).execute();
}

/** @throws 404 */
export async function requireLegalDocument(db: Database | Tx, customerId: Uuid, id: Uuid): Promise<LegalDocumentRow> {
  const row = await db
    .selectFrom('customer_legal_documents')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst();
  if (!row) throw notFound('The legal document was not found.');
  return row;
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

export async function removeLegalDocument(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('customer_legal_documents').where('id', '=', id).execute();
}
