import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  customer: {
    object: 'Customer',
    prefix: 'cust',
    permissions: { customers: { read: [], create: [], update: [], delete: [] } },
    events: { ...crudEvents('customer'), owner_changed: 'A customer has another owner.' },
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
    events: { ...crudEvents('account', 'An'), owner_changed: 'An account has another owner.' },
  },
  account_user: { object: 'AccountUser', prefix: 'auser', events: crudEvents('membership in an account') },
} as const satisfies Nouns;

export const tags: Tags = {
  Customers: 'Who buys: businesses and persons, each with an owner and the users who act for it.',
  Accounts: 'Parts of a customer that use one subscription, such as branches or departments.',
};
