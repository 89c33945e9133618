import { collection } from '../../conventions/collection.ts';
import { endpoint, holders } from '../../conventions/endpoint.ts';
import {
  allOptional,
  boolean,
  identifier,
  map,
  metadata,
  nullable,
  object,
  openChoice,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { providerTypeNames } from '../providers/provider-types.ts';

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
const params = { service_package_id: 'pkg' } as const;
const providerParams = { service_package_id: 'pkg', provider_id: 'pkgprov' } as const;

/** The writable members of a provider of a package or subscription. */
export const providerWritable = allOptional({
  active: boolean(),
  default: boolean(),
  settings: nullable(map()),
  metadata: nullable(metadata()),
});

const servicePackageProviders = collection(ServicePackageProvider, {
  path: '/service-packages/:service_package_id/providers',
  tag,
  params,
  elementParams: providerParams,
});

export const servicePackageProviderEndpoints = {
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
      ...providerWritable,
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
    body: object(providerWritable),
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
