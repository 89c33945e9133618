import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  customer: {
    object: 'Customer',
    prefix: 'cust',
    permissions: { customers: { read: [], create: [], update: [], delete: [] } },
    events: { ...crudEvents('customer'), owner_changed: 'The owner of a customer was changed.' },
  },
  customer_user: { object: 'CustomerUser', prefix: 'cuser', events: crudEvents('membership in a customer') },
  address: { object: 'Address', prefix: 'addr', events: crudEvents('postal address of a customer') },
  telephone: { object: 'Telephone', prefix: 'tel', events: crudEvents('telephone number of a customer') },
  legal_document: { object: 'LegalDocument', prefix: 'doc', events: crudEvents('legal document of a customer') },
  account: {
    object: 'Account',
    prefix: 'acct',
    permissions: {
      accounts: {
        read: [],
        create: ['read-customers', 'read-subscriptions'],
        update: ['read-customers', 'read-subscriptions'],
        delete: ['read-customers', 'read-subscriptions'],
      },
    },
    events: { ...crudEvents('account', 'An'), owner_changed: 'The owner of an account was changed.' },
  },
  account_user: { object: 'AccountUser', prefix: 'auser', events: crudEvents('membership in an account') },
} as const satisfies Nouns;

export const tags: Tags = {
  Customers: 'Businesses and persons that subscribe to packages. Each has an owner and can have more users.',
  Accounts: 'Parts of a customer that use one subscription, such as branches or departments.',
};
