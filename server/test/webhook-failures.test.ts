import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { parseAnyIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makeRoom, refusalOf } from './factories.ts';
import {
  deliveriesOf,
  makeWebhook,
  publish,
  startDelivery,
  startReceiver,
  waitForDeliveries,
} from './webhook-receivers.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ now: new Date().toISOString() });
  await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
});
afterAll(() => api.close());

const readWebhook = async (params: { webhook_id: string }) => (await api.admin.readWebhook({ params })).data;

test('a webhook that failed for three days is disabled with a reason and an event, and continues with its pending deliveries when it is enabled', async () => {
  let isDown = true;
  const receiver = await startReceiver((_request, response) => void response.writeHead(isDown ? 503 : 200).end());
  const webhook = await makeWebhook(api, receiver.url);
  const watcher = await startReceiver();
  await makeWebhook(api, watcher.url, { events: ['webhook.disabled'] });
  startDelivery(api);
  const { room } = await makeRoom(api);
  await publish(api);
  for (let attempts = 1; attempts <= 4; attempts++) {
    await waitForDeliveries(api, webhook.params, ([first]) => first?.attempts.length === attempts);
    const { state } = await readWebhook(webhook.params);
    expect(state).toBe(attempts < 4 ? 'failing' : 'disabled');
    if (attempts < 4) api.clock.advance({ hours: 27 });
  }
  expect(await readWebhook(webhook.params)).toMatchObject({
    active: false,
    disabled_at: expect.any(String),
    disabled_reason: 'No delivery succeeded for three days.',
  });
  await publish(api);
  const [delivery] = await watcher.waitForRequests(1);
  expect(delivery?.body).toMatchObject({ type: 'webhook.disabled', data: { resource_id: webhook.id } });
  // Events in the meantime are not delivered, and pending deliveries wait.
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: 'Missed' } });
  await publish(api);
  const resend = api.admin.resendWebhookDelivery({
    params: { ...webhook.params, delivery_id: (await deliveriesOf(api, webhook.params))[0]?.id ?? '' },
  });
  expect(await refusalOf(resend)).toMatchObject({ status: 409, code: 'webhook-disabled' });
  isDown = false;
  await api.admin.updateWebhook({ params: webhook.params, body: { active: true } });
  const done = await waitForDeliveries(api, webhook.params, (all) => all.every(({ state }) => state === 'delivered'));
  expect(done.map(({ event_name: name }) => name)).toEqual(['room.created']);
  expect((await readWebhook(webhook.params)).state).toBe('active');
});

test('after the tenth attempt a delivery fails, the next event of the resource is sent, and recover sends failed deliveries again', async () => {
  let failingRoomId = '';
  const receiver = await startReceiver((request, response) => {
    const isBroken = request.body.data.resource_id === failingRoomId && request.body.data.name === 'room.created';
    response.writeHead(isBroken ? 500 : 200).end();
  });
  const webhook = await makeWebhook(api, receiver.url);
  const { room, account } = await makeRoom(api);
  const { data: healthy } = await api.admin.createRoom({ body: { room_name: 'Healthy', account_id: account.id } });
  failingRoomId = room.id;
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: 'Waits' } });
  startDelivery(api);
  const findFailing = (all: Awaited<ReturnType<typeof deliveriesOf>>) =>
    all.find(({ attempts }) => attempts.some(({ error }) => error !== null));
  for (let attempts = 1; attempts <= 10; attempts++) {
    await api.admin.updateRoom({ params: { room_id: healthy.id }, body: { room_name: `Name ${attempts}` } });
    await publish(api);
    await waitForDeliveries(api, webhook.params, (all) => findFailing(all)?.attempts.length === attempts);
    await waitForDeliveries(api, webhook.params, (all) => all.filter(({ state }) => state === 'pending').length <= 2);
    if (attempts < 10) api.clock.advance({ hours: 27 });
  }
  const all = await waitForDeliveries(api, webhook.params, (deliveries) =>
    deliveries.every(({ state }) => state !== 'pending'),
  );
  expect(all.filter(({ state }) => state === 'failed')).toHaveLength(1);
  const params = { ...webhook.params };
  api.clock.advance({ hours: 1 });
  expect((await api.admin.recoverWebhook({ params, body: { since: api.clock.now() } })).data.recovered).toBe(0);
  // The event is days older than the failure.
  const since = new Date(api.clock.nowMs() - 7_200_000).toISOString();
  failingRoomId = '';
  expect((await api.admin.recoverWebhook({ params, body: { since } })).data).toEqual({
    object: 'WebhookRecovery',
    recovered: 1,
  });
  const done = await waitForDeliveries(api, webhook.params, (deliveries) =>
    deliveries.every(({ state }) => state === 'delivered'),
  );
  expect(findFailing(done)?.attempts).toHaveLength(11);
});

test('a 410 response disables the webhook immediately: the delivery fails, and no other delivery is sent', async () => {
  const receiver = await startReceiver((_request, response) => void response.writeHead(410).end('gone'));
  const webhook = await makeWebhook(api, receiver.url);
  const { room } = await makeRoom(api);
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: 'Later' } });
  await publish(api);
  startDelivery(api);
  const [first, second] = await waitForDeliveries(api, webhook.params, (all) =>
    all.some(({ state }) => state === 'failed'),
  );
  expect([first?.state, first?.attempts.length, second?.state]).toEqual(['failed', 1, 'pending']);
  expect(await readWebhook(webhook.params)).toMatchObject({
    state: 'disabled',
    disabled_reason: 'The receiver answered 410 Gone.',
  });
  expect(receiver.received).toHaveLength(1);
});

test('a delivery is sent again on request, with the same id and a new signature', async () => {
  const receiver = await startReceiver();
  const webhook = await makeWebhook(api, receiver.url);
  startDelivery(api);
  await makeRoom(api);
  await publish(api);
  const [delivery] = await waitForDeliveries(api, webhook.params, ([first]) => first?.state === 'delivered');
  const params = { ...webhook.params, delivery_id: delivery?.id ?? '' };
  expect((await api.admin.resendWebhookDelivery({ params })).data).toMatchObject({
    id: delivery?.id,
    state: 'pending',
  });
  const [original, repeated] = await receiver.waitForRequests(2);
  expect(repeated?.headers['webhook-id']).toBe(original?.headers['webhook-id']);
  expect(repeated?.text).toBe(original?.text);
  const [second] = await waitForDeliveries(api, webhook.params, ([first]) => first?.state === 'delivered');
  expect(second?.attempts).toHaveLength(2);
});

test("a customer's webhook only gets events of its branch, for resources that users can read", async () => {
  const receiver = await startReceiver();
  const reseller = await makeCustomer(api, { is_reseller: true });
  const webhook = await makeWebhook(api, receiver.url, { events: ['*'], customer_id: reseller.id });
  startDelivery(api);
  const childCustomer = await makeCustomer(api, { parent_customer_id: reseller.id });
  const other = await makeCustomer(api);
  await api.admin.updateSettings({ body: { platform_name: 'Without receivers' } });
  const { customer: foreign } = await makeRoom(api);
  await api.admin.updateCustomer({ params: { customer_id: childCustomer.id }, body: { first_name: 'Grace' } });
  await publish(api);
  await waitForDeliveries(
    api,
    webhook.params,
    (all) => all.length > 0 && all.every(({ state }) => state === 'delivered'),
  );
  const text = receiver.received.map((request) => request.text).join('\n');
  expect(receiver.received.map(({ body }) => body.type)).toEqual(
    expect.arrayContaining(['customer.created', 'customer.updated']),
  );
  for (const id of [other.id, foreign.id]) expect(text).not.toContain(id);
  expect(text).not.toContain('settings.updated');
  await api.admin.updateCustomer({ params: { customer_id: reseller.id }, body: { status: 'inactive' } });
  const count = receiver.received.length;
  await api.admin.updateCustomer({ params: { customer_id: childCustomer.id }, body: { first_name: 'Ada' } });
  await publish(api);
  const ownEvents = await api.admin.listEvents({ query: { search: `resource_id:${reseller.id}`, limit: 1 } });
  const later = (await deliveriesOf(api, webhook.params)).slice(count);
  expect(later.map(({ event_id: id }) => id)).toEqual(ownEvents.data.map(({ id }) => id));
});

test("a customer's webhook gets all events of the customer, also if it becomes inactive or terminated", async () => {
  const receiver = await startReceiver();
  const { customer, subscription, account } = await makeAccount(api);
  await publish(api);
  const events = ['customer.*', 'subscription.*', 'account.*'];
  const webhook = await makeWebhook(api, receiver.url, { events, customer_id: customer.id });
  await publish(api);
  startDelivery(api);
  const params = { customer_id: customer.id };
  const setStatus = async (status: 'active' | 'inactive' | 'terminated') => {
    await api.admin.updateCustomer({ params, body: { status } });
    await publish(api);
  };
  await setStatus('inactive');
  await api.admin.updateSubscription({
    params: { subscription_id: subscription.id },
    body: { name: 'While inactive' },
  });
  await setStatus('active');
  await api.admin.updateAccount({ params: { account_id: account.id }, body: { account_name: 'Just before' } });
  await setStatus('terminated');
  const deliveries = await waitForDeliveries(api, webhook.params, (all) =>
    all.every(({ state }) => state === 'delivered'),
  );
  const sequencesOf = (name: string) =>
    receiver.received.flatMap(({ body }) => (body.type === name ? [body.data.sequence] : []));
  expect(sequencesOf('customer.updated')).toEqual([2, 3, 4]);
  expect(sequencesOf('account.updated')[0]).toBe(2);
  const { data: all } = await api.admin.listEvents({ query: { search: `customer_id:${customer.id}`, limit: 0 } });
  const missing = all.filter(
    ({ id, name }) =>
      /^(?:customer|subscription|account)\.(?!created)/.test(name) &&
      !deliveries.some(({ event_id: eventId }) => eventId === id),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('thousands of events for a slow webhook do not delay a later event for another webhook', async () => {
  const [slow, fast] = [
    await startReceiver((_request, response) => void setTimeout(() => response.writeHead(204).end(), 50)),
    await startReceiver(),
  ];
  const [bulk, other] = [await makeRoom(api), await makeRoom(api)];
  await publish(api);
  await makeWebhook(api, slow.url, { events: ['*'], customer_id: bulk.customer.id });
  await makeWebhook(api, fast.url, { customer_id: other.customer.id });
  const count = 3000;
  await api.admin.createRoomTokenBatch({
    params: { room_id: bulk.room.id },
    body: { tokens: Array.from({ length: count }, () => ({ role: 'guest' as const })) },
  });
  await runJob(api.app.dependencies, 'make-room-tokens');
  await api.admin.updateRoom({ params: { room_id: other.room.id }, body: { room_name: 'Not delayed' } });
  await publish(api);
  startDelivery(api);
  const [request] = await fast.waitForRequests(1);
  expect(request?.body.data).toMatchObject({ name: 'room.updated', resource_id: other.room.id });
  expect(slow.received.length).toBeLessThan(count / 2);
});

test('a reseller gets the event of a deleted customer below it, and its users can read it', async () => {
  const receiver = await startReceiver();
  const [reseller, other] = [
    await makeCustomer(api, { is_reseller: true }),
    await makeCustomer(api, { is_reseller: true }),
  ];
  const childCustomer = await makeCustomer(api, { parent_customer_id: reseller.id });
  const params = { customer_id: childCustomer.id };
  await publish(api);
  const [ownWebhook, foreignWebhook] = [
    await makeWebhook(api, receiver.url, { events: ['*'], customer_id: reseller.id }),
    await makeWebhook(api, receiver.url, { events: ['*'], customer_id: other.id }),
  ];
  await publish(api);
  startDelivery(api);
  await api.admin.updateCustomer({ params, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params });
  await publish(api);
  const isDeletion = ({ event_name: name }: { event_name: string }) => name === 'customer.deleted';
  await waitForDeliveries(api, ownWebhook.params, (all) =>
    all.some((delivery) => isDeletion(delivery) && delivery.state === 'delivered'),
  );
  const names = (await deliveriesOf(api, ownWebhook.params)).map(({ event_name: name }) => name);
  expect(names).toEqual(expect.arrayContaining(['customer.updated', 'customer.deleted']));
  expect((await deliveriesOf(api, foreignWebhook.params)).some(isDeletion)).toBe(false);
  const eventsFor = async ({ email }: { email?: string | null }) => {
    const body = { username: email ?? '', password: 'difference engine no. 2' };
    const user = api.clientWith((await api.anyone.loginUser({ body })).access_token);
    const query = { search: `customer_id:${childCustomer.id}` };
    return (await user.listEvents({ query })).data.map(({ name }) => name);
  };
  expect(await eventsFor(reseller)).toContain('customer.deleted');
  expect(await eventsFor(other)).toEqual([]);
});

test('a test sends a marked example, stores no delivery, and returns the result', async () => {
  const receiver = await startReceiver((request, response) => {
    response.writeHead(request.body.type === 'room.created' ? 202 : 500).end(`got ${request.body.type}`);
  });
  const webhook = await makeWebhook(api, receiver.url);
  const { params } = webhook;
  expect((await api.admin.testWebhook({ params, body: { event: 'room.created' } })).data).toEqual({
    object: 'WebhookTest',
    status_code: 202,
    duration_ms: expect.any(Number),
    error: null,
    response: 'got room.created',
  });
  expect((await api.admin.testWebhook({ params, body: { event: 'subscription.renewed' } })).data).toMatchObject({
    status_code: 500,
    error: 'The receiver answered 500.',
  });
  expect(receiver.received[0]?.body).toMatchObject({
    type: 'room.created',
    test: true,
    data: { object: 'Event', name: 'room.created', resource_type: 'Room' },
  });
  const { id = '', ulid, uuid } = receiver.received[0]?.body.data ?? {};
  expect(id).toBe(`evt_${ulid}`);
  expect(parseAnyIdentifier(id)?.uuid).toBe(uuid);
  expect(await deliveriesOf(api, params)).toEqual([]);
  expect((await readWebhook(params)).state).toBe('active');
  const unknown = api.admin.testWebhook({ params, body: { event: 'room.exploded' as never } });
  expect((await refusalOf(unknown)).errors).toHaveProperty('event');
});

test('after the setting is turned off, nothing is sent to private addresses, also for existing webhooks', async () => {
  const receiver = await startReceiver();
  const hostnameWebhook = await makeWebhook(api, receiver.url.replace('127.0.0.1', 'localhost'));
  const addressWebhook = await makeWebhook(api, receiver.url);
  await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: false } });
  try {
    for (const { params } of [hostnameWebhook, addressWebhook]) {
      const { data } = await api.admin.testWebhook({ params, body: { event: 'room.created' } });
      expect(data).toMatchObject({ status_code: null, error: expect.any(String) });
    }
    expect(receiver.received).toEqual([]);
  } finally {
    await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
  }
});

test('deliveries are removed when their events are', async () => {
  const receiver = await startReceiver();
  const webhook = await makeWebhook(api, receiver.url);
  startDelivery(api);
  await makeRoom(api);
  await publish(api);
  await waitForDeliveries(api, webhook.params, ([first]) => first?.state === 'delivered');
  await runJob(api.app.jobDependencies, 'prune-webhook-deliveries');
  expect(await deliveriesOf(api, webhook.params)).toHaveLength(1);
  api.clock.advance({ days: 91 });
  await runJob(api.app.jobDependencies, 'prune-webhook-deliveries');
  expect(await deliveriesOf(api, webhook.params)).toEqual([]);
});
