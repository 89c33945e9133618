import { type TSchema, Type } from 'typebox';
import { endpoint, enveloped, holders } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  instant,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';

export const providerStates = ['healthy', 'degraded', 'down', 'unknown'] as const;
export type ProviderState = (typeof providerStates)[number];

export const healthPeriods = ['hour', 'day', 'week', 'month'] as const;
export type HealthPeriod = (typeof healthPeriods)[number];

function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const percent = () => Type.Number({ minimum: 0, maximum: 100 });
const nullablePercent = (description: string) => nullable(described(percent(), description));

const summary = {
  service_provider_id: text(),
  state: oneOf(
    providerStates,
    '`down`: the last two checks failed, or it did not accept the secret. `degraded`: a check failed in the last 15 minutes, or it responds slowly. `unknown`: it was not checked in the last five minutes, for example because it is switched off.',
  ),
  since: nullable(described(instant(), 'When the current state began.')),
  checked_at: nullable(described(instant(), 'When it was last checked.')),
  latency_ms: nullable(described(integer(), 'Duration of the last response.')),
  api_version: nullable(text()),
  problem: nullable(text(500, { description: 'The last error; null if the last check succeeded.' })),
  active: boolean(),
  draining: boolean(),
  running_meetings: nullable(
    described(
      integer(),
      'Meetings on the server at the last count, including those that Foyer did not create; null before the first count.',
    ),
  ),
  participants: nullable(
    described(
      integer(),
      'Participants in these meetings. Several people can enter with the same link, and each of them counts, unless the server has `maxUserConcurrentAccesses=1`.',
    ),
  ),
  counted_at: nullable(
    described(instant(), 'When they were last counted, which needs a server that returns its list of meetings.'),
  ),
  same_server: {
    ...listOf(text(), 1000),
    description:
      'Other service providers with the same address. Each of them shows the load of the whole server, and this load counts towards the limits of each. Totals over all providers count meetings and recordings once.',
  },
  capacity: object({
    max_meetings: nullable(integer()),
    max_participants: nullable(integer()),
    meetings_left: nullable(described(integer(), 'What is left until its limit; null if there is no limit.')),
    participants_left: nullable(described(integer(), 'What is left until its limit; null if there is no limit.')),
    takes_meetings: boolean(
      'Whether new meetings go to it: not while it is switched off, draining, full or down. A provider that is down is still tried if no other one takes the meeting.',
    ),
    share: nullable(
      described(
        percent(),
        'The share of new meetings in its pool that it gets at the moment, by weight. A `degraded` provider gets none while others take meetings. Null without a pool.',
      ),
    ),
  }),
};

export const ServiceProviderHealth = object({
  object: derived(oneOf(['ServiceProviderHealth'])),
  ...summary,
  availability: object({
    day: nullablePercent('Percentage of successful checks in the last 24 hours; null if there were none.'),
    week: nullablePercent('Percentage of successful checks in the last seven days.'),
  }),
  period: oneOf(healthPeriods),
  history: listOf(
    object({
      starts_at: instant(),
      ends_at: instant(),
      checks: integer(),
      failures: integer(),
      availability: nullablePercent('Percentage of successful checks.'),
      latency_ms: nullable(described(integer(), 'Mean duration of a response.')),
      latency_max_ms: nullable(integer()),
      running_meetings: nullable(described(integer(), 'The most at the same time.')),
      participants: nullable(described(integer(), 'The most at the same time.')),
    }),
  ),
});

export const ServiceProviderSummary = object({
  object: derived(oneOf(['ServiceProviderSummary'])),
  provider_name: text(),
  pool: nullable(text()),
  ...summary,
});

const tag = 'Service providers';

export const serviceProviderHealthEndpoints = {
  listServiceProviderHealth: endpoint({
    method: 'GET',
    path: '/service-providers/health',
    tag,
    summary: 'Read the health of all service providers',
    description:
      'One entry for each provider, ordered by name, without the history. Returns the results of the last checks and sends no request to a provider.',
    access: holders('read-service-providers'),
    answer: enveloped(
      object({
        object: derived(oneOf(['ServiceProvidersHealth'])),
        providers: listOf(ServiceProviderSummary, 100_000),
      }),
    ),
  }),
  readServiceProviderHealth: endpoint({
    method: 'GET',
    path: '/service-providers/:service_provider_id/health',
    tag,
    summary: 'Read the health of a service provider, with its history',
    description:
      'Every active provider is checked once a minute; other requests to it count as checks, too. The history has 12 entries of five minutes for `hour`, 48 of half an hour for `day`, 84 of two hours for `week` and 30 of a day for `month`; the last one is still running. This sends no request to the provider; `POST …/check` does.',
    access: holders('read-service-providers'),
    params: { service_provider_id: 'prov' },
    query: object({
      period: optional(oneOf(healthPeriods, 'The time that the history covers; `day` by default.')),
    }),
    answer: enveloped(ServiceProviderHealth),
  }),
};
