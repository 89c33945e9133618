import type { Static } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, enveloped, holders } from '../../conventions/endpoint.ts';
import {
  allOptional,
  boolean,
  derived,
  integer,
  listOf,
  map,
  metadata,
  nullable,
  object,
  oneOf,
  openChoice,
  optional,
  text,
} from '../../conventions/field.ts';
import { acceptedTypeNames, aliasSentence, placementName, providerTypeNames, serviceTypes } from './provider-types.ts';
import { identity, many, resource, timestamps } from '../../conventions/resource.ts';
import { serviceProviderHealthEndpoints } from './service-provider-health.ts';

/** Placement of new meetings: providers in the same pool share the load. */
const placement = {
  pool: nullable(
    placementName(
      'Providers in the same pool can replace each other: if a subscription has one of them, new meetings go to the provider of the pool with the least load. Lower-case letters, digits, `.`, `_`, `-`.',
      { freeText: true },
    ),
  ),
  tags: {
    ...listOf(placementName(), 50),
    description:
      'Features or a location, such as `eu` or `recording`. If a subscription requires `tags` in its settings for a provider, only members of the pool with all of these tags get its meetings.',
  },
  weight: {
    ...integer(0, 1000),
    description:
      'Its share of the load of its pool: a provider with 200 gets twice as much as one with 100. With 0 it is a reserve: it comes last among the providers in the same state. A healthy reserve comes before `degraded` providers.',
  },
  draining: boolean('Whether it takes no new meetings. Running meetings continue, and people can still join them.'),
  max_meetings: {
    ...nullable(integer(1)),
    description: 'Once this many meetings are open on the provider, it takes no new ones.',
  },
  max_participants: {
    ...nullable(integer(1)),
    description:
      'Once the provider has this many participants, including those who are joining, it takes no new meetings.',
  },
};

const capabilities = object(
  {
    hooks: boolean('Reports what happens in meetings.'),
    send_chat_message: boolean('Accepts messages for the chat of a meeting.'),
    text_tracks: boolean('Stores subtitles of recordings.'),
    redirect_false: boolean('Can return the join address instead of redirecting.'),
    recording_pagination: boolean('Lists recordings page by page.'),
    sha384: boolean('Accepts requests signed with sha384.'),
    admin_api: boolean('Reports the servers behind it.'),
    recording_sizes: boolean(
      'Reports the size of recordings. Without it, `max_storage` counts only the estimate from `recording_kbps`.',
    ),
  },
  { description: 'The functions that the provider type supports.' },
);
export type ProviderCapabilities = Static<typeof capabilities>;

export const ServiceProvider = resource('service_provider', {
  readPermission: 'read-service-providers',
  fields: {
    ...identity('service_provider'),
    provider_name: text(150, { freeText: true }),
    active: boolean(
      'If false, the provider cannot be used, even by packages and subscriptions that it is attached to.',
    ),
    provider_type: openChoice(providerTypeNames),
    service_type: oneOf(serviceTypes),
    properties: map(),
    ...placement,
    capabilities: derived(capabilities),
    settings: map({ emptyAsArray: true }),
    metadata: metadata(),
    ...timestamps(),
  },
  includes: { packages: many('ServicePackage'), subscriptions: many('ServicePackageSubscription') },
});

const tag = 'Service providers';
const params = { service_provider_id: 'prov' } as const;
const required = { provider_name: text(150, { minLength: 1 }), properties: map() };
const writable = allOptional({
  active: boolean(),
  ...placement,
  tags: nullable(placement.tags),
  metadata: nullable(metadata()),
});
const providerType = openChoice(acceptedTypeNames, `The kind of server. ${aliasSentence}`);

const serviceProviders = collection(ServiceProvider, { path: '/service-providers', tag, elementParams: params });

export const serviceProviderEndpoints = {
  ...serviceProviderHealthEndpoints,
  listServiceProviders: endpoint({
    ...serviceProviders.list,
    summary: 'List service providers',
    access: holders('read-service-providers'),
  }),
  createServiceProvider: endpoint({
    ...serviceProviders.create,
    summary: 'Add a service provider',
    description: 'Secret properties are encrypted at rest and printed as `********`.',
    access: holders('create-service-providers'),
    body: object({
      ...required,
      provider_type: providerType,
      service_type: optional(oneOf(serviceTypes)),
      ...writable,
      settings: optional(map()),
    }),
  }),
  readServiceProvider: endpoint({
    ...serviceProviders.read,
    summary: 'Read a service provider',
    access: holders('read-service-providers'),
  }),
  updateServiceProvider: endpoint({
    ...serviceProviders.update,
    summary: 'Change a service provider',
    description:
      'Properties that you leave out stay unchanged; writing the mask `********` back keeps the stored secret.',
    access: holders('update-service-providers'),
    body: object({
      ...allOptional(required),
      ...writable,
      settings: optional(nullable(map())),
    }),
    immutable: object({
      provider_type: optional(providerType),
      service_type: optional(oneOf(serviceTypes)),
    }),
    errors: ['provider-is-default'],
  }),
  deleteServiceProvider: endpoint({
    ...serviceProviders.delete,
    summary: 'Delete a service provider',
    access: holders('delete-service-providers'),
    errors: ['provider-in-use'],
  }),
  checkServiceProvider: endpoint({
    method: 'POST',
    path: '/service-providers/:service_provider_id/check',
    tag,
    summary: 'Check whether a service provider responds and accepts the secret',
    description: 'The result counts as a health check.',
    access: holders('read-service-providers'),
    params,
    asksProvider: true,
    answer: enveloped(
      object({
        object: derived(oneOf(['ServiceProviderCheck'])),
        service_provider_id: text(),
        reachable: boolean(),
        api_version: nullable(text()),
        secret_accepted: nullable(boolean('Null if the provider did not respond.')),
        latency_ms: nullable(integer()),
        clock_offset_seconds: {
          ...nullable(integer(-2_147_483_647)),
          description:
            'Seconds by which the clock of the provider is ahead of the platform’s, or behind if negative; null if the provider does not report the time.',
        },
        problem: nullable(text()),
      }),
    ),
  }),
};
