import { collection } from '../../conventions/collection.ts';
import { endpoint, holders } from '../../conventions/endpoint.ts';
import {
  boolean,
  integer,
  longText,
  map,
  metadata,
  money,
  nullable,
  object,
  oneOf,
  allOptional,
  optional,
  text,
  tier,
} from '../../conventions/field.ts';
import { serviceTypes } from '../providers/provider-types.ts';
import { identity, many, resource, timestamps } from '../../conventions/resource.ts';
import { autoRenew, terms, trialMode } from './terms.ts';

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

const tag = 'Service packages';
const packageParams = { service_package_id: 'pkg' } as const;

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
const name = text(150, { minLength: 1 });

const servicePackages = collection(ServicePackage, { path: '/service-packages', tag, elementParams: packageParams });
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
    body: object({ name, service_type: optional(oneOf(serviceTypes)), ...allOptional(writable) }),
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
    body: object({ name: optional(name), ...allOptional(writable) }),
    immutable: object({ service_type: optional(oneOf(serviceTypes)) }),
  }),
  deleteServicePackage: endpoint({
    ...servicePackages.delete,
    summary: 'Delete a service package',
    access: holders('delete-service-packages'),
    errors: ['package-in-use'],
  }),
};
