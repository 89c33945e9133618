import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { Noun } from '@foyer/contract/conventions/noun.ts';
import { nouns } from '@foyer/contract/resources/nouns.ts';
import type { Uuid } from '../platform/identity/identifier.ts';
import type { EventInput } from './event-data.ts';

interface Row {
  readonly id: Uuid;
}

type RowChange<Before extends Row, After extends Row> = Pick<EventInput, 'customerId' | 'details' | 'beforeDay'> &
  ({ readonly before?: Before; readonly after: After } | { readonly before: Before; readonly after?: null });

/**
 * An event about the resource of a row, with the id of the row, and its customer unless `customerId` is given.
 */
export function rowEvent<Before extends Row, After extends Row>(
  name: EventName,
  change: RowChange<Before, After>,
): EventInput {
  const row: Row & { customer_id?: Uuid | null; subscriber_id?: Uuid } = (change.after ?? change.before) as Row;
  const customerId = row.customer_id ?? row.subscriber_id ?? null;
  return eventAbout(name, row.id, { customerId, ...change });
}

/** An event about a resource, whose type follows from the noun in the event name. */
export function eventAbout(name: EventName, id: Uuid, content: Omit<EventInput, 'name' | 'resource'> = {}): EventInput {
  const [noun] = name.split('.') as [keyof typeof nouns];
  const { object = noun }: Noun = nouns[noun];
  return { name, resource: { type: object, id }, ...content };
}
