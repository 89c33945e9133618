import { Type } from 'typebox';
import { created, empty, endpoint, holders, list, single } from '../../conventions/endpoint.ts';
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

export const servicePackageEndpoints = {
  listServicePackages: endpoint({
    method: 'GET',
    path: '/service-packages',
    tag,
    summary: 'List service packages',
    access: holders('read-service-packages'),
    answer: list(ServicePackage),
  }),
  createServicePackage: endpoint({
    method: 'POST',
    path: '/service-packages',
    tag,
    summary: 'Create a service package',
    access: holders('create-service-packages'),
    body: object({ name, service_type: optional(oneOf(serviceTypes)), ...optionalWritable }),
    answer: created(ServicePackage),
  }),
  readServicePackage: endpoint({
    method: 'GET',
    path: '/service-packages/:service_package_id',
    tag,
    summary: 'Read a service package',
    access: holders('read-service-packages'),
    params: packageParams,
    answer: single(ServicePackage),
  }),
  updateServicePackage: endpoint({
    method: 'PATCH',
    path: '/service-packages/:service_package_id',
    tag,
    summary: 'Change a service package',
    description: 'Existing subscriptions keep the terms with which they were sold.',
    access: holders('update-service-packages'),
    params: packageParams,
    body: object({ name: optional(name), ...optionalWritable }),
    immutable: object({ service_type: optional(oneOf(serviceTypes)) }),
    answer: single(ServicePackage),
  }),
  deleteServicePackage: endpoint({
    method: 'DELETE',
    path: '/service-packages/:service_package_id',
    tag,
    summary: 'Delete a service package',
    access: holders('delete-service-packages'),
    params: packageParams,
    answer: empty,
    errors: ['package-in-use'],
  }),
  listServicePackageFeatures: endpoint({
    method: 'GET',
    path: '/service-packages/:service_package_id/features',
    tag,
    summary: 'List the features of a service package',
    access: holders('read-service-packages'),
    params: packageParams,
    answer: list(ServicePackageFeature),
  }),
  createServicePackageFeature: endpoint({
    method: 'POST',
    path: '/service-packages/:service_package_id/features',
    tag,
    summary: 'Add a feature to a service package',
    description: 'The code is one of `GET /features`; `service_feature_code` is accepted instead of `tag`.',
    access: holders('manage-service-packages-features'),
    params: packageParams,
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
    answer: created(ServicePackageFeature),
  }),
  readServicePackageFeature: endpoint({
    method: 'GET',
    path: '/service-packages/:service_package_id/features/:feature_id',
    tag,
    summary: 'Read a feature of a service package',
    access: holders('read-service-packages'),
    params: featureParams,
    answer: single(ServicePackageFeature),
  }),
  updateServicePackageFeature: endpoint({
    method: 'PATCH',
    path: '/service-packages/:service_package_id/features/:feature_id',
    tag,
    summary: 'Change a feature of a service package',
    access: holders('manage-service-packages-features'),
    params: featureParams,
    body: object({
      value: optional(featureValue()),
      name: optional(featureWritable.name),
      description: optional(featureWritable.description),
      resettable_period: optional(featureWritable.resettable_period),
      resettable_interval: optional(featureWritable.resettable_interval),
      sort_order: optional(featureWritable.sort_order),
    }),
    immutable: object({ tag: optional(text()) }),
    answer: single(ServicePackageFeature),
  }),
  deleteServicePackageFeature: endpoint({
    method: 'DELETE',
    path: '/service-packages/:service_package_id/features/:feature_id',
    tag,
    summary: 'Remove a feature from a service package',
    access: holders('manage-service-packages-features'),
    params: featureParams,
    answer: empty,
  }),
  listServicePackageProviders: endpoint({
    method: 'GET',
    path: '/service-packages/:service_package_id/providers',
    tag,
    summary: 'List the providers of a service package',
    access: holders('read-service-packages'),
    params: packageParams,
    answer: list(ServicePackageProvider),
  }),
  createServicePackageProvider: endpoint({
    method: 'POST',
    path: '/service-packages/:service_package_id/providers',
    tag,
    summary: 'Attach a service provider to a service package',
    description: 'The first provider becomes the default. `default: true` replaces the current default.',
    access: holders('manage-service-packages-providers'),
    params: packageParams,
    body: object({
      service_provider_id: identifier('prov'),
      active: optional(boolean()),
      default: optional(boolean()),
      settings: optional(nullable(map())),
      metadata: optional(nullable(metadata())),
    }),
    answer: created(ServicePackageProvider),
    errors: ['already-exists'],
  }),
  readServicePackageProvider: endpoint({
    method: 'GET',
    path: '/service-packages/:service_package_id/providers/:provider_id',
    tag,
    summary: 'Read a provider of a service package',
    access: holders('read-service-packages'),
    params: providerParams,
    answer: single(ServicePackageProvider),
  }),
  updateServicePackageProvider: endpoint({
    method: 'PATCH',
    path: '/service-packages/:service_package_id/providers/:provider_id',
    tag,
    summary: 'Change a provider of a service package',
    access: holders('manage-service-packages-providers'),
    params: providerParams,
    body: object({
      active: optional(boolean()),
      default: optional(boolean()),
      settings: optional(nullable(map())),
      metadata: optional(nullable(metadata())),
    }),
    immutable: object({ service_provider_id: optional(identifier('prov')) }),
    answer: single(ServicePackageProvider),
    errors: ['default-provider-required'],
  }),
  deleteServicePackageProvider: endpoint({
    method: 'DELETE',
    path: '/service-packages/:service_package_id/providers/:provider_id',
    tag,
    summary: 'Detach a service provider from a service package',
    access: holders('manage-service-packages-providers'),
    params: providerParams,
    answer: empty,
    errors: ['provider-active-or-default', 'package-provider-in-use'],
  }),
};
