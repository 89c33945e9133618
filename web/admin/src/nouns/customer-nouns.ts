import { IconBuildingStore, IconDoor, IconFolders, IconUsers } from '@tabler/icons-react';
import { timeZoneOf } from '../../../kit/format/choices.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { type FieldOf, type Noun, text, textOrNull } from '../../../kit/noun/noun.ts';
import { Account, Customer, Room, User } from './kinds.table.ts';
import type { AccountRow, CustomerRow, RoomRow, UserRow } from './rows.ts';

export const customers: Noun<CustomerRow, FieldOf<'createCustomer' | 'updateCustomer'>> = {
  resource: Customer,
  path: 'customers',
  singular: 'customer',
  plural: 'Customers',
  summary: 'The companies and people you sell to.',
  emptyText: 'Add the first one. Its owner can sign in immediately, and you can sell it a subscription.',
  icon: IconBuildingStore,
  section: 'Customers',
  param: 'customer_id',
  list: 'listCustomers',
  read: 'readCustomer',
  create: 'createCustomer',
  update: 'updateCustomer',
  remove: 'deleteCustomer',
  titleOf: (row) => textOrNull(row, 'company_name') ?? text(row, 'full_name'),
  detailOf: (row) => text(row, 'email'),
  columns: ['company_name', 'status', 'full_name', 'email', 'parent_customer_id', 'created_at'],
  heads: { company_name: 'Customer', full_name: 'Contact' },
  filters: ['status', 'customer_type', 'is_reseller', 'parent_customer_id'],
  groups: [
    { title: 'Who', fields: ['customer_type', 'company_name', 'first_name', 'last_name', 'email', 'password'] },
    { title: 'Where', fields: ['country', 'currency', 'locale', 'timezone'] },
    { title: 'Reselling', fields: ['is_reseller', 'parent_customer_id'] },
    { title: 'State', fields: ['status'], foldedAtCreation: true },
  ],
  defaults: { customer_type: 'business' },
  hiddenInChange: ['status'],
  rules: {
    requiredWhen: { company_name: (values) => values['customer_type'] !== 'personal' },
    requiredUnlessStored: ['password'],
    proposes: { country: (country) => ({ timezone: timeZoneOf(toText(country)) ?? undefined }) },
  },
  refusalLinks: { 'has-sub-customers': { tab: 'below', label: 'See the customers below it' } },
  hints: { is_reseller: 'Can have its own customers and resell parts of its subscriptions.' },
  creationHints: {
    password:
      'The owner signs in with it. Leave it empty only if a user with this email exists already: they become the owner and keep their password.',
    parent_customer_id: 'Only if a reseller manages this customer. It can’t be changed later.',
    locale: 'If empty, the platform’s language.',
    timezone: 'If empty, the platform’s time zone.',
  },
  deletion: 'Only a terminated customer can be deleted. Its subscriptions, accounts and rooms are deleted permanently.',
};

export const accounts: Noun<AccountRow, FieldOf<'createAccount' | 'updateAccount'>> = {
  resource: Account,
  path: 'accounts',
  singular: 'account',
  plural: 'Accounts',
  summary: 'The parts of a subscription, for example for teams, sites or brands.',
  emptyText: 'Rooms belong to accounts, so a subscription needs at least one.',
  icon: IconFolders,
  section: 'Customers',
  param: 'account_id',
  list: 'listAccounts',
  read: 'readAccount',
  create: 'createAccount',
  update: 'updateAccount',
  remove: 'deleteAccount',
  titleOf: (row) => text(row, 'account_name'),
  detailOf: (row) => {
    const customer = (row.customer as { data?: CustomerRow | null } | undefined)?.data;
    const parts = [customer ? customers.titleOf(customer) : null, textOrNull(row, 'code') ?? textOrNull(row, 'tag')];
    return parts.filter((part) => part !== null).join(' · ') || null;
  },
  columns: ['account_name', 'status', 'subscriber_id', 'subscription_id', 'created_at'],
  includes: ['customer'],
  hiddenInChange: ['status'],
  filters: ['status'],
  groups: [{ title: '', fields: ['account_name', 'subscription_id', 'status', 'tag', 'code'] }],
  hidden: ['subscriber_id'],
  defaults: { status: 'active' },
  deletion: 'Only an inactive account can be deleted. Its rooms are deleted permanently.',
};

export const rooms: Noun<RoomRow, FieldOf<'createRoom' | 'updateRoom'>> = {
  resource: Room,
  path: 'rooms',
  singular: 'room',
  plural: 'Rooms',
  summary: 'Where people meet or watch. Each room has its own address, tokens and access codes.',
  emptyText: 'Create the first one, then share its link.',
  icon: IconDoor,
  section: 'Rooms',
  param: 'room_id',
  list: 'listRooms',
  read: 'readRoom',
  create: 'createRoom',
  update: 'updateRoom',
  remove: 'deleteRoom',
  titleOf: (row) => text(row, 'room_name'),
  detailOf: (row) => text(row, 'slug'),
  columns: ['room_name', 'room_type', 'status', 'is_public', 'customer_id', 'account_id', 'created_at'],
  includes: ['customer'],
  filters: ['status', 'room_type'],
  groups: [{ title: '', fields: ['room_name', 'account_id', 'is_public', 'status', 'slug'] }],
  hidden: ['customer_id', 'subscription_id', 'room_type', 'room_settings', 'room_features'],
  defaults: { status: 'active' },
  hints: {
    is_public: 'Anyone with the address can join as a guest, without a token.',
    slug: 'The readable part of the address.',
  },
  creationHints: { slug: 'The readable part of the address. If empty, made from the name.' },
  deletion: 'Its tokens and access codes are deleted too, and its address stops working permanently.',
};

export const users: Noun<UserRow, FieldOf<'createUser' | 'updateUser'>> = {
  resource: User,
  path: 'users',
  singular: 'user',
  plural: 'Users',
  summary: 'The people of your customers.',
  emptyText: 'Owners of customers, invited people and people that you add appear here.',
  icon: IconUsers,
  section: 'Customers',
  param: 'user_id',
  list: 'listUsers',
  read: 'readUser',
  create: 'createUser',
  update: 'updateUser',
  remove: 'deleteUser',
  titleOf: (row) => text(row, 'full_name'),
  detailOf: (row) => text(row, 'email'),
  columns: ['full_name', 'email', 'status', 'has_email_verified', 'created_at'],
  filters: ['status'],
  groups: [
    { title: 'Person', fields: ['first_name', 'last_name', 'email'] },
    { title: 'Signing in', fields: ['password', 'status'] },
    { title: 'Language and time', fields: ['locale', 'timezone'], foldedAtCreation: true },
  ],
  defaults: { status: 'active' },
  hints: {
    email: 'A new email has to be verified again.',
    password: 'Leave it empty to keep the current one. A new password ends all sessions.',
  },
  creationHints: {
    email: 'Used to sign in.',
    password: 'Without a password they cannot sign in.',
  },
  passwordLink: 'createUserPasswordReset',
  deletion:
    'Memberships and tokens are deleted too. A user that owns a customer, an account or a room cannot be deleted.',
};
