import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, identifier, metadata, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

export const telephoneTypes = ['landline', 'mobile'] as const;

export const Telephone = resource('telephone', {
  readPermission: 'read-customers',
  fields: {
    ...identity('telephone'),
    customer_id: identifier('cust'),
    telephone_type: oneOf(telephoneTypes),
    default: boolean('One telephone of each type is the default.'),
    number: text(16, { freeText: true, description: 'E.164: a plus sign, the country code and the number.' }),
    telephone_extension: nullable(text(15)),
    metadata: metadata(),
    ...timestamps(),
  },
  includes: { customer: one('Customer') },
});

const tag = 'Customers';
const params = { customer_id: 'cust' } as const;
const elementParams = { customer_id: 'cust', telephone_id: 'tel' } as const;
const readers = members('read-customer', 'customer', 'customer_id');
const writers = members('update-customer', 'customer', 'customer_id');
const required = {
  telephone_type: oneOf(telephoneTypes),
  number: text(50, {
    minLength: 1,
    description: "With its country code, or as dialled in the customer's country; returned as E.164.",
  }),
};
const writable = {
  default: optional(boolean('Replaces the current default of the type.')),
  telephone_extension: optional(nullable(text(15, { pattern: '^[0-9]+$', description: 'Digits.' }))),
  metadata: optional(nullable(metadata())),
};

const customerTelephones = collection(Telephone, {
  path: '/customers/:customer_id/telephones',
  tag,
  params,
  elementParams,
});

export const telephoneEndpoints = {
  listCustomerTelephones: endpoint({
    ...customerTelephones.list,
    summary: 'List the telephones of a customer',
    access: holders('read-customers', readers),
  }),
  createCustomerTelephone: endpoint({
    ...customerTelephones.create,
    summary: 'Add a telephone to a customer',
    description:
      'The number must exist in the numbering plan of its country. The first telephone of a type is its default; `default: true` replaces the current default.',
    access: holders('update-customers', writers),
    body: object({ ...required, ...writable }),
  }),
  readCustomerTelephone: endpoint({
    ...customerTelephones.read,
    summary: 'Read a telephone of a customer',
    access: holders('read-customers', readers),
  }),
  updateCustomerTelephone: endpoint({
    ...customerTelephones.update,
    summary: 'Change a telephone of a customer',
    description: 'To change the default of a type, make another telephone the default.',
    access: holders('update-customers', writers),
    body: object({
      telephone_type: optional(required.telephone_type),
      number: optional(required.number),
      ...writable,
    }),
    immutable: object({ customer_id: optional(identifier('cust')) }),
    errors: ['default-required'],
  }),
  deleteCustomerTelephone: endpoint({
    ...customerTelephones.delete,
    summary: 'Delete a telephone of a customer; the oldest remaining one of its type becomes the default',
    access: holders('update-customers', writers),
  }),
};
