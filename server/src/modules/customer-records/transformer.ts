import { Address } from '@foyer/contract/resources/customers/address.ts';
import { LegalDocument } from '@foyer/contract/resources/customers/legal-document.ts';
import { Telephone } from '@foyer/contract/resources/customers/telephone.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import type { AddressRow, LegalDocumentRow, TelephoneRow } from './store.ts';

export const addressView = defineView<typeof Address.fields, AddressRow>({
  resource: Address,
  table: 'customer_addresses',
  expressions: { default: sql.ref('customer_addresses.is_default') },
  transform: (row) => ({ default: row.is_default }),
});

export const telephoneView = defineView<typeof Telephone.fields, TelephoneRow>({
  resource: Telephone,
  table: 'customer_telephones',
  expressions: { default: sql.ref('customer_telephones.is_default') },
  transform: (row) => ({ default: row.is_default }),
});

export const legalDocumentView = defineView<typeof LegalDocument.fields, LegalDocumentRow>({
  resource: LegalDocument,
  table: 'customer_legal_documents',
});
