import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { Noun } from '@foyer/contract/conventions/noun.ts';
import { nouns } from '@foyer/contract/resources/nouns.ts';
import type { Uuid } from '../platform/identity/identifier.ts';
import type { EventInput } from './event-data.ts';

interface Row {
  readonly id: Uuid;
}

type RowChange<Before extends Row, After extends Row> = Pick<EventInput, 'customerId' | 'details'> &
  ({ readonly before?: Before; readonly after: After } | { readonly before: Before; readonly after?: null });

/** An event about the resource of a row: the noun of the name gives its type, the row its id. */
export function rowEvent<Before extends Row, After extends Row>(
  name: EventName,
  change: RowChange<Before, After>,
): EventInput {
  const [noun] = name.split('.') as [keyof typeof nouns];
  const { object = noun }: Noun = nouns[noun];
  const { id } = (change.after ?? change.before) as Row;
  return { name, resource: { type: object, id }, ...change };
}
