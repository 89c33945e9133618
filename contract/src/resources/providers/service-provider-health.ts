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
const share = (description: string) => nullable(described(percent(), description));

const summary = {
  service_provider_id: text(),
  state: oneOf(
    providerStates,
    '`down`: the last two checks failed, or it did not accept the secret. `degraded`: one failed within a quarter of an hour, or it answers slowly. `unknown`: it was not checked in the last five minutes, as when it is switched off.',
  ),
  since: nullable(described(instant(), 'Since when it is so.')),
  checked_at: nullable(described(instant(), 'When it was asked last.')),
  latency_ms: nullable(described(integer(), 'How long the last answer took.')),
  api_version: nullable(text()),
  problem: nullable(text(500, { description: 'What went wrong last; null when all is well.' })),
  active: boolean(),
  draining: boolean(),
  running_meetings: nullable(
    described(integer(), 'Meetings on it when it was last counted, those of others among them; null before the first.'),
  ),
  participants: nullable(
    described(
      integer(),
      'Who was in them: every session counts. One entry link admits several people unless the server has `maxUserConcurrentAccesses=1`.',
    ),
  ),
  counted_at: nullable(
    described(instant(), 'When they were counted: one that is down, or gives no list, is not counted anew.'),
  ),
  same_server: {
    ...listOf(text(), 1000),
    description:
      'Other service providers with the same address. What is on the server is told by each of them, and takes up the room of each; meetings and recordings are counted once.',
  },
  capacity: object({
    max_meetings: nullable(integer()),
    max_participants: nullable(integer()),
    meetings_left: nullable(described(integer(), 'Until it is full; null when there is no limit.')),
    participants_left: nullable(described(integer(), 'Until it is full; null when there is no limit.')),
    takes_meetings: boolean(
      'Whether new meetings go to it now. Not while it is switched off, draining, full or down; one that is down is still tried when no other provider takes any.',
    ),
    share: nullable(
      described(
        percent(),
        'The part of the new meetings of its pool that goes to it, by weight, while all members are as they are: those that are `degraded` get none while others take some. Null for one that is in no pool.',
      ),
    ),
  }),
};

export const ServiceProviderHealth = object({
  object: derived(oneOf(['ServiceProviderHealth'])),
  ...summary,
  availability: object({
    day: share('Percent of the checks of the last 24 hours that it answered; null when there was none.'),
    week: share('The same of the last seven days.'),
  }),
  period: oneOf(healthPeriods),
  history: listOf(
    object({
      starts_at: instant(),
      ends_at: instant(),
      checks: integer(),
      failures: integer(),
      availability: share('Percent of the checks that it answered.'),
      latency_ms: nullable(described(integer(), 'The mean.')),
      latency_max_ms: nullable(integer()),
      running_meetings: nullable(described(integer(), 'The most at once.')),
      participants: nullable(described(integer(), 'The most at once.')),
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
    summary: 'Read how all service providers are',
    description:
      'One entry for each, by name, without the history. It returns the results of the last checks and sends no request to a provider.',
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
    summary: 'Read how a service provider is and was',
    description:
      'Every active provider is asked once a minute; what is asked anyway counts as such a check. The history has 12 entries of five minutes for `hour`, 48 of half an hour for `day`, 84 of two hours for `week`, 30 of a day for `month`; the last one is not over. Nobody is asked now: `POST …/check` does that.',
    access: holders('read-service-providers'),
    params: { service_provider_id: 'prov' },
    query: object({
      period: optional(oneOf(healthPeriods, 'What the history covers; `day` unless given.')),
    }),
    answer: enveloped(ServiceProviderHealth),
  }),
};
