import { exampleEvent } from '@foyer/contract/openapi/examples/example-event.ts';
import { type EventName, eventTypes } from '@foyer/contract/conventions/event-types.ts';
import { Event, EventType } from '@foyer/contract/resources/events/event.ts';
import { sql } from 'kysely';
import { printRow } from '../../platform/list-query/print-row.ts';
import { defineView, type Reader } from '../../platform/list-query/view.ts';
import { objectOfType, objectsOfPrefix, printActorId, printResourceId } from '../audit/index.ts';
import type { EventRow } from './store.ts';

interface EventTypeRow {
  readonly id: string;
  readonly name: EventName;
  readonly description: string;
}

const catalogue = JSON.stringify(eventTypes.map(({ name, description }) => ({ id: name, name, description })));

/** The catalogue is defined in code. Queried as a relation, it supports the same list parameters as tables do. */
export const eventTypeView = defineView<typeof EventType.fields, EventTypeRow>({
  resource: EventType,
  table: 'event_types',
  from: sql`jsonb_to_recordset(${catalogue}::jsonb) as event_types(id text, name text, description text)`,
  key: { expression: sql.ref('event_types.id'), descending: false },
  transform: (row) => ({
    example: exampleEvent(row.name),
  }),
});

export const eventView = defineView<typeof Event.fields, EventRow>({
  resource: Event,
  table: 'events',
  expressions: {
    resource_type: sql`(case events.resource_type when 'SubscriptionProvider' then ${objectOfType('SubscriptionProvider')} else events.resource_type end)`,
  },
  holdersOfPrefix: {
    resource_id: (prefix) => sql`events.resource_type = any(${objectsOfPrefix(prefix)}::text[])`,
  },
  allValues: { name: eventTypes.map(({ name }) => name) },
  transform: (row) => ({
    resource_type: objectOfType(row.resource_type),
    resource_id: printResourceId(row.resource_type, row.resource_id),
    actor: {
      type: row.actor_type,
      id: row.actor_id === null ? null : printActorId(row.actor_type, row.actor_id),
      name: row.actor_name,
    },
  }),
});

/** The event as `GET /events/{id}` prints it, equal for all readers. */
export function printEvent(row: EventRow): Record<string, unknown> {
  return printRow(eventView as never, row, {} as Reader, null);
}
