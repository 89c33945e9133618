import type { Sandbox } from '@foyer/sandbox';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeProvider, makeRoom, openSandbox, refusalOf } from './factories.ts';

let api: TestApi;
let sandbox: Sandbox;
let provider: string;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

async function open(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}

async function makePublicRoom() {
  const { room, customer } = await makeRoom(api, { provider, room: { is_public: true } });
  return { room, customer };
}

test.each([
  ['pt-BR,pt;q=0.9,en;q=0.5', 'pt-BR', 'Seu nome'],
  ['pt-PT,pt;q=0.9,en;q=0.5', 'pt', 'O seu nome'],
  ['pt', 'pt', 'O seu nome'],
  ['pt-AO', 'pt', 'O seu nome'],
  ['de-CH', 'de', 'Ihr Name'],
  ['es-MX, en;q=0.1', 'es', 'Su nombre'],
  ['fr', 'fr', 'Votre nom'],
  ['ja, fr;q=0.8, en;q=0.2', 'fr', 'Votre nom'],
  ['ja', 'en', 'Your name'],
  ['en;q=0, de;q=0.1', 'de', 'Ihr Name'],
  ['*', 'en', 'Your name'],
  ['x'.repeat(5000), 'en', 'Your name'],
])('a visitor who prefers %s gets the page in %s', async (accepted, language, label) => {
  const { room } = await makePublicRoom();
  const { html } = await open(room.url, { 'accept-language': accepted });
  expect(html).toContain(`<html lang="${language}" dir="ltr">`);
  expect(html).toContain(`>${label}<`);
});

test('the chosen language overrides that of the browser, and is remembered', async () => {
  const { room } = await makePublicRoom();
  const chosen = await open(`${room.url}?lang=fr`, { 'accept-language': 'de' });
  expect(chosen.html).toContain('lang="fr"');
  const cookie = chosen.headers.getSetCookie().find((line) => line.startsWith('foyer_language=fr'));
  expect(cookie).toContain('Path=/rooms');
  const next = await open(room.url, { 'accept-language': 'de', cookie: 'foyer_language=fr' });
  expect(next.html).toContain('Votre nom');
  const unknown = await open(`${room.url}?lang=xx`, { 'accept-language': 'de' });
  expect(unknown.html).toContain('Ihr Name');
  expect(unknown.headers.getSetCookie()).toEqual([]);
});

test('choosing a language keeps the invitation in the address', async () => {
  const { room } = await makeRoom(api, { provider });
  const { url, token } = (await api.admin.createRoomToken({ params: { room_id: room.id }, body: { role: 'attendee' } }))
    .data;
  const { html } = await open(url);
  const [, href = ''] = /lang="pt-BR" hreflang="pt-BR" href="([^"]+)">Português \(Brasil\)</.exec(html) ?? [];
  expect(html).toMatch(/lang="pt" hreflang="pt" href="[^"]+">Português</);
  const next = await open(new URL(href.replaceAll('&amp;', '&'), url).href);
  expect(next.html).toContain('Você entra como participante');
  expect(next.headers.getSetCookie().join()).toContain('foyer_language=pt-BR');
  expect(next.html).toContain(token);
});

const brand = {
  brand_name: 'Aurora School',
  logo_url: 'https://aurora.example/logo.svg',
  primary_color: '#0b7a4b',
  support_url: 'https://aurora.example/help',
  hero_image: 'https://aurora.example/hall.jpg',
};

test('the rooms of a customer have its name, logo, color, support link and image', async () => {
  const { room, customer } = await makePublicRoom();
  await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { customer_settings: brand } });
  const { html } = await open(room.url);
  expect(html).toContain(`<title>${room.room_name} · Aurora School</title>`);
  expect(html).toContain('<span>Aurora School</span>');
  expect(html).toContain('<img class="logo" src="https://aurora.example/logo.svg"');
  expect(html).toContain('/brand/0b7a4b.css');
  expect(html).toContain('href="https://aurora.example/help"');
  expect(html).toContain('<img src="https://aurora.example/hall.jpg"');
});

test('missing branding of a customer is inherited from the reseller above it', async () => {
  const reseller = await makeCustomer(api, { is_reseller: true, customer_settings: brand });
  const childCustomer = await makeCustomer(api, {
    parent_customer_id: reseller.id,
    customer_settings: { brand_name: 'Pier Nine', primary_color: '#aa3300' },
  });
  const { servicePackage } = await makeRoom(api, { provider });
  const subscription = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: childCustomer.id },
  });
  const account = await api.admin.createAccount({
    body: { account_name: 'Pier', subscription_id: subscription.data.id },
  });
  const { data: room } = await api.admin.createRoom({
    body: { room_name: 'Jetty', account_id: account.data.id, is_public: true },
  });
  const { html } = await open(room.url);
  expect(html).toContain('<span>Pier Nine</span>');
  expect(html).toContain('/brand/aa3300.css');
  expect(html).toContain('src="https://aurora.example/logo.svg"');
});

test.each([
  ['primary_color', 'red'],
  ['logo_url', 'javascript:alert(1)'],
  ['support_url', 'not an address'],
  ['brand_name', 'x'.repeat(101)],
])('invalid branding is rejected for its member %s', async (name, value) => {
  const { customer } = await makePublicRoom();
  const refusal = await refusalOf(
    api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { customer_settings: { [name]: value } } }),
  );
  expect(refusal).toMatchObject({ status: 422 });
  expect(Object.keys(refusal.errors)).toEqual([`customer_settings.${name}`]);
});

test('only origins that the customer allows can embed its rooms', async () => {
  const { room, customer } = await makePublicRoom();
  const readPolicy = async () => (await open(room.url)).headers.get('content-security-policy');
  expect(await readPolicy()).toContain("frame-ancestors 'self';");
  await api.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: { allowed_domains_origins: ['https://portal.aurora.example'] },
  });
  expect(await readPolicy()).toContain("frame-ancestors 'self' https://portal.aurora.example;");
});

test('in an embedded page, cookies are partitioned by the embedding site', async () => {
  const { room } = await makePublicRoom();
  const { headers } = await open(`${room.url}?lang=de`, { 'sec-fetch-dest': 'iframe' });
  const [cookie = ''] = headers.getSetCookie();
  for (const part of ['SameSite=None', 'Secure', 'Partitioned', 'HttpOnly']) expect(cookie).toContain(part);
});

/** Reads server-sent events until the connection ends. */
async function readEvents(url: string, cookie: string) {
  const answer = await fetch(url, { headers: { cookie } });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

async function openWaitingPage(url: string, name: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ name }), redirect: 'manual' });
  expect(answer.headers.get('location')).toContain('/waiting');
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

test('a waiting visitor is notified immediately, and only once, that a moderator has started the meeting', async () => {
  const { room } = await makePublicRoom();
  const address = `${room.url}/waiting/news`;
  const eventStreams = [];
  for (const name of ['Ann', 'Bob']) eventStreams.push(readEvents(address, await openWaitingPage(room.url, name)));
  await api.admin.joinRoom({ params: { room_id: room.id }, body: { role: 'moderator', name: 'Mo' } });
  for (const events of await Promise.all(eventStreams)) {
    expect(events).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8' });
    expect(events.text.match(/event: started/g)).toHaveLength(1);
  }
});

test.each(['\u3164', '\u2800', ' \u200B\u200D ', '\u115F\u1160', '\uFFA0'])(
  'an invisible name is rejected (%j)',
  async (name) => {
    const { room } = await makePublicRoom();
    const answer = await fetch(room.url, { method: 'POST', body: new URLSearchParams({ name }), redirect: 'manual' });
    expect(answer.status).toBe(422);
  },
);

test.each(['PUT', 'PATCH', 'DELETE'])(
  'the method %s is rejected on a room page, with the allowed methods',
  async (method) => {
    const { room } = await makePublicRoom();
    const answer = await fetch(room.url, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    for (const part of ['waiting', 'waiting/news']) {
      const waiting = await fetch(`${room.url}/${part}`, { method });
      expect([waiting.status, waiting.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  },
);

test('visitors who are not waiting get no event stream', async () => {
  const { room } = await makePublicRoom();
  const answer = await fetch(`${room.url}/waiting/news`);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
});

test('a HEAD request of the waiting event stream is answered immediately', async () => {
  const { room } = await makePublicRoom();
  const headers = { cookie: await openWaitingPage(room.url, 'Eve') };
  const answer = await fetch(`${room.url}/waiting/news`, { method: 'HEAD', headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

test('bidirectional characters in names do not affect the page or the meeting server', async () => {
  const reversedName = '\u202Efdp.exe\u202C \u2066x';
  const { room, customer } = await makePublicRoom();
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: reversedName } });
  await api.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: { customer_settings: { brand_name: reversedName } },
  });
  const { html } = await open(room.url);
  expect(html).toContain('<h1>fdp.exe x</h1>');
  expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  const { data } = await api.admin.joinRoom({ params: { room_id: room.id }, body: { role: 'moderator', name: 'Mo' } });
  expect(data.url).toContain(sandbox.url);
  const call = sandbox.control.calls().findLast((candidate) => candidate.call === 'create');
  expect(call?.parameters['name']).toBe('fdp.exe x');
});

/** Pipelines requests on one connection. @returns the responses */
async function pipeline(requests: readonly { url: string; cookie: string }[], durationMs: number): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  for (const { url, cookie } of requests)
    socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}\r\n\r\n`);
  await expect.poll(() => received).toContain('HTTP/1.1 200');
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  socket.destroy();
  return received;
}

test('of two pipelined event streams on one connection, only the first is answered, and the server keeps running', async () => {
  const [idle, busy] = [(await makePublicRoom()).room, (await makePublicRoom()).room];
  const requests = [];
  for (const { url } of [idle, busy])
    requests.push({ url: `${url}/waiting/news`, cookie: await openWaitingPage(url, 'Eve') });
  const pipelined = pipeline(requests, 3500);
  await api.admin.joinRoom({ params: { room_id: busy.id }, body: { role: 'moderator', name: 'Mo' } });
  expect((await pipelined).match(/^HTTP\/1\.1 200/gm)).toHaveLength(1);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
});

test('one address opens at most 300 waiting event streams, and further ones get a 503', async () => {
  const { room } = await makePublicRoom();
  const cookie = await openWaitingPage(room.url, 'Eve');
  const abort = new AbortController();
  const answers = await Promise.all(
    Array.from({ length: 320 }, () => fetch(`${room.url}/waiting/news`, { headers: { cookie }, signal: abort.signal })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(20);
  abort.abort();
});

test('an invalid guest token counts as a failed attempt, and is removed', async () => {
  const { room } = await makePublicRoom();
  const ulid = room.id.slice('room_'.length);
  const { headers, status } = await open(room.url, { cookie: `foyer_guest_${ulid}=frm_guessed` });
  expect(status).toBe(200);
  expect(headers.getSetCookie().join()).toContain(`foyer_guest_${ulid}=;`);
});

test('the name of a guest is in no token and no audit entry', async () => {
  const { room } = await makeRoom(api, {
    provider,
    room: { is_public: true, room_settings: { anyone_can_start: true } },
  });
  await api.anyone.joinRoom({ params: { room_id: room.id }, body: { name: 'Zebra Quagga' } });
  const tokens = await api.admin.listRoomTokens({ params: { room_id: room.id } });
  expect(tokens.data).toMatchObject([{ role: 'guest', name: null }]);
  const { rows } = await api.app.connection.pool.query(
    `select 1 from audit_entries entry where entry::text like '%Zebra Quagga%'
      union all select 1 from events event where event::text like '%Zebra Quagga%'`,
  );
  expect(rows).toEqual([]);
});

test.each(['https://a.example;sandbox', 'https://b.example,script-src', "https://a'b.example", 'https://a b.example'])(
  '%s is rejected as an origin that may embed rooms',
  async (origin) => {
    const { customer } = await makePublicRoom();
    const refusal = await refusalOf(
      api.admin.updateCustomer({
        params: { customer_id: customer.id },
        body: { allowed_domains_origins: [origin] },
      }),
    );
    expect(refusal).toMatchObject({ status: 422, errors: { 'allowed_domains_origins.0': expect.any(Array) } });
  },
);
