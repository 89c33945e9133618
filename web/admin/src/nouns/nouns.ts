import { providerTypeNames } from '@foyer/contract/resources/provider-types.ts';
import {
  IconBuildingStore,
  IconDoor,
  IconFolders,
  IconPackage,
  IconReceipt,
  IconServer,
  IconUsers,
} from '@tabler/icons-react';
import { indexNouns } from '../../../kit/noun/app.tsx';
import { timeZoneOf } from '../../../kit/format/choices.ts';
import { words } from '../../../kit/format/words.ts';
import { admins, auditEntries, oauthClients, roles } from './access-nouns.ts';
import { meetings, recordings } from './meeting-nouns.ts';
import { type AnyNoun, type FieldOf, type Noun, text, textOrNull } from '../../../kit/noun/noun.ts';
import { Account, Customer, Room, ServicePackage, ServiceProvider, Subscription, User } from './kinds.table.ts';
import type {
  AccountRow,
  CustomerRow,
  RoomRow,
  ServicePackageRow,
  ServiceProviderRow,
  SubscriptionRow,
  UserRow,
} from './rows.ts';

const trialHint =
  'Before: the first paid period begins once the trial is over. Within: it begins at once, and the trial is its beginning.';

const customers: Noun<CustomerRow, FieldOf<'createCustomer' | 'updateCustomer'>> = {
  resource: Customer,
  path: 'customers',
  singular: 'customer',
  plural: 'Customers',
  summary: 'The companies and people you sell to.',
  emptyText: 'Add the first one: its owner can log in at once, and you can sell it a subscription.',
  icon: IconBuildingStore,
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
    proposes: { country: (country) => ({ timezone: timeZoneOf(words(country)) ?? undefined }) },
  },
  refusalLinks: { 'has-sub-customers': { tab: 'below', label: 'See the customers below it' } },
  hints: { is_reseller: 'It may have customers of its own below it, and hand down of its subscriptions.' },
  creationHints: {
    password:
      'The owner signs in with it. Leave it empty only if a user with this email exists already: they become the owner and keep their password.',
    parent_customer_id: 'Only where it belongs to a reseller. It never changes.',
    locale: 'The platform’s when left empty.',
    timezone: 'The platform’s when left empty.',
  },
  deletion: 'Only a terminated customer can be deleted. Subscriptions, accounts and rooms go with it, for good.',
};

const servicePackages: Noun<ServicePackageRow, FieldOf<'createServicePackage' | 'updateServicePackage'>> = {
  resource: ServicePackage,
  path: 'service-packages',
  singular: 'service package',
  plural: 'Service packages',
  summary: 'What you sell: a price, a rhythm, features with limits, and the providers that deliver.',
  emptyText: 'Put the first one together. Subscriptions are made from it.',
  icon: IconPackage,
  param: 'service_package_id',
  list: 'listServicePackages',
  read: 'readServicePackage',
  create: 'createServicePackage',
  update: 'updateServicePackage',
  remove: 'deleteServicePackage',
  titleOf: (row) => text(row, 'name'),
  detailOf: (row) => text(row, 'tag'),
  columns: ['name', 'status', 'price', 'periodicity', 'tier', 'stock_qty', 'created_at'],
  includes: ['providers'],
  filters: ['status', 'hidden', 'retired'],
  groups: [
    { title: 'Package', fields: ['name', 'short_description', 'description', 'status', 'tier'] },
    { title: 'Selling', fields: ['hidden', 'retired', 'has_stock', 'stock_qty'] },
    { title: 'Price', fields: ['price', 'currency', 'periodicity', 'periodicity_type', 'signup_fee'] },
    { title: 'Trial', fields: ['trial_period', 'trial_interval', 'trial_mode'] },
    { title: 'Grace after the end', fields: ['grace_period', 'grace_interval'] },
  ],
  rules: {
    shownWhen: {
      stock_qty: (values) => values['has_stock'] === true,
      trial_mode: (values) => Number(values['trial_period'] ?? 0) > 0,
    },
    requiredWhen: { stock_qty: (values) => values['has_stock'] === true },
  },
  defaults: {
    status: 'active',
    currency: 'EUR',
    periodicity: 1,
    periodicity_type: 'month',
    trial_period: 0,
    trial_interval: 'day',
    grace_period: 0,
    grace_interval: 'day',
  },
  hidden: ['service_type'],
  hints: {
    hidden: 'Not shown where customers choose; you can sell it all the same.',
    retired: 'Not sold any more. Subscriptions that were sold go on.',
    has_stock: 'Only so many can be sold as are left.',
    tier: 'A move to a higher tier is an upgrade, to a lower one a downgrade.',
    signup_fee: 'Once, with the first period.',
    trial_mode: trialHint,
  },
  deletion: 'A package that has subscriptions cannot be deleted; retire it instead.',
};

const serviceProviders: Noun<ServiceProviderRow, FieldOf<'createServiceProvider' | 'updateServiceProvider'>> = {
  resource: ServiceProvider,
  path: 'service-providers',
  singular: 'service provider',
  plural: 'Service providers',
  summary: 'The meeting servers that stand behind your packages.',
  emptyText: 'Connect the first one with its address and its shared secret.',
  icon: IconServer,
  param: 'service_provider_id',
  list: 'listServiceProviders',
  read: 'readServiceProvider',
  create: 'createServiceProvider',
  update: 'updateServiceProvider',
  remove: 'deleteServiceProvider',
  titleOf: (row) => text(row, 'provider_name'),
  detailOf: (row) => text(row, 'provider_type'),
  columns: ['provider_name', 'active', 'pool', 'tags', 'weight', 'provider_type', 'updated_at'],
  heads: { active: 'State' },
  filters: ['provider_type'],
  groups: [
    { title: '', fields: ['provider_name', 'provider_type', 'properties', 'active'] },
    {
      title: 'Where new meetings go',
      fields: ['pool', 'tags', 'weight', 'max_meetings', 'max_participants', 'draining'],
      foldedAtCreation: true,
    },
  ],
  inputs: {
    provider_type: { kind: 'choice', choices: providerTypeNames },
  },
  hidden: ['settings', 'service_type'],
  defaults: { provider_type: providerTypeNames[0], active: true },
  creationHints: { provider_type: 'What is at the other end.' },
  deletion: 'A provider that a package or subscription uses cannot be deleted.',
};

const subscriptions: Noun<SubscriptionRow, FieldOf<'createSubscription' | 'updateSubscription'>> = {
  resource: Subscription,
  path: 'subscriptions',
  singular: 'subscription',
  plural: 'Subscriptions',
  summary: 'Which customer has which package, until when, and how much of it is used.',
  emptyText: 'Sell a package to a customer, and it shows here with the day on which it ends.',
  icon: IconReceipt,
  param: 'subscription_id',
  list: 'listSubscriptions',
  read: 'readSubscription',
  create: 'createSubscription',
  update: 'updateSubscription',
  remove: 'deleteSubscription',
  titleOf: (row) => text(row, 'name'),
  detailOf: (row) => text(row, 'tag'),
  columns: ['name', 'status', 'subscriber_id', 'package_id', 'ends_at', 'price'],
  includes: ['customer'],
  hiddenInChange: ['status'],
  filters: ['status'],
  parameters: {
    expiring_within: {
      label: 'Ends',
      choices: [
        { value: '0', label: 'Ends today' },
        { value: '7', label: 'Ends within 7 days' },
        { value: '30', label: 'Ends within 30 days' },
        { value: '90', label: 'Ends within 90 days' },
        { value: '365', label: 'Ends within a year' },
      ],
    },
    near_limit: {
      label: 'Limits',
      choices: [
        { value: '80', label: 'Near a limit (80 %)' },
        { value: '100', label: 'At a limit or over it' },
      ],
    },
  },
  groups: [
    { title: '', fields: ['subscriber_id', 'parent_subscription_id', 'package_id', 'name', 'description', 'status'] },
    { title: 'Other values than the package’s', fields: ['features'], foldedAtCreation: true },
    { title: 'Days', fields: ['starts_at', 'ends_at', 'trial_ends_at'] },
    {
      title: 'Terms',
      fields: ['price', 'currency', 'periodicity', 'periodicity_type', 'grace_period', 'grace_interval'],
      foldedAtCreation: true,
    },
  ],
  inputs: {
    status: { kind: 'choice', choices: ['active', 'inactive', 'suspended', 'terminated'] },
  },
  hints: { trial_mode: trialHint },
  creationHints: { name: 'Made from the package when left empty.' },
  deletion: 'Only an inactive subscription can be deleted. Its accounts and rooms go with it, for good.',
};

const accounts: Noun<AccountRow, FieldOf<'createAccount' | 'updateAccount'>> = {
  resource: Account,
  path: 'accounts',
  singular: 'account',
  plural: 'Accounts',
  summary: 'How a customer divides a subscription: by team, site or brand.',
  emptyText: 'Rooms are opened in an account: a subscription needs one at least.',
  icon: IconFolders,
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
  deletion: 'Only an inactive account can be deleted. Its rooms go with it, for good.',
};

const rooms: Noun<RoomRow, FieldOf<'createRoom' | 'updateRoom'>> = {
  resource: Room,
  path: 'rooms',
  singular: 'room',
  plural: 'Rooms',
  summary: 'Where people meet. Each has an address of its own, tokens and access codes.',
  emptyText: 'Create the first one, then share its link.',
  icon: IconDoor,
  param: 'room_id',
  list: 'listRooms',
  read: 'readRoom',
  create: 'createRoom',
  update: 'updateRoom',
  remove: 'deleteRoom',
  titleOf: (row) => text(row, 'room_name'),
  detailOf: (row) => text(row, 'slug'),
  columns: ['room_name', 'status', 'is_public', 'customer_id', 'account_id', 'created_at'],
  includes: ['customer'],
  filters: ['status', 'room_type'],
  groups: [{ title: '', fields: ['room_name', 'account_id', 'is_public', 'status', 'slug'] }],
  hidden: ['customer_id', 'subscription_id', 'room_type', 'room_settings', 'room_features'],
  defaults: { status: 'active' },
  hints: {
    is_public: 'Anyone with the address can join as a guest, without a token.',
    slug: 'The readable part of the address.',
  },
  creationHints: { slug: 'The readable part of the address; made from the name when left empty.' },
  deletion: 'Its tokens and access codes go with it, and its address leads nowhere, for good.',
};

const users: Noun<UserRow, FieldOf<'createUser' | 'updateUser'>> = {
  resource: User,
  path: 'users',
  singular: 'user',
  plural: 'Users',
  summary: 'The people of your customers.',
  emptyText: 'Owners show here with their customers; others come by invitation or are added.',
  icon: IconUsers,
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
    password: 'Leave it empty to keep it. A new one ends everything that they are logged in with.',
  },
  creationHints: {
    email: 'They log in with it.',
    password: 'Without one they cannot log in.',
  },
  passwordLink: 'createUserPasswordReset',
  deletion: 'Memberships and tokens go with it. A user that owns a customer, an account or a room cannot be deleted.',
};

export const nouns = {
  customers,
  subscriptions,
  accounts,
  rooms,
  meetings,
  recordings,
  users,
  servicePackages,
  serviceProviders,
  admins,
  roles,
  oauthClients,
  auditEntries,
};

export const nounIndex = indexNouns(Object.values(nouns));

export function nounAt(path: string): AnyNoun | null {
  return nounIndex.all.find((noun) => noun.path === path) ?? null;
}
