import type { Static } from 'typebox';
import { created, empty, endpoint, enveloped, holders, list, single } from '../../conventions/endpoint.ts';
import {
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
import { acceptedTypeNames, aliasSentence, placementWord, providerTypeNames, serviceTypes } from './provider-types.ts';
import { identity, many, resource, timestamps } from '../../conventions/resource.ts';
import { serviceProviderHealthEndpoints } from './service-provider-health.ts';

/** Where new meetings go: a provider that is in a pool shares the work with the others of it. */
const placement = {
  pool: nullable(
    placementWord(
      'Providers of one pool stand in for each other: where a subscription has one of them, new meetings go to whichever has the least to do. Small letters, digits, `.`, `_`, `-`.',
      { freeText: true },
    ),
  ),
  tags: {
    ...listOf(placementWord(), 50),
    description:
      'What it offers or where it stands, as `eu` or `recording`. A subscription whose provider has `tags` in its `settings` is served only by those that bear all of them.',
  },
  weight: {
    ...integer(0, 1000),
    description:
      'Its share of the work of its pool: one with 200 takes twice as much as one with 100. 0 takes meetings only when no other can.',
  },
  draining: boolean('It takes no new meetings. Those that run go on, and people enter them.'),
  max_meetings: {
    ...nullable(integer(1)),
    description: 'No new meeting is opened on it while so many are open.',
  },
  max_participants: {
    ...nullable(integer(1)),
    description: 'No new meeting is opened on it while so many people are in, or on their way into, those on it.',
  },
};

const capabilities = object(
  {
    hooks: boolean('It can tell of what happens in meetings.'),
    send_chat_message: boolean('It takes messages for the chat of a meeting.'),
    text_tracks: boolean('It keeps subtitles of recordings.'),
    redirect_false: boolean('A join can be answered instead of redirected.'),
    recording_pagination: boolean('It gives recordings page by page.'),
    sha384: boolean('Requests can be signed with sha384.'),
    admin_api: boolean('It can be asked about the servers behind it.'),
    recording_sizes: boolean(
      'It reports how large recordings are. Without, `max_storage` counts only what `recording_kbps` estimates.',
    ),
  },
  { description: 'What its type can do.' },
);
export type ProviderCapabilities = Static<typeof capabilities>;

export const ServiceProvider = resource({
  object: 'ServiceProvider',
  prefix: 'prov',
  readPermission: 'read-service-providers',
  fields: {
    ...identity('ServiceProvider', 'prov'),
    provider_name: text(150, { freeText: true }),
    active: boolean('When false it cannot be used, even where packages or subscriptions have it.'),
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
const writable = {
  provider_name: text(150, { minLength: 1 }),
  active: boolean(),
  ...placement,
  properties: map(),
  settings: map(),
  metadata: nullable(metadata()),
};
const providerType = openChoice(acceptedTypeNames, `The kind of server. ${aliasSentence}`);

export const serviceProviderEndpoints = {
  ...serviceProviderHealthEndpoints,
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
      pool: optional(writable.pool),
      tags: optional(nullable(writable.tags)),
      weight: optional(writable.weight),
      draining: optional(writable.draining),
      max_meetings: optional(writable.max_meetings),
      max_participants: optional(writable.max_participants),
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
      pool: optional(writable.pool),
      tags: optional(nullable(writable.tags)),
      weight: optional(writable.weight),
      draining: optional(writable.draining),
      max_meetings: optional(writable.max_meetings),
      max_participants: optional(writable.max_participants),
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
    description: 'What it answers, or does not, counts as a check of its health.',
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
        clock_offset_seconds: {
          ...nullable(integer(-2_147_483_647)),
          description: 'How far its clock is ahead of ours, behind when negative; null when it does not say.',
        },
        problem: nullable(text()),
      }),
    ),
  }),
};
