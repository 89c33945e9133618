import { Type } from 'typebox';
import type { Endpoint } from '../../conventions/endpoint.ts';
import { endpoints } from '../../index.ts';
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

/** Credentials, as events print them: masked, or null if the API shows them only once. */
const credentials: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  oauth_client: { secret: null, client_secret: null },
  participant: { name: secretMask },
  personal_access_token: { token: null },
  room_access_code: { code: secretMask },
  room_token: { token: secretMask },
  video: { poster_url: secretMask },
  webhook: { secret: null },
};

/** The nouns whose resources users can read. Each belongs to one customer, except users. */
const nounsOfCustomers: ReadonlySet<string | null> = new Set(
  Object.values<Endpoint>(endpoints).flatMap(({ access, answer, method }) =>
    method === 'GET' && 'resource' in answer && access.kind === 'permission' && access.users
      ? [answer.resource.noun]
      : [],
  ),
);

/** An event as the API prints it, with an example of its resource. */
export function exampleEvent(name: EventName): Record<string, unknown> {
  const [noun = '', action] = name.split('.');
  const resource = resourcesByNoun.get(noun);
  const data = resource ? exampleObject(componentName(resource) ?? '', Type.Object(resource.fields)) : {};
  Object.assign(data, credentials[noun]);
  if (typeof data['url'] === 'string') data['url'] = data['url'].replace(/token=[^&]+/, `token=${secretMask}`);
  return {
    ...exampleObject('Event', Type.Object(Event.fields)),
    name,
    resource_type: data['object'] ?? (noun === 'settings' ? 'Settings' : 'SecretKeys'),
    resource_id: data['id'] ?? exampleIdentifier('evt').uuid,
    sequence: action === 'created' ? 1 : 2,
    customer_id: customerOf(noun, data),
    actor: { type: 'admin', id: exampleIdentifier('admin').id, name: 'root' },
    data: { ...data, ...eventDetails[name] },
    previous: action === 'created' ? null : {},
  };
}

function customerOf(noun: string, data: Readonly<Record<string, unknown>>): unknown {
  if (noun === 'customer') return data['id'];
  const { customer_id: customerId = data['subscriber_id'] } = data;
  if (customerId !== undefined) return customerId;
  const belongsToCustomer = 'subscription_id' in data || (nounsOfCustomers.has(noun) && noun !== 'user');
  return belongsToCustomer ? exampleIdentifier('cust').id : null;
}
