import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, identifier, metadata, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

export const addressTypes = ['PostalAddress', 'BillingAddress'] as const;

/** A postal address of a customer. */
export const Address = resource('address', {
  readPermission: 'read-customers',
  fields: {
    ...identity('address'),
    customer_id: identifier('cust'),
    address_type: oneOf(addressTypes),
    default: boolean('One address of each type is the default.'),
    country: text(2),
    state: nullable(text(150, { freeText: true })),
    postal_code: nullable(text(20, { freeText: true })),
    city: text(150, { freeText: true }),
    address_line1: nullable(text(200, { freeText: true })),
    address_line2: nullable(text(200, { freeText: true })),
    po_box: nullable(text(50)),
    building_number: nullable(text(20)),
    complement: nullable(text(150)),
    metadata: metadata(),
    ...timestamps(),
  },
  includes: { customer: one('Customer') },
});

const tag = 'Customers';
const params = { customer_id: 'cust' } as const;
const elementParams = { customer_id: 'cust', address_id: 'addr' } as const;
const readers = members('read-customer', 'customer', 'customer_id');
const writers = members('update-customer', 'customer', 'customer_id');
const required = {
  address_type: oneOf(addressTypes),
  country: text(2, { format: 'country', description: 'ISO 3166-1 alpha-2.' }),
  city: text(150, { minLength: 1 }),
};
const writable = {
  default: optional(boolean('Replaces the current default of the type.')),
  state: optional(nullable(text(150))),
  postal_code: optional(nullable(text(20))),
  address_line1: optional(nullable(text(200))),
  address_line2: optional(nullable(text(200))),
  po_box: optional(nullable(text(50))),
  building_number: optional(nullable(text(20))),
  complement: optional(nullable(text(150))),
  metadata: optional(nullable(metadata())),
};

const customerAddresses = collection(Address, {
  path: '/customers/:customer_id/addresses',
  tag,
  params,
  elementParams,
});

export const addressEndpoints = {
  listCustomerAddresses: endpoint({
    ...customerAddresses.list,
    summary: 'List the addresses of a customer',
    access: holders('read-customers', readers),
  }),
  createCustomerAddress: endpoint({
    ...customerAddresses.create,
    summary: 'Add an address to a customer',
    description:
      'Needs `address_line1` or `po_box`. The first address of a type is its default; `default: true` replaces the current default.',
    access: holders('update-customers', writers),
    body: object({ ...required, ...writable }),
  }),
  readCustomerAddress: endpoint({
    ...customerAddresses.read,
    summary: 'Read an address of a customer',
    access: holders('read-customers', readers),
  }),
  updateCustomerAddress: endpoint({
    ...customerAddresses.update,
    summary: 'Change an address of a customer',
    description: 'To change the default of a type, make another address the default.',
    access: holders('update-customers', writers),
    body: object({
      address_type: optional(required.address_type),
      country: optional(required.country),
      city: optional(required.city),
      ...writable,
    }),
    immutable: object({ customer_id: optional(identifier('cust')) }),
    errors: ['default-required'],
  }),
  deleteCustomerAddress: endpoint({
    ...customerAddresses.delete,
    summary: 'Delete an address of a customer; the oldest remaining one of its type becomes the default',
    access: holders('update-customers', writers),
  }),
};
