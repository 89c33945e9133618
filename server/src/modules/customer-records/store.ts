import { type Selectable, sql } from 'kysely';
import { isTrue, requireIn, rowStore } from '../../database/row-store.ts';
import type { CustomerAddresses, CustomerLegalDocuments, CustomerTelephones, DB } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AddressRow = Selectable<CustomerAddresses>;
export type TelephoneRow = Selectable<CustomerTelephones>;
export type LegalDocumentRow = Selectable<CustomerLegalDocuments>;

export const addressStore = recordStore('customer_addresses', 'address');
export const telephoneStore = recordStore('customer_telephones', 'telephone');
export const legalDocumentStore = recordStore('customer_legal_documents', 'legal document');

function recordStore<Table extends 'customer_addresses' | 'customer_telephones' | 'customer_legal_documents'>(
  table: Table,
  noun: string,
) {
  const { insert, store, remove } = rowStore(table, noun);
  return {
    insert,
    store,
    remove,
    require: requireIn(table, 'customer_id', noun),
    /** The caller locks the customer. @returns the deleted rows */
    async removeAllOfCustomer(tx: Tx, customerId: Uuid): Promise<Selectable<DB[Table]>[]> {
      const deleted = sql<Selectable<DB[Table]>>`
        delete from ${sql.table(table)} where customer_id = ${customerId} returning *
      `;
      return (await deleted.execute(tx)).rows;
    },
  };
}

/** The caller locks the customer. @throws 422 if the customer already has the document */
export async function refuseDuplicate(
  tx: Tx,
  customerId: Uuid,
  document: Pick<LegalDocumentRow, 'type' | 'country' | 'value'>,
  exceptId: Uuid | null,
): Promise<void> {
  const duplicate = sql`select from customer_legal_documents
    where customer_id = ${customerId} and type = ${document.type} and country = ${document.country}
      and value = ${document.value} and id is distinct from ${exceptId}::uuid`;
  if (await isTrue(tx, sql`exists(${duplicate})`))
    throw invalidInput({ value: ['The customer already has this document.'] });
}
