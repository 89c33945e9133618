import { Type } from 'typebox';
import { Event } from '../../resources/events/event.ts';
import type { EventName } from '../../conventions/event-types.ts';
import { secretMask } from '../../resources/providers/provider-types.ts';
import { componentName } from '../components.ts';
import { exampleObject } from './example.ts';
import { exampleIdentifier } from './example-identifier.ts';
import { resourcesByNoun } from '../../resources-by-noun.ts';

/** Members that some events have in addition to those of the resource. */
const eventDetails: Partial<Record<EventName, Record<string, unknown>>> = {
  'subscription.expiring': { days_left: 14 },
  'subscription.limit_reached': { feature: { tag: 'max_rooms', limit: '25', used: 25 } },
  'subscription.renewed': { automatic: true },
};

const maskedMembers: Readonly<Record<string, readonly string[]>> = {
  participant: ['name'],
  room_access_code: ['code'],
  room_token: ['token'],
};

/** An event as the API prints it, with an example of its resource. */
export function exampleEvent(name: EventName): Record<string, unknown> {
  const [noun = '', action] = name.split('.');
  const resource = resourcesByNoun.get(noun);
  const data = resource ? exampleObject(componentName(resource) ?? '', Type.Object(resource.fields)) : {};
  for (const member of maskedMembers[noun] ?? []) data[member] = secretMask;
  return {
    ...exampleObject('Event', Type.Object(Event.fields)),
    name,
    resource_type: data['object'] ?? (noun === 'settings' ? 'Settings' : 'SecretKeys'),
    resource_id: data['id'] ?? exampleIdentifier('evt').uuid,
    sequence: action === 'created' ? 1 : 2,
    customer_id: data['customer_id'] ?? data['subscriber_id'] ?? null,
    actor: { type: 'admin', id: exampleIdentifier('admin').id, name: 'root' },
    data: { ...data, ...eventDetails[name] },
    previous: action === 'created' ? null : {},
  };
}
