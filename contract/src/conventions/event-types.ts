import { nouns } from '../resources/nouns.ts';
import type { Noun } from './noun.ts';

type Nouns = typeof nouns;

/** `<noun>.<what happened>`. */
export type EventName = {
  [Name in keyof Nouns]: Nouns[Name] extends { events: infer Events } ? `${Name}.${keyof Events & string}` : never;
}[keyof Nouns];

export interface EventTypeDescription {
  readonly name: EventName;
  readonly description: string;
}

/** All events, in alphabetical order. */
export const eventTypes: readonly EventTypeDescription[] = Object.entries<Noun>(nouns)
  .flatMap(([noun, { events = {} }]) =>
    Object.entries(events).map(([action, description]) => ({
      name: `${noun}.${action}` as EventName,
      description,
    })),
  )
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/**
 * The values of `resource_type` in events and audit entries, in alphabetical order: the `object` of each noun that is a
 * resource.
 */
export const resourceTypes: readonly string[] = [
  ...new Set(Object.values<Noun>(nouns).flatMap(({ object = [] }) => object)),
].toSorted();
