import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer } from './factories.ts';

let api: TestApi;
let otherProcess: TestApi;
beforeAll(async () => {
  api = await startApi();
  otherProcess = await api.another();
});
afterAll(async () => {
  await otherProcess.close();
  await api.close();
});

function call(path: string, origin: string | null, init: RequestInit = {}, node: TestApi = api): Promise<Response> {
  return fetch(`${node.url}${path}`, {
    ...init,
    headers: { ...(origin === null ? {} : { origin }), ...(init.headers as Record<string, string>) },
  });
}

function preflight(path: string, origin: string, method = 'POST', node: TestApi = api): Promise<Response> {
  const headers = { 'access-control-request-method': method, 'access-control-request-headers': 'authorization' };
  return call(path, origin, { method: 'OPTIONS', headers }, node);
}

async function isAllowed(origin: string, node: TestApi = api): Promise<boolean> {
  return (await call('/api/v1/rooms', origin, {}, node)).headers.get('access-control-allow-origin') === origin;
}

function corsHeadersOf(response: Response): string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
}

test('pages of an allowed origin can read responses, errors and the exposed header fields', async () => {
  await makeCustomer(api, { allowed_domains_origins: ['https://App.Example.com:443/'] });
  for (const path of ['/api/v1/rooms', '/api/v1/nowhere', '/api/v1/rooms/room_0']) {
    const response = await call(path, 'https://app.example.com');
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['etag', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after']),
    );
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toMatch(/\borigin\b/i);
  }
});

test('other origins get no CORS headers, also in a preflight', async () => {
  await makeCustomer(api, { allowed_domains_origins: ['https://exact.example.com'] });
  const refusedOrigins = [
    'https://evil.example',
    'http://exact.example.com',
    'https://exact.example.com:8443',
    'https://exact.example.com.evil.example',
    'https://sub.exact.example.com',
    'https://exact.example.com/path',
    'https://user@exact.example.com',
    'null',
    'file://',
    '%',
    `https://${'a'.repeat(5000)}.example`,
  ];
  for (const origin of refusedOrigins) {
    const rejected = await call('/api/v1/rooms', origin);
    expect([origin, corsHeadersOf(rejected), rejected.status]).toEqual([origin, [], 401]);
    expect(rejected.headers.get('vary')).toMatch(/\borigin\b/i);
    const response = await preflight('/api/v1/rooms', origin);
    expect([origin, corsHeadersOf(response), response.status]).toEqual([origin, [], 204]);
  }
  expect(corsHeadersOf(await call('/api/v1/rooms', null))).toEqual([]);
});

test('a preflight needs no token, and returns the methods of the path and the allowed header fields', async () => {
  await makeCustomer(api, { allowed_domains_origins: ['https://ask.example.com'] });
  const response = await preflight('/api/v1/rooms', 'https://ask.example.com');
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect(response.headers.get('access-control-allow-origin')).toBe('https://ask.example.com');
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
  expect(response.headers.get('access-control-allow-headers')).toBe(
    'authorization, content-type, idempotency-key, if-match, if-none-match, x-request-id',
  );
  expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect(response.headers.get('x-request-id')).toMatch(/\S/);
  const plain = await call('/api/v1/rooms', 'https://ask.example.com', { method: 'OPTIONS' });
  expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST']);
  expect((await preflight('/api/v1/nowhere', 'https://ask.example.com')).status).toBe(404);
});

test('pages of the platform can call the API', async () => {
  expect(await isAllowed(api.url)).toBe(true);
});

test("the proxy logins accept only the platform's own pages, regardless of the origins that customers allow", async () => {
  await makeCustomer(api, { allowed_domains_origins: ['https://login.example.com'] });
  const paths = ['login', 'login/refresh', 'users/login', 'users/login/refresh'];
  for (const path of paths.flatMap((name) => [`/oauth/proxy/${name}`, `/api/v1/oauth/proxy/${name}`])) {
    const preflightResponse = await preflight(path, 'https://login.example.com');
    expect([path, corsHeadersOf(preflightResponse)]).toEqual([path, []]);
    const response = await call(path, 'https://login.example.com', {
      method: 'POST',
      body: '{"username":"root","password":"wrong","refresh_token":"frt_x"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([path, response.status, corsHeadersOf(response)]).toEqual([path, 403, []]);
  }
  const token = await preflight('/oauth/token', 'https://login.example.com');
  expect(token.headers.get('access-control-allow-origin')).toBe('https://login.example.com');
});

test('pages, assets, the reference and the probes have no CORS headers', async () => {
  await makeCustomer(api, { allowed_domains_origins: ['https://pages.example.com'] });
  for (const path of ['/docs', '/openapi.json', '/healthz', '/readyz', '/metrics', '/rooms/x/y', '/console/']) {
    expect([path, corsHeadersOf(await call(path, 'https://pages.example.com'))]).toEqual([path, []]);
  }
});

test("a change of a customer's origins or status takes effect at once in every process", async () => {
  const origin = 'https://changing.example.com';
  const isAllowedInBoth = async () => [await isAllowed(origin), await isAllowed(origin, otherProcess)];
  expect(await isAllowedInBoth()).toEqual([false, false]);
  const customer = await makeCustomer(api, { allowed_domains_origins: [origin] });
  const params = { customer_id: customer.id };
  expect(await isAllowedInBoth()).toEqual([true, true]);
  const change = (body: Parameters<typeof api.admin.updateCustomer>[0]['body']) =>
    otherProcess.admin.updateCustomer({ params, body });
  await change({ allowed_domains_origins: [] });
  expect(await isAllowedInBoth()).toEqual([false, false]);
  await change({ allowed_domains_origins: [origin], status: 'suspended' });
  expect(await isAllowedInBoth()).toEqual([true, true]);
  await change({ status: 'inactive' });
  expect(await isAllowedInBoth()).toEqual([false, false]);
  await change({ status: 'active' });
  expect(await isAllowedInBoth()).toEqual([true, true]);
  await change({ status: 'terminated' });
  expect(await isAllowedInBoth()).toEqual([false, false]);
  await api.admin.deleteCustomer({ params });
  expect(await isAllowedInBoth()).toEqual([false, false]);
});

test('an origin that two customers list stays allowed while one of them is active and lists it', async () => {
  const origin = 'https://shared.example.com';
  const one = await makeCustomer(api, { allowed_domains_origins: [origin] });
  const two = await makeCustomer(api, { allowed_domains_origins: [origin, 'https://more.example.com'] });
  await api.admin.updateCustomer({ params: { customer_id: one.id }, body: { allowed_domains_origins: [] } });
  expect(await isAllowed(origin)).toBe(true);
  await api.admin.updateCustomer({ params: { customer_id: two.id }, body: { status: 'inactive' } });
  expect(await isAllowed(origin)).toBe(false);
});

test('pages at a redirect URI of a public OAuth client can call the API while it is registered; pages of confidential clients cannot', async () => {
  const isAllowedInBoth = async (origin: string) => [await isAllowed(origin), await isAllowed(origin, otherProcess)];
  const client = {
    population: 'users' as const,
    grants: ['authorization_code' as const],
    scopes: ['rooms:read'],
  };
  expect(await isAllowedInBoth('https://spa.example.com')).toEqual([false, false]);
  const { data: spa } = await api.admin.createOauthClient({
    body: { ...client, name: 'Page', confidential: false, redirect_uris: ['https://spa.example.com/callback'] },
  });
  await api.admin.createOauthClient({
    body: { ...client, name: 'Server', confidential: true, redirect_uris: ['https://server.example.com/callback'] },
  });
  expect(await isAllowedInBoth('https://spa.example.com')).toEqual([true, true]);
  expect(await isAllowedInBoth('https://spa.example.co')).toEqual([false, false]);
  expect(await isAllowedInBoth('https://server.example.com')).toEqual([false, false]);
  const params = { client_id: spa.id };
  await otherProcess.admin.updateOauthClient({
    params,
    body: { redirect_uris: ['https://moved.example.com/callback'] },
  });
  expect(await isAllowedInBoth('https://spa.example.com')).toEqual([false, false]);
  expect(await isAllowedInBoth('https://moved.example.com')).toEqual([true, true]);
  await api.admin.deleteOauthClient({ params });
  expect(await isAllowedInBoth('https://moved.example.com')).toEqual([false, false]);
});

test('only origins can be listed, and they are normalized', async () => {
  const customer = await makeCustomer(api, {
    allowed_domains_origins: ['HTTPS://Usual.Example.com:443', 'http://localhost:3000/'],
  });
  expect(customer.allowed_domains_origins).toEqual(['https://usual.example.com', 'http://localhost:3000']);
  const rejected = await api.admin.request('updateCustomer', {
    params: { customer_id: customer.id },
    body: {
      allowed_domains_origins: ['*', 'https://*.example.com', 'https://a.example/path', 'null', 'ftp://a.example'],
    },
  });
  expect(rejected.status).toBe(422);
  expect(Object.keys((rejected.body as { errors: object }).errors)).toEqual(
    [0, 1, 2, 3, 4].map((index) => `allowed_domains_origins.${index}`),
  );
});
