import type { Endpoint } from '../conventions/endpoint.ts';
import type { Resource } from '../conventions/resource.ts';
import { endpoints } from '../index.ts';
import { Event } from '../resources/event.ts';
import type { EventName } from '../resources/event-catalogue.ts';
import { Type } from 'typebox';
import { exampleObject } from './example.ts';
import { exampleIdentifier } from './example-identifier.ts';

/** An event of the name that a reader believes: its resource as in the examples of the reference. */
export function exampleEvent(name: EventName): Record<string, unknown> {
  const [noun = '', happened] = name.split('.');
  const resource = (resources ??= resourcesByNoun()).get(noun);
  const object = resource?.object ?? pascalCase(noun);
  const data = resource ? exampleObject(object, Type.Object(resource.fields)) : { object };
  return {
    ...exampleObject('Event', Type.Object(Event.fields)),
    name,
    resource_type: object,
    resource_id: resource ? exampleIdentifier(resource.prefix).id : exampleIdentifier('room').uuid,
    customer_id: exampleIdentifier('cust').id,
    data,
    previous: happened === 'created' ? null : {},
  };
}

let resources: ReadonlyMap<string, Resource> | null = null;

function resourcesByNoun(): Map<string, Resource> {
  const found = new Map<string, Resource>();
  for (const { answer } of Object.values<Endpoint>(endpoints)) {
    if (answer.kind !== 'resource' && answer.kind !== 'list') continue;
    const { resource } = answer;
    found.set(snakeCase(resource.object), resource);
    // Subscriptions and what is in them are named after their package.
    found.set(snakeCase(resource.object).replace(/^service_package_(?=subscription)/, ''), resource);
  }
  return found;
}

function snakeCase(object: string): string {
  return object.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

function pascalCase(noun: string): string {
  return noun.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
