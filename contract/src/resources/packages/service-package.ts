import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, holders } from '../../conventions/endpoint.ts';
import {
  boolean,
  identifier,
  integer,
  longText,
  map,
  metadata,
  money,
  nullable,
  object,
  oneOf,
  openChoice,
  optional,
  text,
  tier,
} from '../../conventions/field.ts';
import { providerTypeNames, serviceTypes } from '../providers/provider-types.ts';
import { identity, many, one, resource, timestamps } from '../../conventions/resource.ts';

export const intervals = ['day', 'week', 'month', 'year'] as const;

/** The price and rhythm that a package sells and a subscription carries. */
export const terms = {
  price: money(),
  currency: text(3, { format: 'currency' }),
  periodicity: integer(1, 1000),
  periodicity_type: oneOf(intervals),
  trial_period: integer(0, 1000),
  trial_interval: oneOf(intervals),
  grace_period: integer(0, 1000),
  grace_interval: oneOf(intervals),
};

export const autoRenew = boolean(
  'Whether subscriptions renew automatically: by one period on the day after `ends_at`, unless they are canceled.',
);

export const trialMode = oneOf(
  ['outside', 'inside'],
  'Whether the first paid period begins after the trial (`outside`) or together with it.',
);

/** A feature's value as a caller may write it: a number, a flag, or text. */
export function featureValue() {
  return Type.Unsafe<string | number | boolean>({
    type: ['string', 'number', 'boolean'],
    maxLength: 255,
  });
}

export const ServicePackage = resource('service_package', {
  readPermission: 'read-service-packages',
  fields: {
    ...identity('service_package'),
    name: text(150, { freeText: true }),
    tag: text(150, { freeText: true }),
    description: nullable(longText({ freeText: true })),
    short_description: nullable(text(500, { freeText: true })),
    service_type: oneOf(serviceTypes),
    status: oneOf(['active', 'inactive']),
    hidden: boolean(),
    retired: boolean(),
    has_stock: boolean(),
    stock_qty: nullable(integer()),
    ...terms,
    signup_fee: money(),
    auto_renew: autoRenew,
    trial_mode: trialMode,
    tier: nullable(integer()),
    sort_order: nullable(integer()),
    package_settings: map(),
    package_metadata: metadata(),
    ...timestamps(),
  },
  includes: {
    features: many('ServicePackageFeature'),
    providers: many('ServicePackageProvider'),
    subscriptions: many('ServicePackageSubscription'),
  },
});

export const ServicePackageFeature = resource('service_package_feature', {
  readPermission: 'read-service-packages',
  fields: {
    ...identity('service_package_feature'),
    package_id: identifier('pkg'),
    tag: text(150, { freeText: true }),
    name: text(150, { freeText: true }),
    description: nullable(longText({ freeText: true })),
    value: text(255),
    resettable_period: integer(),
    resettable_interval: oneOf(intervals),
    sort_order: nullable(integer()),
    ...timestamps(),
  },
  includes: { package: one('ServicePackage') },
});

/** The members of a provider row, on a package and on a subscription. */
export const providerRow = {
  active: boolean(),
  default: boolean('One provider of each package and of each subscription is the default.'),
  service_provider_id: identifier('prov'),
  service_provider_name: text(150, { freeText: true }),
  service_provider_type: openChoice(providerTypeNames),
  package_id: identifier('pkg'),
  settings: map({ emptyAsArray: true }),
  metadata: metadata(),
};

export const ServicePackageProvider = resource('service_package_provider', {
  readPermission: 'read-service-packages',
  fields: { ...identity('service_package_provider'), ...providerRow, ...timestamps() },
  includes: { package: one('ServicePackage'), service_provider: one('ServiceProvider') },
});

const tag = 'Service packages';
const packageParams = { service_package_id: 'pkg' } as const;
const featureParams = { service_package_id: 'pkg', feature_id: 'pkgfeat' } as const;
const providerParams = { service_package_id: 'pkg', provider_id: 'pkgprov' } as const;

const writable = {
  tag: text(150, { minLength: 1 }),
  description: nullable(longText()),
  short_description: nullable(text(500)),
  status: oneOf(['active', 'inactive']),
  hidden: boolean(),
  retired: boolean(),
  has_stock: boolean(),
  stock_qty: nullable(integer()),
  ...terms,
  signup_fee: money(),
  auto_renew: autoRenew,
  trial_mode: trialMode,
  tier: nullable(tier()),
  sort_order: nullable(integer()),
  package_settings: nullable(map()),
  package_metadata: nullable(metadata()),
};
const optionalWritable = {
  tag: optional(writable.tag),
  description: optional(writable.description),
  short_description: optional(writable.short_description),
  status: optional(writable.status),
  hidden: optional(writable.hidden),
  retired: optional(writable.retired),
  has_stock: optional(writable.has_stock),
  stock_qty: optional(writable.stock_qty),
  price: optional(writable.price),
  currency: optional(writable.currency),
  periodicity: optional(writable.periodicity),
  periodicity_type: optional(writable.periodicity_type),
  trial_period: optional(writable.trial_period),
  trial_interval: optional(writable.trial_interval),
  grace_period: optional(writable.grace_period),
  grace_interval: optional(writable.grace_interval),
  signup_fee: optional(writable.signup_fee),
  auto_renew: optional(writable.auto_renew),
  trial_mode: optional(writable.trial_mode),
  tier: optional(writable.tier),
  sort_order: optional(writable.sort_order),
  package_settings: optional(writable.package_settings),
  package_metadata: optional(writable.package_metadata),
};
const name = text(150, { minLength: 1 });

export const featureWritable = {
  name: text(150, { minLength: 1 }),
  description: nullable(longText()),
  resettable_period: integer(0, 1000),
  resettable_interval: nullable(oneOf(intervals, 'Null means `month`.')),
  sort_order: nullable(integer()),
};

const servicePackages = collection(ServicePackage, { path: '/service-packages', tag, elementParams: packageParams });
const servicePackageFeatures = collection(ServicePackageFeature, {
  path: '/service-packages/:service_package_id/features',
  tag,
  params: packageParams,
  elementParams: featureParams,
});
const servicePackageProviders = collection(ServicePackageProvider, {
  path: '/service-packages/:service_package_id/providers',
  tag,
  params: packageParams,
  elementParams: providerParams,
});

export const servicePackageEndpoints = {
  listServicePackages: endpoint({
    ...servicePackages.list,
    summary: 'List service packages',
    access: holders('read-service-packages'),
  }),
  createServicePackage: endpoint({
    ...servicePackages.create,
    summary: 'Create a service package',
    access: holders('create-service-packages'),
    body: object({ name, service_type: optional(oneOf(serviceTypes)), ...optionalWritable }),
  }),
  readServicePackage: endpoint({
    ...servicePackages.read,
    summary: 'Read a service package',
    access: holders('read-service-packages'),
  }),
  updateServicePackage: endpoint({
    ...servicePackages.update,
    summary: 'Change a service package',
    description: 'Existing subscriptions keep the terms with which they were sold.',
    access: holders('update-service-packages'),
    body: object({ name: optional(name), ...optionalWritable }),
    immutable: object({ service_type: optional(oneOf(serviceTypes)) }),
  }),
  deleteServicePackage: endpoint({
    ...servicePackages.delete,
    summary: 'Delete a service package',
    access: holders('delete-service-packages'),
    errors: ['package-in-use'],
  }),
  listServicePackageFeatures: endpoint({
    ...servicePackageFeatures.list,
    summary: 'List the features of a service package',
    access: holders('read-service-packages'),
  }),
  createServicePackageFeature: endpoint({
    ...servicePackageFeatures.create,
    summary: 'Add a feature to a service package',
    description: 'The code is one of `GET /features`; `service_feature_code` is accepted instead of `tag`.',
    access: holders('manage-service-packages-features'),
    body: object({
      tag: optional(text(150, { minLength: 1 })),
      service_feature_code: optional(text(150, { minLength: 1 })),
      value: featureValue(),
      name: optional(featureWritable.name),
      description: optional(featureWritable.description),
      resettable_period: optional(featureWritable.resettable_period),
      resettable_interval: optional(featureWritable.resettable_interval),
      sort_order: optional(featureWritable.sort_order),
    }),
  }),
  readServicePackageFeature: endpoint({
    ...servicePackageFeatures.read,
    summary: 'Read a feature of a service package',
    access: holders('read-service-packages'),
  }),
  updateServicePackageFeature: endpoint({
    ...servicePackageFeatures.update,
    summary: 'Change a feature of a service package',
    access: holders('manage-service-packages-features'),
    body: object({
      value: optional(featureValue()),
      name: optional(featureWritable.name),
      description: optional(featureWritable.description),
      resettable_period: optional(featureWritable.resettable_period),
      resettable_interval: optional(featureWritable.resettable_interval),
      sort_order: optional(featureWritable.sort_order),
    }),
    immutable: object({ tag: optional(text()) }),
  }),
  deleteServicePackageFeature: endpoint({
    ...servicePackageFeatures.delete,
    summary: 'Remove a feature from a service package',
    access: holders('manage-service-packages-features'),
  }),
  listServicePackageProviders: endpoint({
    ...servicePackageProviders.list,
    summary: 'List the providers of a service package',
    access: holders('read-service-packages'),
  }),
  createServicePackageProvider: endpoint({
    ...servicePackageProviders.create,
    summary: 'Attach a service provider to a service package',
    description: 'The first provider becomes the default. `default: true` replaces the current default.',
    access: holders('manage-service-packages-providers'),
    body: object({
      service_provider_id: identifier('prov'),
      active: optional(boolean()),
      default: optional(boolean()),
      settings: optional(nullable(map())),
      metadata: optional(nullable(metadata())),
    }),
    errors: ['already-exists'],
  }),
  readServicePackageProvider: endpoint({
    ...servicePackageProviders.read,
    summary: 'Read a provider of a service package',
    access: holders('read-service-packages'),
  }),
  updateServicePackageProvider: endpoint({
    ...servicePackageProviders.update,
    summary: 'Change a provider of a service package',
    access: holders('manage-service-packages-providers'),
    body: object({
      active: optional(boolean()),
      default: optional(boolean()),
      settings: optional(nullable(map())),
      metadata: optional(nullable(metadata())),
    }),
    immutable: object({ service_provider_id: optional(identifier('prov')) }),
    errors: ['default-provider-required'],
  }),
  deleteServicePackageProvider: endpoint({
    ...servicePackageProviders.delete,
    summary: 'Detach a service provider from a service package',
    access: holders('manage-service-packages-providers'),
    errors: ['provider-active-or-default', 'package-provider-in-use'],
  }),
};
