import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  listOf,
  map,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, many, one, resource, timestamps } from '../../conventions/resource.ts';

export const customerStatuses = ['active', 'inactive', 'suspended', 'terminated'] as const;

export const Customer = resource('customer', {
  readPermission: 'read-customers',
  fields: {
    ...identity('customer'),
    external_id: nullable(text(150, { freeText: true })),
    customer_key: text(150, { freeText: true }),
    customer_prefix: nullable(text()),
    status: oneOf(customerStatuses),
    effective_status: derived(oneOf(customerStatuses)),
    held_by_platform: boolean(
      'Whether an administrator set the current status, and it is not `active`. Users cannot change it then.',
    ),
    email: text(254, { freeText: true }),
    first_name: text(150, { freeText: true }),
    last_name: text(150, { freeText: true }),
    full_name: text(301),
    company_name: nullable(text(150, { freeText: true })),
    customer_type: oneOf(['business', 'personal']),
    is_reseller: boolean(),
    parent_customer_id: nullable(identifier('cust', 'The reseller to which the customer belongs.')),
    hostname: nullable(text(253)),
    subdomain: text(63),
    country: text(2),
    currency: text(3),
    locale: text(35),
    timezone: text(64),
    allowed_domains_origins: listOf(text(300)),
    allowed_domains_registration: listOf(text(253)),
    customer_settings: map({
      description:
        'The appearance of its rooms: `brand_name`, `logo_url`, `primary_color`, `support_url`, `hero_image`. Missing keys are inherited from the reseller above it, or from the settings of the platform. Other keys are stored unchanged.',
    }),
    customer_metadata: metadata(),
    ...timestamps(),
  },
  includes: {
    users: many('User'),
    owner: one('User'),
    accounts: many('Account'),
    subscriptions: many('ServicePackageSubscription'),
    rooms: many('Room'),
    parent: one('Customer'),
    sub_customers: many('Customer'),
    addresses: many('Address'),
    telephones: many('Telephone'),
    legal_documents: many('LegalDocument'),
  },
});

const tag = 'Customers';
const params = { customer_id: 'cust' } as const;
const required = {
  customer_type: oneOf(['business', 'personal']),
  first_name: text(150, { minLength: 1 }),
  last_name: text(150, { minLength: 1 }),
  email: text(254, { format: 'email' }),
  country: text(2, { format: 'country' }),
  currency: text(3, { format: 'currency' }),
};
const writable = {
  external_id: optional(nullable(text())),
  customer_prefix: optional(nullable(text(20))),
  company_name: optional(nullable(text())),
  is_reseller: optional(boolean('Whether it can have its own customers.')),
  hostname: optional(nullable(text(253, { format: 'host-name' }))),
  subdomain: optional(text(63, { format: 'host-label' })),
  locale: optional(text(35, { format: 'locale' })),
  timezone: optional(text(64, { format: 'time-zone' })),
  allowed_domains_origins: optional(nullable(listOf(text(300, { format: 'origin' })))),
  allowed_domains_registration: optional(nullable(listOf(text(253, { format: 'host-name' })))),
  customer_settings: optional(nullable(map())),
  customer_metadata: optional(nullable(metadata())),
};

const adminOnly = ['is_reseller', 'customer_prefix', 'hostname'];
const adminOrResellerOnly = [
  'customer_type',
  'status',
  'currency',
  'external_id',
  'subdomain',
  'allowed_domains_origins',
  'allowed_domains_registration',
  'customer_settings',
  'customer_metadata',
];

const customers = collection(Customer, { path: '/customers', tag, elementParams: params });

export const customerEndpoints = {
  listCustomers: endpoint({
    ...customers.list,
    summary: 'List customers',
    access: holders('read-customers', members('read-customer')),
  }),
  createCustomer: endpoint({
    ...customers.create,
    summary: 'Create a customer with its owner',
    description:
      'The user with this email becomes the owner. If there is no such user, one is created with the password. Customer and user are created together or not at all. Users of a reseller create customers below it, and can make an existing user the owner only if that user belongs to the reseller.',
    access: holders('create-customers', members('create-customer', 'customer', 'parent_customer_id')),
    adminOnly,
    body: object({
      ...required,
      parent_customer_id: optional(
        nullable(
          identifier('cust', 'The reseller to which the customer belongs; it never changes. Required for users.'),
        ),
      ),
      password: optional(text(512, { secret: true })),
      status: optional(oneOf(['active', 'inactive'])),
      ...writable,
    }),
  }),
  readCustomer: endpoint({
    ...customers.read,
    summary: 'Read a customer',
    access: holders('read-customers', members('read-customer', 'customer', 'customer_id')),
  }),
  updateCustomer: endpoint({
    ...customers.update,
    summary: 'Change a customer',
    access: holders('update-customers', members('update-customer', 'customer', 'customer_id')),
    adminOnly,
    adminOrResellerOnly,
    body: object({
      customer_type: optional(required.customer_type),
      first_name: optional(required.first_name),
      last_name: optional(required.last_name),
      email: optional(required.email),
      country: optional(required.country),
      currency: optional(required.currency),
      status: optional(oneOf(customerStatuses)),
      ...writable,
    }),
    immutable: object({ customer_key: optional(text()), parent_customer_id: optional(nullable(identifier('cust'))) }),
    errors: ['status-change-not-allowed', 'has-sub-customers', 'sold-by-platform', 'held-by-platform'],
  }),
  deleteCustomer: endpoint({
    ...customers.delete,
    summary: 'Delete a terminated customer with everything below it',
    access: holders('delete-customers', members('delete-customer', 'customer', 'customer_id')),
    errors: ['customer-not-terminated', 'has-sub-customers', 'sold-by-platform', 'held-by-platform'],
  }),
};
