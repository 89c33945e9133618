import { expect, test } from 'vitest';
import { eventTypes } from '../src/conventions/event-types.ts';
import { exampleEvent } from '../src/openapi/examples/example-event.ts';
import { exampleIdentifier } from '../src/openapi/examples/example-identifier.ts';

const examples = eventTypes.map(({ name }) => exampleEvent(name));
const customerId = exampleIdentifier('cust').id;

test('no example of an event has a credential', () => {
  for (const example of examples)
    expect(JSON.stringify(example)).not.toMatch(/(?:frm|fct|fpt|fcs|fak|whsec)_|token=[^*]/);
});

test('the example of an event has the customer that it concerns, and null for events of the platform', () => {
  const customerOf = new Map(examples.map((example) => [example['name'], example['customer_id']]));
  for (const name of [
    'customer.updated',
    'room.created',
    'room_token.created',
    'subscription_provider.created',
    'stream.started',
    'video.ready',
    'subscription.renewed',
  ])
    expect([name, customerOf.get(name)]).toEqual([name, customerId]);
  for (const name of ['admin.created', 'user.created', 'role.updated', 'settings.updated', 'service_provider.down'])
    expect([name, customerOf.get(name)]).toEqual([name, null]);
});
