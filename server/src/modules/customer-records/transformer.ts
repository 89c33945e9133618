import { Address } from '@foyer/contract/resources/customers/address.ts';
import { LegalDocument } from '@foyer/contract/resources/customers/legal-document.ts';
import { Telephone } from '@foyer/contract/resources/customers/telephone.ts';
import { sql } from 'kysely';
import { calendarDate, printCalendarDate } from '../../platform/time/calendar-date.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { AddressRow, LegalDocumentRow, TelephoneRow } from './store.ts';

export const addressView = defineView<typeof Address.fields, AddressRow>({
  resource: Address,
  table: 'customer_addresses',
  expressions: { default: sql.ref('customer_addresses.is_default') },
  transform: (row) => ({
    customer_id: printIdentifier('cust', row.customer_id),
    address_type: row.address_type,
    default: row.is_default,
    country: row.country,
    state: row.state,
    postal_code: row.postal_code,
    city: row.city,
    address_line1: row.address_line1,
    address_line2: row.address_line2,
    po_box: row.po_box,
    building_number: row.building_number,
    complement: row.complement,
    metadata: row.metadata,
  }),
});

export const telephoneView = defineView<typeof Telephone.fields, TelephoneRow>({
  resource: Telephone,
  table: 'customer_telephones',
  expressions: { default: sql.ref('customer_telephones.is_default') },
  transform: (row) => ({
    customer_id: printIdentifier('cust', row.customer_id),
    telephone_type: row.telephone_type,
    default: row.is_default,
    number: row.number,
    telephone_extension: row.telephone_extension,
    metadata: row.metadata,
  }),
});

export const legalDocumentView = defineView<typeof LegalDocument.fields, LegalDocumentRow>({
  resource: LegalDocument,
  table: 'customer_legal_documents',
  transform: (row) => ({
    customer_id: printIdentifier('cust', row.customer_id),
    type: row.type,
    country: row.country,
    value: row.value,
    issued_at: row.issued_at === null ? null : printCalendarDate(calendarDate(row.issued_at)),
    metadata: row.metadata,
  }),
});
