import { created, empty, endpoint, enveloped, holders, list, single } from './endpoint.ts';
import { boolean, derived, integer, map, metadata, nullable, object, oneOf, optional, text } from './field.ts';
import { providerTypeNames, serviceTypes } from './provider-types.ts';
import { identity, many, resource, timestamps } from './resource.ts';

export const ServiceProvider = resource({
  object: 'ServiceProvider',
  prefix: 'prov',
  readPermission: 'read-service-providers',
  fields: {
    ...identity('ServiceProvider', 'prov'),
    provider_name: text(150, { freeText: true }),
    active: boolean('When false it cannot be used, even where packages or subscriptions have it.'),
    provider_type: oneOf(providerTypeNames),
    service_type: oneOf(serviceTypes),
    properties: map(),
    settings: map({ emptyAsArray: true }),
    metadata: metadata(),
    ...timestamps(),
  },
  includes: { packages: many('ServicePackage'), subscriptions: many('ServicePackageSubscription') },
});

const tag = 'Service providers';
const params = { service_provider_id: 'prov' } as const;
const writable = {
  provider_name: text(150, { minLength: 1 }),
  active: boolean(),
  properties: map(),
  settings: map(),
  metadata: nullable(metadata()),
};
const providerType = oneOf(
  [...providerTypeNames, 'bbb'],
  'What is at the other end; `bbb` is taken for `bigbluebutton`.',
);

export const serviceProviderEndpoints = {
  listServiceProviders: endpoint({
    method: 'GET',
    path: '/service-providers',
    tag,
    summary: 'List service providers',
    access: holders('read-service-providers'),
    answer: list(ServiceProvider),
  }),
  createServiceProvider: endpoint({
    method: 'POST',
    path: '/service-providers',
    tag,
    summary: 'Add a service provider',
    description: 'Secrets among the properties are encrypted at rest and printed as `********`.',
    access: holders('create-service-providers'),
    body: object({
      provider_name: writable.provider_name,
      provider_type: providerType,
      service_type: optional(oneOf(serviceTypes)),
      active: optional(writable.active),
      properties: writable.properties,
      settings: optional(writable.settings),
      metadata: optional(writable.metadata),
    }),
    answer: created(ServiceProvider),
  }),
  readServiceProvider: endpoint({
    method: 'GET',
    path: '/service-providers/:service_provider_id',
    tag,
    summary: 'Read a service provider',
    access: holders('read-service-providers'),
    params,
    answer: single(ServiceProvider),
  }),
  updateServiceProvider: endpoint({
    method: 'PATCH',
    path: '/service-providers/:service_provider_id',
    tag,
    summary: 'Change a service provider',
    description: 'Properties that are not named stay; writing the mask `********` back leaves the stored secret.',
    access: holders('update-service-providers'),
    params,
    body: object({
      provider_name: optional(writable.provider_name),
      active: optional(writable.active),
      properties: optional(writable.properties),
      settings: optional(nullable(writable.settings)),
      metadata: optional(writable.metadata),
    }),
    immutable: object({
      provider_type: optional(providerType),
      service_type: optional(oneOf(serviceTypes)),
    }),
    answer: single(ServiceProvider),
    errors: ['provider-is-default'],
  }),
  deleteServiceProvider: endpoint({
    method: 'DELETE',
    path: '/service-providers/:service_provider_id',
    tag,
    summary: 'Delete a service provider',
    access: holders('delete-service-providers'),
    params,
    answer: empty,
    errors: ['provider-in-use'],
  }),
  checkServiceProvider: endpoint({
    method: 'POST',
    path: '/service-providers/:service_provider_id/check',
    tag,
    summary: 'Ask a service provider whether it answers and accepts the secret',
    access: holders('read-service-providers'),
    params,
    asksProvider: true,
    answer: enveloped(
      object({
        object: derived(oneOf(['ServiceProviderCheck'])),
        service_provider_id: text(),
        reachable: boolean(),
        api_version: nullable(text()),
        secret_accepted: nullable(boolean('null when the provider could not be asked.')),
        latency_ms: nullable(integer()),
        problem: nullable(text()),
      }),
    ),
  }),
};
