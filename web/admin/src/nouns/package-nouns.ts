import { providerTypeNames } from '@foyer/contract/resources/providers/provider-types.ts';
import { IconPackage, IconReceipt, IconServer } from '@tabler/icons-react';
import { type FieldOf, type Noun, text } from '../../../kit/noun/noun.ts';
import { ServicePackage, ServiceProvider, Subscription } from './kinds.table.ts';
import type { ServicePackageRow, ServiceProviderRow, SubscriptionRow } from './rows.ts';

const trialHint =
  'Before: the first paid period begins after the trial. Within: it begins immediately and includes the trial.';

export const servicePackages: Noun<ServicePackageRow, FieldOf<'createServicePackage' | 'updateServicePackage'>> = {
  resource: ServicePackage,
  path: 'service-packages',
  singular: 'service package',
  plural: 'Service packages',
  summary: 'What you sell: a price, a billing period, features with limits, and providers.',
  emptyText: 'Create the first one. Subscriptions are based on packages.',
  icon: IconPackage,
  section: 'Catalogue',
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
    { title: 'Package', fields: ['name', 'service_type', 'short_description', 'description', 'status', 'tier'] },
    { title: 'Selling', fields: ['hidden', 'retired', 'has_stock', 'stock_qty'] },
    { title: 'Price', fields: ['price', 'currency', 'periodicity', 'periodicity_type', 'auto_renew', 'signup_fee'] },
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
    service_type: 'meet',
    status: 'active',
    currency: 'EUR',
    periodicity: 1,
    periodicity_type: 'month',
    trial_period: 0,
    trial_interval: 'day',
    grace_period: 0,
    grace_interval: 'day',
  },
  hiddenInChange: ['service_type'],
  hints: {
    service_type: 'What its rooms are for. It can’t be changed later.',
    hidden: 'Not offered to customers, but you can still sell it.',
    retired: 'No longer sold. Existing subscriptions continue.',
    has_stock: 'Limits how many can be sold.',
    tier: 'A move to a higher tier is an upgrade, to a lower one a downgrade.',
    signup_fee: 'Charged once, with the first period.',
    auto_renew: 'Subscriptions continue with another period when one ends, unless they are canceled.',
    trial_mode: trialHint,
  },
  deletion: 'A package that has subscriptions cannot be deleted; retire it instead.',
};

export const serviceProviders: Noun<ServiceProviderRow, FieldOf<'createServiceProvider' | 'updateServiceProvider'>> = {
  resource: ServiceProvider,
  path: 'service-providers',
  singular: 'service provider',
  plural: 'Service providers',
  summary: 'The meeting and media servers that your packages use.',
  emptyText: 'Connect the first one with its address and its shared secret.',
  icon: IconServer,
  section: 'Catalogue',
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
    { title: '', fields: ['provider_name', 'provider_type', 'service_type', 'properties', 'active'] },
    {
      title: 'Where new meetings go',
      fields: ['pool', 'tags', 'weight', 'max_meetings', 'max_participants', 'draining'],
      foldedAtCreation: true,
    },
  ],
  inputs: {
    provider_type: { kind: 'choice', choices: providerTypeNames },
  },
  rules: {
    shownWhen: { service_type: (values) => values['provider_type'] === 'foyer-media' },
    requiredWhen: { service_type: (values) => values['provider_type'] === 'foyer-media' },
  },
  hidden: ['settings'],
  hiddenInChange: ['service_type'],
  defaults: { provider_type: providerTypeNames[0], active: true },
  creationHints: {
    provider_type: 'The software of the server.',
    service_type: 'A media server is added once for each service that it delivers.',
  },
  deletion: 'A provider that a package or subscription uses cannot be deleted.',
};

export const subscriptions: Noun<SubscriptionRow, FieldOf<'createSubscription' | 'updateSubscription'>> = {
  resource: Subscription,
  path: 'subscriptions',
  singular: 'subscription',
  plural: 'Subscriptions',
  summary: 'Who has which package, until when, and how much is used.',
  emptyText: 'Sell a package to a customer. The subscription appears here with its end date.',
  icon: IconReceipt,
  section: 'Customers',
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
        { value: '80', label: 'Near a limit (80%)' },
        { value: '100', label: 'At a limit or over it' },
      ],
    },
  },
  groups: [
    { title: '', fields: ['subscriber_id', 'parent_subscription_id', 'package_id', 'name', 'description', 'status'] },
    { title: 'Custom values', fields: ['features'], foldedAtCreation: true },
    { title: 'Dates', fields: ['starts_at', 'ends_at', 'trial_ends_at'] },
    {
      title: 'Terms',
      fields: ['price', 'currency', 'periodicity', 'periodicity_type', 'auto_renew', 'grace_period', 'grace_interval'],
      foldedAtCreation: true,
    },
  ],
  inputs: {
    status: { kind: 'choice', choices: ['active', 'inactive', 'suspended', 'terminated'] },
  },
  hints: {
    auto_renew: 'It continues with another period when one ends, unless it is canceled.',
    trial_mode: trialHint,
    tier: 'A change to a package of a higher tier is an upgrade, to a lower one a downgrade.',
  },
  creationHints: { name: 'If empty, the name of the package and a generated tag.' },
  deletion: 'Only an inactive subscription can be deleted. Its accounts and rooms are deleted permanently.',
};
