import { collection } from '../../conventions/collection.ts';
import { endpoint, enveloped, holders, list, members, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  instant,
  integer,
  listOf,
  nullable,
  object,
  observed,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { eventTypes } from '../../conventions/event-types.ts';

export const webhookStates = ['active', 'failing', 'disabled'] as const;
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

const eventNames = eventTypes.map(({ name }) => name);

/** What a webhook can subscribe to: all events, all events of a resource type, or one event. */
export const eventPatterns: readonly string[] = [
  '*',
  ...new Set(eventNames.map((name) => name.replace(/\..*/, '.*'))),
  ...eventNames,
];

const url = text(2048, {
  format: 'http-url',
  description: 'An https address that the internet can reach, without user name and password.',
});
const events = {
  ...listOf(oneOf(eventPatterns)),
  description: 'Names of events. `room.*` means all events of rooms, `*` all events.',
};
const description = nullable(text(500, { freeText: true }));

export const Webhook = resource('webhook', {
  readPermission: 'read-webhooks',
  fields: {
    ...identity('webhook'),
    url: { ...url, 'x-free-text': true },
    description,
    events,
    active: boolean('Whether it gets events. True enables a disabled webhook again.'),
    customer_id: nullable(
      identifier(
        'cust',
        'The webhook gets the events of this customer and of all customers below it; null for all events of the platform.',
      ),
    ),
    state: observed(
      oneOf(
        webhookStates,
        '`failing`: the last delivery failed. `disabled`: by a request, after a 410 response, or after three days of failures.',
      ),
    ),
    disabled_at: nullable(instant()),
    disabled_reason: nullable(text(500)),
    last_delivery_at: observed(nullable(instant())),
    secret: derived(
      nullable(
        text(100, {
          description: 'Signs the requests. Only in the responses that create or rotate it, otherwise null.',
        }),
      ),
    ),
    ...timestamps(),
  },
  includes: { customer: one('Customer') },
});

const attempt = object({
  at: instant(),
  status_code: { ...nullable(integer(0, 999)), description: 'Null if there was no response.' },
  duration_ms: integer(),
  error: nullable(text(500, { description: 'Why the attempt failed; null if it succeeded.' })),
  response: nullable(text(1024, { description: 'The first 1,024 bytes of the response.' })),
});

export const WebhookDelivery = resource('webhook_delivery', {
  readPermission: 'read-webhooks',
  fields: {
    ...identity('webhook_delivery'),
    webhook_id: identifier('hook'),
    event_id: identifier('evt'),
    event_name: text(150, { freeText: true }),
    state: oneOf(deliveryStates, '`failed`: given up after the last attempt.'),
    attempts: derived({ ...listOf(attempt), description: 'Oldest first; at most the last 30.' }),
    next_attempt_at: {
      ...nullable(instant()),
      description: 'Null before the first attempt, and once the delivery has ended.',
    },
    ...timestamps(),
  },
  includes: {},
});

const testResult = object({
  object: derived(oneOf(['WebhookTest'])),
  status_code: nullable(integer(0, 999)),
  duration_ms: integer(),
  error: nullable(text(500)),
  response: nullable(text(1024)),
});

const tag = 'Webhooks';
const params = { webhook_id: 'hook' } as const;
const managers = members('manage-webhooks', 'webhook', 'webhook_id');

const webhooks = collection(Webhook, { path: '/webhooks', tag, elementParams: params });

export const webhookEndpoints = {
  listWebhooks: endpoint({
    ...webhooks.list,
    summary: 'List webhooks',
    access: holders('read-webhooks', members('manage-webhooks')),
  }),
  createWebhook: endpoint({
    ...webhooks.create,
    summary: 'Create a webhook',
    description:
      'Events are posted to `url` within about a second, signed according to the Standard Webhooks specification. The secret is shown only in this response. With `customer_id` the webhook gets the events of that customer and of all customers below it, for resources that users can read. Without it, the webhook gets all events of the platform, which only administrators can choose.',
    access: holders('create-webhooks', members('manage-webhooks', 'customer', 'customer_id')),
    body: object({
      url,
      events,
      description: optional(description),
      active: optional(boolean()),
      customer_id: optional(nullable(identifier('cust'))),
    }),
    errors: ['customer-not-active'],
  }),
  readWebhook: endpoint({
    method: 'GET',
    path: '/webhooks/:webhook_id',
    tag,
    summary: 'Read a webhook',
    access: holders('read-webhooks', managers),
    params,
    answer: single(Webhook, ['customer']),
  }),
  updateWebhook: endpoint({
    ...webhooks.update,
    summary: 'Change a webhook',
    description:
      '`active` false disables the webhook: it gets no further events, and pending deliveries wait. `active` true enables it again, and pending deliveries are sent immediately.',
    access: holders('update-webhooks', managers),
    body: object({
      url: optional(url),
      events: optional(events),
      description: optional(description),
      active: optional(boolean()),
    }),
    immutable: object({ customer_id: optional(nullable(identifier('cust'))) }),
  }),
  deleteWebhook: endpoint({
    ...webhooks.delete,
    summary: 'Delete a webhook with its deliveries',
    access: holders('delete-webhooks', managers),
  }),
  rotateWebhookSecret: endpoint({
    method: 'POST',
    path: '/webhooks/:webhook_id/rotate-secret',
    tag,
    summary: 'Give a webhook a new secret',
    description:
      'The new secret is shown only in this response. For `overlap_hours` (24 by default), requests are also signed with the old secret. The overlaps of up to ten old secrets can run at the same time. With 0, all old secrets stop signing immediately.',
    access: holders('update-webhooks', managers),
    params,
    body: object({ overlap_hours: optional(integer(0, 720)) }),
    answer: single(Webhook),
  }),
  testWebhook: endpoint({
    method: 'POST',
    path: '/webhooks/:webhook_id/test',
    tag,
    summary: 'Send an example of an event',
    description:
      'The request has `"test": true` next to `type`. It is neither stored nor retried; the response is the result of the attempt, even if it failed.',
    access: holders('update-webhooks', managers),
    params,
    body: object({ event: oneOf(eventNames) }),
    answer: enveloped(testResult),
    asksProvider: true,
  }),
  recoverWebhook: endpoint({
    method: 'POST',
    path: '/webhooks/:webhook_id/recover',
    tag,
    summary: 'Send failed deliveries again',
    description:
      'Sends all deliveries that have failed since `since` again, in the order of their events. The events can be older.',
    access: holders('update-webhooks', managers),
    params,
    body: object({ since: instant() }),
    answer: enveloped(
      object({
        object: derived(oneOf(['WebhookRecovery'])),
        recovered: { ...integer(), description: 'Number of deliveries that are sent again.' },
      }),
    ),
    errors: ['webhook-disabled'],
  }),
  listWebhookDeliveries: endpoint({
    method: 'GET',
    path: '/webhooks/:webhook_id/deliveries',
    tag,
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. Deliveries are kept as long as events.',
    access: holders('read-webhooks', managers),
    params,
    answer: list(WebhookDelivery),
  }),
  readWebhookDelivery: endpoint({
    method: 'GET',
    path: '/webhooks/:webhook_id/deliveries/:delivery_id',
    tag,
    summary: 'Read a delivery of a webhook',
    access: holders('read-webhooks', managers),
    params: { webhook_id: 'hook', delivery_id: 'hookdel' },
    answer: single(WebhookDelivery),
  }),
  resendWebhookDelivery: endpoint({
    method: 'POST',
    path: '/webhooks/:webhook_id/deliveries/:delivery_id/resend',
    tag,
    summary: 'Send a delivery again',
    description:
      'The delivery is sent immediately, with all retries. Other events of the same resource wait until it has ended.',
    access: holders('update-webhooks', managers),
    params: { webhook_id: 'hook', delivery_id: 'hookdel' },
    answer: single(WebhookDelivery),
    errors: ['webhook-disabled'],
  }),
};
