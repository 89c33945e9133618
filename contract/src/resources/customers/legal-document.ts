import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import { day, identifier, metadata, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

export const legalDocumentTypes = ['eu_vat', 'br_cpf', 'br_cnpj', 'other'] as const;

/** A registration or tax number of a customer. */
export const LegalDocument = resource('legal_document', {
  readPermission: 'read-customers',
  fields: {
    ...identity('legal_document'),
    customer_id: identifier('cust'),
    type: oneOf(legalDocumentTypes),
    country: text(2),
    value: text(100, { freeText: true }),
    issued_at: nullable(day()),
    metadata: metadata(),
    ...timestamps(),
  },
  includes: { customer: one('Customer') },
});

const tag = 'Customers';
const params = { customer_id: 'cust' } as const;
const elementParams = { customer_id: 'cust', legal_document_id: 'doc' } as const;
const readers = members('read-customer', 'customer', 'customer_id');
const writers = members('update-customer', 'customer', 'customer_id');
const required = {
  type: oneOf(legalDocumentTypes),
  value: text(100, { minLength: 1 }),
};
const writable = {
  country: optional(
    text(2, {
      format: 'country',
      description:
        "ISO 3166-1 alpha-2. By default Brazil for Brazilian documents, otherwise the country in the number itself, otherwise the customer's.",
    }),
  ),
  issued_at: optional(nullable(day())),
  metadata: optional(nullable(metadata())),
};
const validationNote =
  'The format and the check digits are checked. `eu_vat` accepts VAT numbers of the European Union and the United Kingdom, printed with their prefix; `br_cpf` and `br_cnpj` (also with letters) are printed without punctuation; `other` is not checked.';

const customerLegalDocuments = collection(LegalDocument, {
  path: '/customers/:customer_id/legal-documents',
  tag,
  params,
  elementParams,
});

export const legalDocumentEndpoints = {
  listCustomerLegalDocuments: endpoint({
    ...customerLegalDocuments.list,
    summary: 'List the legal documents of a customer',
    access: holders('read-customers', readers),
  }),
  createCustomerLegalDocument: endpoint({
    ...customerLegalDocuments.create,
    summary: 'Add a legal document to a customer',
    description: `${validationNote} A customer can have each document once.`,
    access: holders('update-customers', writers),
    body: object({ ...required, ...writable }),
  }),
  readCustomerLegalDocument: endpoint({
    ...customerLegalDocuments.read,
    summary: 'Read a legal document of a customer',
    access: holders('read-customers', readers),
  }),
  updateCustomerLegalDocument: endpoint({
    ...customerLegalDocuments.update,
    summary: 'Change a legal document of a customer',
    description: validationNote,
    access: holders('update-customers', writers),
    body: object({ type: optional(required.type), value: optional(required.value), ...writable }),
    immutable: object({ customer_id: optional(identifier('cust')) }),
  }),
  deleteCustomerLegalDocument: endpoint({
    ...customerLegalDocuments.delete,
    summary: 'Delete a legal document of a customer',
    access: holders('update-customers', writers),
  }),
};
