import { createClient, FoyerError, verifyWebhook, WebhookVerificationError } from '@foyer/sdk';
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishAll } from '../src/modules/events/index.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, unique } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('the SDK yields new events, typed by their name, and continues after an interrupted connection without a gap', async () => {
  const { room } = await makeRoom(api);
  await publishAll(api.app.dependencies);
  const { data: before } = await api.admin.listEvents({ query: { search: `resource_id:${room.id}` } });
  const { username, password } = firstAdmin;
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  let connection = new AbortController();
  const foyer = createClient({
    baseUrl: api.url,
    token,
    fetch: (address, init) => {
      connection = new AbortController();
      return fetch(address, { ...init, signal: connection.signal });
    },
  });
  const names = [unique('First'), unique('Second')];
  const roomNames: string[] = [];
  const reading = (async () => {
    for await (const event of foyer.events.stream({ lastEventId: before[0]?.id ?? '' })) {
      if (event.name !== 'room.updated') continue;
      roomNames.push(event.data.room_name);
      // Interrupts the connection, as a proxy can. The SDK reconnects.
      if (roomNames.length === 1) connection.abort();
      if (roomNames.length === 2) return;
    }
  })();
  for (const name of names) {
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: name } });
    await publishAll(api.app.dependencies);
    await expect.poll(() => roomNames).toContain(name);
  }
  await reading;
  expect(roomNames).toEqual(names);
});

test('a stream whose connection ends before its first event misses no event after it reconnects', async () => {
  const { room } = await makeRoom(api);
  await publishAll(api.app.dependencies);
  const { username, password } = firstAdmin;
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  const connection = new AbortController();
  let streams = 0;
  const foyer = createClient({
    baseUrl: api.url,
    token,
    fetch: async (address, init) => {
      if (!String(address instanceof Request ? address.url : address).includes('/events/stream'))
        return await fetch(address, init);
      streams += 1;
      return await fetch(address, streams === 1 ? { ...init, signal: connection.signal } : init);
    },
  });
  const name = unique('Meanwhile');
  const reading = (async () => {
    for await (const event of foyer.events.stream())
      if (event.name === 'room.updated' && event.resource_id === room.id) return event.data.room_name;
    return null;
  })();
  await expect.poll(() => streams).toBe(1);
  connection.abort();
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: name } });
  await publishAll(api.app.dependencies);
  expect(await reading).toBe(name);
});

test('a stream that starts at the smallest id begins with the first event', async () => {
  const { username, password } = firstAdmin;
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  const foyer = createClient({ baseUrl: api.url, token });
  const { data: events } = await api.admin.listEvents({ query: { limit: 1, orderBy: 'id', sortedBy: 'asc' } });
  const first = await foyer.events.stream({ lastEventId: `evt_${'0'.repeat(26)}` }).next();
  expect((first.value as { id: string }).id).toBe(events[0]?.id);
});

test('a server that shuts down ends its streams instead of waiting for them', { timeout: 6000 }, async () => {
  const other = await startApi();
  const answer = await fetch(`${other.url}/api/v1/events/stream`, {
    headers: {
      authorization: `Bearer ${await other.admin.loginAdmin({ body: firstAdmin }).then((tokens) => tokens.access_token)}`,
    },
  });
  expect(answer.status).toBe(200);
  const ended = answer.text().catch(() => 'cut');
  await other.close();
  await ended;
});

test('a permanent error ends the stream', async () => {
  const stream = api.anyone.events.stream();
  await expect(stream.next()).rejects.toThrow(FoyerError);
});

test('one valid signature of two is enough for a webhook; altered, replayed and wrongly signed requests, bodies that are not JSON and invalid secrets are rejected with a WebhookVerificationError', async () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const body = JSON.stringify({
    type: 'room.created',
    timestamp: new Date().toISOString(),
    data: { name: 'room.created' },
  });
  const seconds = Math.floor(Date.now() / 1000);
  const signatureOf = (timestamp: number, key = secret, text = body) =>
    `v1,${createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      .update(`evt_1.${timestamp}.${text}`)
      .digest('base64')}`;
  const headers = (timestamp: number, signature: string) => ({
    'Webhook-Id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  });
  const otherSecret = `whsec_${randomBytes(24).toString('base64')}`;
  const both = `${signatureOf(seconds, otherSecret)} ${signatureOf(seconds)}`;
  expect((await verifyWebhook(new Headers(headers(seconds, both)), body, secret)).type).toBe('room.created');
  const refused = [
    verifyWebhook(headers(seconds, signatureOf(seconds)), `${body} `, secret),
    verifyWebhook(headers(seconds, signatureOf(seconds)), body, otherSecret),
    verifyWebhook(headers(seconds - 600, signatureOf(seconds - 600)), body, secret),
    verifyWebhook(headers(seconds + 600, signatureOf(seconds + 600)), body, secret),
    verifyWebhook(headers(Number.NaN, signatureOf(seconds)), body, secret),
    verifyWebhook(headers(seconds, 'v1,???'), body, secret),
    verifyWebhook({}, body, secret),
    verifyWebhook(headers(seconds, signatureOf(seconds)), body, 'whsec_'),
    verifyWebhook(headers(seconds, signatureOf(seconds)), body, 'whsec_???'),
    verifyWebhook(headers(seconds, signatureOf(seconds, secret, 'not JSON')), 'not JSON', secret),
  ];
  for (const outcome of await Promise.allSettled(refused))
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(WebhookVerificationError) });
});
