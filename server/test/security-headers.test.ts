import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const commonHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};
const apiHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

function expectHeaders(
  label: string,
  headers: Headers | Map<string, string>,
  expected: Readonly<Record<string, string>>,
  devices = 'camera=()',
) {
  for (const [name, value] of Object.entries(expected)) {
    expect([label, name, headers.get(name) ?? null]).toEqual([label, name, value]);
  }
  expect([label, headers.get('permissions-policy')]).toEqual([label, expect.stringContaining(devices)]);
  for (const name of ['server', 'x-powered-by', 'x-aspnet-version']) {
    expect([label, name, headers.has(name)]).toEqual([label, name, false]);
  }
}

/** Sends raw bytes. @returns status, headers and body of the response */
async function sendRaw(bytes: string | Buffer, node: TestApi = api) {
  const socket = connect(Number(new URL(node.url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
  const [head = '', body = ''] = Buffer.concat(pieces).toString('utf8').split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), value.join(': ')] as const;
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body };
}

test('answers of the API cannot be executed, framed or sniffed, and shared caches do not store them', async () => {
  const read = await api.admin.request('listRooms');
  expectHeaders('read', read.headers, { ...apiHeaders, 'cache-control': 'private, no-cache' });
  const written = await api.admin.request('createServicePackage', { body: { name: 'Headers' } });
  expect(written.status).toBe(201);
  expectHeaders('write', written.headers, { ...apiHeaders, 'cache-control': 'no-store' });
});

test('errors have the same headers, and are not cached', async () => {
  const cases: [string, Promise<Response>, number][] = [
    ['unauthenticated', fetch(`${api.url}/api/v1/rooms`), 401],
    ['unknown path', fetch(`${api.url}/api/v1/nowhere`), 404],
    ['unknown path elsewhere', fetch(`${api.url}/nowhere`), 404],
    ['other verb', fetch(`${api.url}/api/v1/rooms`, { method: 'PUT' }), 405],
    ['malformed body', post('{'), 400],
    ['large body', post(`{"a":"${'x'.repeat(1_100_000)}"}`), 413],
    ['bad path', fetch(`${api.url}/api/v1/rooms/%zz`), 400],
    ['long path', fetch(`${api.url}/api/v1/rooms/${'x'.repeat(3000)}`), 414],
  ];
  for (const [label, sent, status] of cases) {
    const answer = await sent;
    const body = (await answer.json()) as { request_id: string };
    expect([label, answer.status]).toEqual([label, status]);
    expectHeaders(label, answer.headers, { ...apiHeaders, 'cache-control': 'no-store' });
    expect([label, Object.keys(body)]).toEqual([label, ['message', 'errors', 'code', 'request_id']]);
    expect([label, answer.headers.get('x-request-id')]).toEqual([label, body.request_id]);
  }
});

function post(body: string): Promise<Response> {
  return fetch(`${api.url}/api/v1/rooms`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}

test('malformed HTTP and oversized headers get the usual error format, and the connection is closed', async () => {
  const cases: [string, string, number, string][] = [
    ['not HTTP', 'nonsense\r\n\r\n', 400, 'malformed-request'],
    [
      'a wrong length',
      'POST /api/v1/rooms HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n',
      400,
      'malformed-request',
    ],
    [
      'two lengths',
      'POST /api/v1/rooms HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed-request',
    ],
    ['an unknown verb', 'NONSENSE /api/v1/rooms HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed-request'],
    ['large fields', `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
  ];
  for (const [label, bytes, status, code] of cases) {
    const answer = await sendRaw(bytes);
    expect([label, answer.status]).toEqual([label, status]);
    expectHeaders(label, answer.headers, { ...apiHeaders, 'cache-control': 'no-store', connection: 'close' });
    const body = JSON.parse(answer.body) as { code: string; request_id: string };
    expect([label, body.code, body.request_id]).toEqual([label, code, answer.headers.get('x-request-id')]);
    expect(api.log()).toContain(body.request_id);
  }
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
});

test('pages keep the security headers that they set themselves, and get the common ones', async () => {
  const { room } = await makeRoom(api);
  const page = await fetch(`${api.url}/rooms/${room.id}/${room.slug}`);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  const joinPageHeaders = {
    ...commonHeaders,
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'unsafe-none',
    'cache-control': 'no-store',
  };
  // The join page shows whether the browser has a camera and a microphone.
  expectHeaders('join page', page.headers, joinPageHeaders, 'camera=(self), microphone=(self), display-capture=()');
  const consent = await fetch(`${api.url}/oauth/authorize`);
  expectHeaders('consent', consent.headers, { ...commonHeaders, 'cross-origin-opener-policy': 'unsafe-none' });
  const reference = await fetch(`${api.url}/docs`);
  expect(reference.headers.get('content-security-policy')).toContain("style-src 'self'");
  expectHeaders('reference', reference.headers, { ...commonHeaders, 'cross-origin-opener-policy': 'same-origin' });
  const script = await fetch(`${api.url}/docs/reference.js`);
  expectHeaders('script', script.headers, apiHeaders);
  expectHeaders('probe', (await fetch(`${api.url}/healthz`)).headers, apiHeaders);
});

test('HSTS is sent over TLS, and only then', async () => {
  const proxied = await startApi({ trustProxy: 'loopback', requireHttps: true });
  const secure = await fetch(`${proxied.url}/api/v1/rooms`, { headers: { 'x-forwarded-proto': 'https' } });
  expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000');
  const plain = await fetch(`${proxied.url}/api/v1/rooms`);
  expect([plain.status, plain.headers.get('strict-transport-security')]).toEqual([403, null]);
  expectHeaders('refused', plain.headers, { ...apiHeaders, 'cache-control': 'no-store' });
  await proxied.close();
});

test('a valid request id is in the answer, the error, the log and the audit log; an invalid one is replaced', async () => {
  const validId = 'trace-7.A_b';
  const answer = await api.admin.request('createServicePackage', {
    body: { name: 'Traced' },
    headers: { 'x-request-id': validId },
  });
  expect(answer.headers.get('x-request-id')).toBe(validId);
  const entries = await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select('action')
    .where('request_id', '=', validId)
    .execute();
  expect(entries).toEqual([{ action: 'service_package.created' }]);
  const line = api
    .log()
    .split('\n')
    .find((line) => line.includes(`"${validId}"`) && line.includes('"request"'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ reqId: validId, status: 201 });
  for (const [path, method] of [
    ['/api/v1/nowhere', 'GET'],
    ['/api/v1/rooms', 'PUT'],
    ['/api/v1/rooms', 'OPTIONS'],
    ['/api/v1/rooms/%zz', 'GET'],
    ['/docs', 'GET'],
    ['/healthz', 'GET'],
    ['/rooms/x/y', 'GET'],
  ] as const) {
    const headers = { 'x-request-id': `id-${method}-1` };
    const echoed = await fetch(`${api.url}${path}`, { method, headers });
    expect([path, method, echoed.headers.get('x-request-id')]).toEqual([path, method, `id-${method}-1`]);
  }
  for (const wrong of ['', ' ', 'two words', 'ü', 'x'.repeat(129), 'a"b', '<script>']) {
    const replaced = await sendRequestId(wrong);
    expect([wrong, replaced]).toEqual([wrong, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  }
});

async function sendRequestId(id: string): Promise<string | undefined> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest(`${api.url}/api/v1/rooms`, {
      headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
    });
    request.on('response', (response) => {
      response.resume();
      const requestId = response.headers['x-request-id'];
      resolve(typeof requestId === 'string' ? requestId : undefined);
    });
    request.on('error', reject);
    request.end();
  });
}
