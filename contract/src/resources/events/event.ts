import type { TProperties } from 'typebox';
import { authenticated, endpoint, holders, list, members, single } from '../../conventions/endpoint.ts';
import {
  anyIdentifier,
  derived,
  identifier,
  instant,
  integer,
  map,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, resource } from '../../conventions/resource.ts';
import { actorTypes } from './audit.ts';

const actor = derived(
  object(
    {
      type: oneOf(actorTypes, '`visitor` is a caller without a token, `system` the platform itself.'),
      id: nullable(anyIdentifier()),
      name: nullable(text(320)),
    },
    { description: 'The actor that caused the event.' },
  ),
);

export const Event = resource('event', {
  readPermission: 'read-events',
  fields: {
    ...identity('event'),
    name: text(150, { freeText: true, description: 'What happened, such as `room.created`.' }),
    resource_type: text(150, { description: 'The `object` of the resource.' }),
    resource_id: anyIdentifier('The resource that the event is about.'),
    sequence: {
      ...integer(1, Number.MAX_SAFE_INTEGER),
      description: 'The events of each resource are numbered from 1, without gaps.',
    },
    customer_id: nullable(identifier('cust', 'The customer that the event concerns.')),
    actor,
    data: {
      ...map(),
      description:
        'The resource as the API returned it at that moment, with credentials masked; for a deleted resource, its last state. Some events have more members, such as the limit that was reached.',
    },
    previous: {
      ...nullable(map()),
      description: 'The previous values of the members that changed; null for a new resource.',
    },
    occurred_at: instant(),
  } satisfies TProperties,
  includes: {},
});

export const EventType = resource('event_type', {
  readPermission: null,
  fields: {
    object: derived(oneOf(['EventType'])),
    name: text(150, { freeText: true, description: 'The name of the event, such as `room.created`.' }),
    description: text(32_768, { freeText: true }),
    example: { ...derived(map()), description: 'An event with this name, as the API returns it.' },
  },
  includes: {},
});

const tag = 'Events';
const userAccessNote =
  'Users see the events of their customers and of the customers below, as far as their rights allow.';

export const eventEndpoints = {
  listEventTypes: endpoint({
    method: 'GET',
    path: '/event-types',
    tag,
    summary: 'List the types of events',
    description: 'All types of events, each with an example.',
    access: authenticated(),
    answer: list(EventType),
  }),
  listEvents: endpoint({
    method: 'GET',
    path: '/events',
    tag,
    summary: 'List events',
    description: `Newest first. Events are kept for \`event_retention_days\` (90 by default). ${userAccessNote}`,
    access: holders('read-events', members('read-customer')),
    answer: list(Event),
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/events/stream',
    tag,
    summary: 'Follow events',
    description: `Server-sent events: each message has the id of the event as \`id\`, its name as \`event\`, and the event as JSON in \`data\`. \`Last-Event-ID\` continues after that event without a gap. The stream ends after some minutes, and clients connect again. ${userAccessNote}`,
    access: holders('read-events', members('read-customer')),
    query: object({
      last_event_id: optional(
        identifier('evt', 'Instead of the header `Last-Event-ID`, for clients that cannot send it.'),
      ),
    }),
    answer: { kind: 'event-stream', status: 200, resource: Event },
    errors: ['too-many-at-once'],
  }),
  readEvent: endpoint({
    method: 'GET',
    path: '/events/:event_id',
    tag,
    summary: 'Read an event',
    access: holders('read-events', members('read-customer')),
    params: { event_id: 'evt' },
    answer: single(Event),
  }),
};
