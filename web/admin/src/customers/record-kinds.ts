import type { EndpointName } from '@foyer/contract';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
import { Address } from '@foyer/contract/resources/customers/address.ts';
import { LegalDocument } from '@foyer/contract/resources/customers/legal-document.ts';
import { Telephone } from '@foyer/contract/resources/customers/telephone.ts';
import { IconFileCertificate, IconMapPin, IconPhone } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { countryName } from '../../../kit/format/choices.ts';
import type { FormGroup } from '../../../kit/form/form-fields.ts';
import { formatDay } from '../../../kit/format/instants.ts';
import { type Row, text } from '../../../kit/noun/noun.ts';

/** The records of a customer; there may be several of each kind. */
export interface RecordKind {
  readonly resource: Resource;
  readonly singular: string;
  readonly title: string;
  readonly emptyText: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  readonly param: string;
  readonly list: EndpointName;
  readonly read: EndpointName;
  readonly create: EndpointName;
  readonly update: EndpointName;
  readonly remove: EndpointName;
  /** The member with the type, such as `address_type`. */
  readonly typeMember: string;
  /** Whether one record of each type is the default. */
  readonly hasDefault: boolean;
  readonly linesOf: (row: Row) => readonly string[];
  readonly groups: readonly FormGroup[];
  readonly hints: Readonly<Record<string, string>>;
  /** Labels that differ from the usual ones. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly defaultsFor: (customer: Row) => Readonly<Record<string, unknown>>;
}

const addresses: RecordKind = {
  resource: Address,
  singular: 'address',
  title: 'Addresses',
  emptyText: 'Postal and billing addresses.',
  icon: IconMapPin,
  param: 'address_id',
  list: 'listCustomerAddresses',
  read: 'readCustomerAddress',
  create: 'createCustomerAddress',
  update: 'updateCustomerAddress',
  remove: 'deleteCustomerAddress',
  typeMember: 'address_type',
  hasDefault: true,
  linesOf: (row) => [
    joinNonEmpty([text(row, 'address_line1'), text(row, 'building_number')], ' '),
    joinNonEmpty([text(row, 'address_line2'), text(row, 'complement')], ', '),
    text(row, 'po_box') && `PO box ${text(row, 'po_box')}`,
    joinNonEmpty([joinNonEmpty([text(row, 'postal_code'), text(row, 'city')], ' '), text(row, 'state')], ', '),
    countryName(text(row, 'country')),
  ],
  groups: [
    {
      title: '',
      fields: [
        'address_type',
        'country',
        'address_line1',
        'building_number',
        'address_line2',
        'postal_code',
        'city',
        'state',
        'po_box',
        'default',
      ],
    },
  ],
  hints: {
    address_line1: 'Required unless there is a PO box.',
    default: 'The first one of each kind is always the default.',
  },
  defaultsFor: (customer) => ({ address_type: 'PostalAddress', country: customer['country'] }),
};

const telephones: RecordKind = {
  resource: Telephone,
  singular: 'phone number',
  title: 'Phone numbers',
  emptyText: 'Phone numbers of the customer.',
  icon: IconPhone,
  param: 'telephone_id',
  list: 'listCustomerTelephones',
  read: 'readCustomerTelephone',
  create: 'createCustomerTelephone',
  update: 'updateCustomerTelephone',
  remove: 'deleteCustomerTelephone',
  typeMember: 'telephone_type',
  hasDefault: true,
  linesOf: (row) => [
    text(row, 'number') + (text(row, 'telephone_extension') && `, extension ${text(row, 'telephone_extension')}`),
  ],
  groups: [{ title: '', fields: ['telephone_type', 'telephone_extension', 'number', 'default'] }],
  hints: {
    number: 'With the country code, or as dialed in the customer’s country.',
    default: 'The first one of each kind is always the default.',
  },
  defaultsFor: () => ({ telephone_type: 'landline' }),
};

const legalDocuments: RecordKind = {
  resource: LegalDocument,
  singular: 'legal document',
  title: 'Legal documents',
  emptyText: 'VAT numbers, CPF, CNPJ. Check digits are verified.',
  icon: IconFileCertificate,
  param: 'legal_document_id',
  list: 'listCustomerLegalDocuments',
  read: 'readCustomerLegalDocument',
  create: 'createCustomerLegalDocument',
  update: 'updateCustomerLegalDocument',
  remove: 'deleteCustomerLegalDocument',
  typeMember: 'type',
  hasDefault: false,
  linesOf: (row) => [
    text(row, 'value'),
    joinNonEmpty(
      [countryName(text(row, 'country')), text(row, 'issued_at') && `issued ${formatDay(text(row, 'issued_at'))}`],
      ', ',
    ),
  ],
  groups: [{ title: '', fields: ['type', 'value', 'country', 'issued_at'] }],
  hints: { country: 'If empty, taken from the number or from the customer.' },
  labels: { type: 'Kind', value: 'Number' },
  defaultsFor: (customer) => ({ type: customer['country'] === 'BR' ? 'br_cnpj' : 'eu_vat' }),
};

export const recordKinds = { addresses, telephones, legalDocuments };

function joinNonEmpty(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}
