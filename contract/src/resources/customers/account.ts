import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import { identifier, map, metadata, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, many, one, resource, timestamps } from '../../conventions/resource.ts';

export const Account = resource('account', {
  readPermission: 'read-accounts',
  fields: {
    ...identity('account'),
    account_name: text(150, { freeText: true }),
    account_key: text(150, { freeText: true }),
    tag: nullable(text(150, { freeText: true })),
    code: nullable(text(150, { freeText: true })),
    subscriber_id: identifier('cust'),
    subscription_id: identifier('sub'),
    status: oneOf(['active', 'inactive']),
    account_settings: map(),
    account_metadata: metadata(),
    ...timestamps(),
  },
  includes: {
    customer: one('Customer'),
    subscription: one('ServicePackageSubscription'),
    users: many('User'),
    owner: one('User'),
    rooms: many('Room'),
  },
});

const tag = 'Accounts';
const params = { account_id: 'acct' } as const;
const writable = {
  tag: optional(nullable(text())),
  code: optional(nullable(text())),
  status: optional(oneOf(['active', 'inactive'])),
  account_metadata: optional(nullable(metadata())),
};

const accounts = collection(Account, { path: '/accounts', tag, elementParams: params });

export const accountEndpoints = {
  listAccounts: endpoint({
    ...accounts.list,
    summary: 'List accounts',
    access: holders('read-accounts', members('read-account')),
  }),
  createAccount: endpoint({
    ...accounts.create,
    summary: 'Create an account in a subscription',
    description: 'The account belongs to the customer of the subscription, and counts against `max_accounts`.',
    access: holders('create-accounts', members('create-account', 'subscription', 'subscription_id')),
    body: object({
      account_name: text(150, { minLength: 1 }),
      subscription_id: identifier('sub'),
      subscriber_id: optional(identifier('cust')),
      ...writable,
    }),
    errors: ['feature-limit-reached', 'feature-not-sold', 'subscription-not-usable', 'customer-not-active'],
  }),
  readAccount: endpoint({
    ...accounts.read,
    summary: 'Read an account',
    access: holders('read-accounts', members('read-account', 'account', 'account_id')),
  }),
  updateAccount: endpoint({
    ...accounts.update,
    summary: 'Change an account',
    access: holders('update-accounts', members('update-account', 'account', 'account_id')),
    body: object({ account_name: optional(text(150, { minLength: 1 })), ...writable }),
    immutable: object({
      account_key: optional(text()),
      subscriber_id: optional(identifier('cust')),
      subscription_id: optional(identifier('sub')),
    }),
    errors: ['customer-not-active'],
  }),
  deleteAccount: endpoint({
    ...accounts.delete,
    summary: 'Delete an inactive account with its rooms',
    access: holders('delete-accounts', members('delete-account', 'account', 'account_id')),
    errors: ['account-not-inactive', 'feature-not-sold'],
  }),
};
