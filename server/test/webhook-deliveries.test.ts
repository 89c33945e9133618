import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf } from './factories.ts';
import {
  makeWebhook,
  publish,
  type ReceivedRequest,
  startDelivery,
  startReceiver,
  waitForDeliveries,
} from './webhook-receivers.ts';
import { reencryptColumn } from '../src/database/encrypted-column.ts';
import { encryptedColumns } from '../src/modules.ts';
import { createSecretBox, parseSecretKeys } from '../src/platform/crypto/secret-box.ts';

let api: TestApi;
beforeAll(async () => {
  // The independent library compares the time of a signature with the time of the machine.
  api = await startApi({ now: new Date().toISOString() });
  await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
});
afterAll(() => api.close());

test('an event arrives as GET /events/{id} returns it, with a signature that an independent library verifies', async () => {
  const receiver = await startReceiver();
  const webhook = await makeWebhook(api, receiver.url);
  startDelivery(api);
  const { room } = await makeRoom(api);
  await publish(api);
  const [request] = await receiver.waitForRequests(1);
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Foyer\/\d/),
    'webhook-id': request?.body.data.id,
  });
  expect(new StandardWebhook(webhook.secret).verify(request?.text ?? '', request?.headers ?? {})).toEqual(
    request?.body,
  );
  const { data: event } = await api.admin.readEvent({ params: { event_id: request?.body.data.id ?? '' } });
  expect(request?.body).toEqual({ type: 'room.created', timestamp: event.occurred_at, data: event });
  expect(event.resource_id).toBe(room.id);
  const [delivery] = await waitForDeliveries(api, webhook.params, ([first]) => first?.state === 'delivered');
  expect(delivery).toMatchObject({
    object: 'WebhookDelivery',
    id: expect.stringMatching(/^hookdel_/),
    webhook_id: webhook.id,
    event_id: event.id,
    event_name: 'room.created',
    next_attempt_at: null,
    attempts: [
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        status_code: 204,
        error: null,
        response: '',
        duration_ms: expect.any(Number),
      },
    ],
  });
  const deliveryParams = { ...webhook.params, delivery_id: delivery?.id ?? '' };
  expect((await api.admin.readWebhookDelivery({ params: deliveryParams })).data).toMatchObject({
    id: delivery?.id,
    event_id: event.id,
  });
  const { data: after } = await api.admin.readWebhook({ params: webhook.params });
  expect(after).toMatchObject({ state: 'active', last_delivery_at: expect.any(String), secret: null });
});

test('a delivery does not change the entity tag for writes of a webhook, but a conditional read returns the delivery', async () => {
  const receiver = await startReceiver((_request, response, count) =>
    response.writeHead(count === 1 ? 500 : 204).end(),
  );
  const { params } = await makeWebhook(api, receiver.url);
  const { headers } = await api.admin.request('readWebhook', { params });
  const etag = headers.get('etag') ?? '';
  startDelivery(api);
  const readIfChanged = async () =>
    await api.admin.request('readWebhook', { params, headers: { 'if-none-match': etag } });
  const change = async (description: string) =>
    (await api.admin.request('updateWebhook', { params, headers: { 'if-match': etag }, body: { description } })).status;
  await makeRoom(api);
  await publish(api);
  const [failed] = await waitForDeliveries(api, params, ([first]) => first?.attempts.length === 1);
  expect(await readIfChanged()).toMatchObject({ status: 200, body: { data: { state: 'failing' } } });
  await api.admin.resendWebhookDelivery({ params: { ...params, delivery_id: failed?.id ?? '' } });
  await waitForDeliveries(api, params, ([first]) => first?.state === 'delivered');
  expect(await readIfChanged()).toMatchObject({ status: 200, body: { data: { state: 'active' } } });
  expect(await change('Changed after two deliveries')).toBe(200);
  expect(await change('Changed with the tag of before')).toBe(412);
});

test('a changed body, another secret and an old signature do not verify', async () => {
  const receiver = await startReceiver();
  const webhook = await makeWebhook(api, receiver.url);
  startDelivery(api);
  await makeRoom(api);
  await publish(api);
  const [request] = await receiver.waitForRequests(1);
  const { text = '', headers = {} } = request ?? {};
  const library = new StandardWebhook(webhook.secret);
  expect(() => library.verify(`${text} `, headers)).toThrow();
  expect(() => new StandardWebhook('whsec_c2VjcmV0').verify(text, headers)).toThrow();
  expect(() => library.verify(text, { ...headers, 'webhook-timestamp': '1700000000' })).toThrow();
});

test('during the overlap of a rotation both secrets verify every request, and after it only the new one', async () => {
  const receiver = await startReceiver();
  const webhook = await makeWebhook(api, receiver.url);
  startDelivery(api);
  const { room } = await makeRoom(api);
  const rotate = async (overlap_hours: number) =>
    (await api.admin.rotateWebhookSecret({ params: webhook.params, body: { overlap_hours } })).data.secret ?? '';
  const send = async (count: number) => {
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: `Name ${count}` } });
    await publish(api);
    const request = (await receiver.waitForRequests(count)).at(-1);
    if (!request) throw new Error('Nothing arrived.');
    return request;
  };
  const verify = (secret: string, { text, headers }: Awaited<ReturnType<typeof send>>) =>
    new StandardWebhook(secret).verify(text, headers);
  const second = await rotate(2);
  const overlapRequest = await send(2);
  for (const secret of [webhook.secret, second]) expect(verify(secret, overlapRequest)).toHaveProperty('type');
  const third = await rotate(0);
  const laterRequest = await send(3);
  expect(verify(third, laterRequest)).toHaveProperty('type');
  for (const secret of [webhook.secret, second]) expect(() => verify(secret, laterRequest)).toThrow();
  const fourth = await rotate(2);
  api.clock.advance({ hours: 3 });
  expectSignatures(await send(4), [fourth]);
});

async function reencryptFormerSecrets(keys: string) {
  const parsed = parseSecretKeys(keys);
  const column = encryptedColumns.find(({ name }) => name === 'webhooks.former_secrets');
  if (!column || !parsed.ok) throw new Error('The column or a key is missing.');
  return await reencryptColumn(column, api.app.dependencies.db, createSecretBox(parsed.keys));
}

/** Expects exactly the signatures of these secrets, the newest first. */
function expectSignatures({ headers, text }: ReceivedRequest, secrets: readonly string[]): void {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signatures = secrets.map((secret) =>
    new StandardWebhook(secret).sign(headers['webhook-id'] ?? '', sentAt, text),
  );
  expect(headers['webhook-signature']).toBe(signatures.join(' '));
}

test('after several rotations within one overlap every secret signs until its own overlap ends', async () => {
  const receiver = await startReceiver();
  const { params, secret: first } = await makeWebhook(api, receiver.url);
  startDelivery(api);
  const { room } = await makeRoom(api);
  const rotate = async (overlap_hours: number) =>
    (await api.admin.rotateWebhookSecret({ params, body: { overlap_hours } })).data.secret ?? '';
  const send = async () => {
    const count = receiver.received.length + 1;
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: `Name ${count}` } });
    await publish(api);
    const request = (await receiver.waitForRequests(count)).at(-1);
    if (!request) throw new Error('Nothing arrived.');
    return request;
  };
  await publish(api);
  await receiver.waitForRequests(1);
  const second = await rotate(5);
  const third = await rotate(1);
  const fourth = await rotate(3);
  expectSignatures(await send(), [fourth, third, second, first]);
  const newer = `newer:${Buffer.alloc(32, 9).toString('base64')}`;
  // Re-encrypts with another key and back, because the running process does not know the other key.
  for (const text of [`${newer},${inject('secretKeys')}`, `${inject('secretKeys')},${newer}`])
    expect(await reencryptFormerSecrets(text)).toMatchObject({ unreadable: [] });
  expectSignatures(await send(), [fourth, third, second, first]);
  api.clock.advance({ hours: 2 });
  expectSignatures(await send(), [fourth, third, first]);
  api.clock.advance({ hours: 2 });
  expectSignatures(await send(), [fourth, first]);
  const fifth = await rotate(0);
  expectSignatures(await send(), [fifth]);
});

test('requests are signed with at most ten former secrets, and a rotation without overlap ends them all', async () => {
  const { params } = await makeWebhook(api, 'https://receiver.example/hook');
  const rotate = (overlap_hours: number) => api.admin.rotateWebhookSecret({ params, body: { overlap_hours } });
  for (let count = 0; count < 10; count += 1) await rotate(24);
  expect(await refusalOf(rotate(24))).toMatchObject({ status: 422, errors: { overlap_hours: expect.any(Array) } });
  await rotate(0);
  await rotate(24);
});

test('the events of a resource arrive in order through failures, and events of other resources do not wait', async () => {
  let failures = 2;
  const receiver = await startReceiver((request, response) => {
    const isRefused = request.body.data.name === 'room.created' && failures > 0;
    if (isRefused) failures -= 1;
    response.writeHead(isRefused ? 500 : 200).end(isRefused ? 'later' : 'ok');
  });
  const webhook = await makeWebhook(api, receiver.url, { events: ['room.*', 'account.*'] });
  const { room } = await makeRoom(api);
  for (const room_name of ['one', 'two', 'three'])
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name } });
  await publish(api);
  startDelivery(api);
  await waitForDeliveries(api, webhook.params, (all) => all.some(({ state }) => state === 'delivered'));
  const waiting = await waitForDeliveries(api, webhook.params, (all) =>
    all.some(({ attempts }) => attempts.some(({ error }) => error)),
  );
  expect(waiting.filter(({ event_name: name }) => name.startsWith('room.')).map(({ state }) => state)).toEqual(
    Array(4).fill('pending'),
  );
  expect((await api.admin.readWebhook({ params: webhook.params })).data.state).toMatch(/active|failing/);
  api.clock.advance({ seconds: 10 });
  await waitForDeliveries(api, webhook.params, (all) => all.some(({ attempts }) => attempts.length === 2));
  api.clock.advance({ minutes: 6 });
  const done = await waitForDeliveries(api, webhook.params, (all) => all.every(({ state }) => state === 'delivered'));
  expect(done.find(({ event_name: name }) => name === 'room.created')?.attempts).toMatchObject([
    { status_code: 500, error: 'The receiver answered 500.', response: 'later' },
    { status_code: 500 },
    { status_code: 200, error: null, response: 'ok' },
  ]);
  const roomRequests = receiver.received.filter(({ body }) => body.data.resource_id === room.id);
  expect(roomRequests.map(({ body }) => body.data.sequence)).toEqual([1, 1, 1, 2, 3, 4]);
});
