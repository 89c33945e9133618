import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFirstPartyClient } from '../src/modules/auth/index.ts';
import { printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

let api: TestApi;
let client: { client_id: string; client_secret: string };
let userClient: { client_id: string; client_secret: string };
const credentials = { username: firstAdmin.username, password: firstAdmin.password };
const userCredentials = { username: 'user@example.com', password: 'a user of a customer' };

beforeAll(async () => {
  api = await startApi();
  await makeCustomer(api, { email: userCredentials.username, password: userCredentials.password });
  const makeClient = async (population: 'admins' | 'users') => {
    const { id, secret } = await createFirstPartyClient(api.app.dependencies, 'test', population);
    return { client_id: printIdentifier('client', id), client_secret: secret };
  };
  client = await makeClient('admins');
  userClient = await makeClient('users');
});
afterAll(() => api.close());

interface Tokens {
  access_token: string;
  refresh_token: string;
}

async function requestToken(body: Record<string, unknown>, headers: Record<string, string> = {}, isForm = false) {
  const answer = await fetch(`${api.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json', ...headers },
    body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Tokens & Record<string, unknown>,
  };
}

function isValid(accessToken: string): Promise<boolean> {
  return api
    .clientWith(accessToken)
    .request('readCallingAdmin')
    .then(({ status }) => status === 200);
}

test('the password grant accepts JSON, forms and HTTP Basic, a user name or an email, and both paths', async () => {
  const grant = { grant_type: 'password', ...credentials };
  const answers = [
    await requestToken({ ...grant, ...client }),
    await requestToken({ ...grant, ...client }, {}, true),
    await requestToken({ ...grant, ...client, username: firstAdmin.email.toUpperCase() }),
    await requestToken(
      grant,
      { authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}` },
      true,
    ),
  ];
  for (const { status, body, headers } of answers) {
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      access_token: expect.any(String),
      refresh_token: expect.any(String),
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await isValid(body.access_token)).toBe(true);
  }
  const versioned = await api.anyone.issueToken({ body: { ...grant, ...client } });
  expect(await isValid(versioned.access_token)).toBe(true);
});

test('the token endpoint returns the errors of RFC 6749', async () => {
  const grant = { grant_type: 'password', ...credentials, ...client };
  const cases: [Record<string, unknown>, number, string][] = [
    [{ ...grant, grant_type: undefined }, 400, 'invalid_request'],
    [{ ...grant, grant_type: 'implicit' }, 400, 'unsupported_grant_type'],
    [{ ...grant, password: undefined }, 400, 'invalid_request'],
    [{ ...grant, password: 'wrong password here' }, 400, 'invalid_grant'],
    [{ ...grant, username: 'nobody' }, 400, 'invalid_grant'],
    [{ ...grant, client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ ...grant, client_id: 'nobody' }, 401, 'invalid_client'],
    [{ grant_type: 'refresh_token', ...client, refresh_token: `frt_${'a'.repeat(43)}` }, 400, 'invalid_grant'],
    [{ ...grant, username: { $gt: '' } }, 400, 'invalid_request'],
  ];
  for (const [body, status, error] of cases) {
    const answer = await requestToken(body);
    expect([answer.status, answer.body['error']]).toEqual([status, error]);
    expect(answer.body).toMatchObject({
      error_description: expect.any(String),
      message: expect.any(String),
      request_id: expect.any(String),
    });
  }
});

test('a requested scope can be narrower than the granted one, never wider', async () => {
  const grant = { grant_type: 'password', ...credentials, ...client };
  const narrow = await requestToken({ ...grant, scope: 'rooms:read settings:read' });
  expect(narrow.body['scope']).toBe('rooms:read settings:read');
  const reader = api.clientWith(narrow.body.access_token);
  expect((await reader.request('listRooms')).status).toBe(200);
  expect((await reader.request('listCustomers')).status).toBe(403);
  expect((await reader.request('createRoom', { body: {} })).status).toBe(403);
  const renew = (scope?: string) =>
    requestToken({
      grant_type: 'refresh_token',
      ...client,
      refresh_token: narrow.body.refresh_token,
      ...(scope ? { scope } : {}),
    });
  expect((await renew('customers:read')).body['error']).toBe('invalid_scope');
  expect((await renew('rooms:read')).body['scope']).toBe('rooms:read');
});

test('a refresh token can be used once; a later use ends the whole family and is audited', async () => {
  const first = (await requestToken({ grant_type: 'password', ...credentials, ...client })).body;
  const renew = (refreshToken: string) =>
    requestToken({ grant_type: 'refresh_token', ...client, refresh_token: refreshToken });
  const second = (await renew(first.refresh_token)).body;
  expect(await isValid(second.access_token)).toBe(true);
  api.clock.advance({ seconds: 11 });
  const reused = await renew(first.refresh_token);
  expect([reused.status, reused.body['error']]).toEqual([400, 'invalid_grant']);
  expect(await isValid(second.access_token)).toBe(false);
  expect((await renew(second.refresh_token)).status).toBe(400);
  const { data: entries } = await api.admin.listAuditEntries({
    query: { search: 'action:oauth_token.reuse_detected' },
  });
  const [entry] = entries;
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${entry?.resource_id}` } });
  expect(events.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['oauth_token.reuse_detected', 'oauth_token.deleted']),
  );
  expect(events.find(({ name }) => name.endsWith('detected'))?.data).toMatchObject({
    object: 'OauthToken',
    kind: 'password',
    client_id: expect.stringMatching(/^client_/),
  });
  expect(entries).toMatchObject([
    { new_values: { owner_name: credentials.username, admin_id: expect.stringMatching(/^admin_/) } },
  ]);
});

test('a rotated refresh token stays rotated when the clock is set back, and its use ends the family', async () => {
  const first = (await requestToken({ grant_type: 'password', ...credentials, ...client })).body;
  const renew = (refreshToken: string) =>
    requestToken({ grant_type: 'refresh_token', ...client, refresh_token: refreshToken });
  const second = (await renew(first.refresh_token)).body;
  api.clock.advance({ seconds: -30 });
  const reused = await renew(first.refresh_token);
  api.clock.advance({ seconds: 30 });
  expect([reused.status, reused.body['error']]).toEqual([400, 'invalid_grant']);
  expect(await isValid(second.access_token)).toBe(false);
});

test('tabs that renew a token concurrently all get valid tokens', async () => {
  const { refresh_token: refreshToken } = await api.anyone.loginAdmin({ body: credentials });
  const renewed = await Promise.all(
    Array.from({ length: 8 }, () => api.anyone.refreshAdmin({ body: { refresh_token: refreshToken } })),
  );
  expect(new Set(renewed.map((pair) => pair.access_token)).size).toBe(8);
  for (const pair of renewed) expect(await isValid(pair.access_token)).toBe(true);
});

test('tokens expire', async () => {
  const pair = await api.anyone.loginAdmin({ body: credentials });
  api.clock.advance({ seconds: 3599 });
  expect(await isValid(pair.access_token)).toBe(true);
  api.clock.advance({ seconds: 2 });
  expect(await isValid(pair.access_token)).toBe(false);
  api.clock.advance({ days: 30 });
  expect((await api.anyone.request('refreshAdmin', { body: { refresh_token: pair.refresh_token } })).status).toBe(401);
});

test('logging out revokes the tokens of the login and no other tokens, also at the root path', async () => {
  const [one, two] = [
    await api.anyone.loginAdmin({ body: credentials }),
    await api.anyone.loginAdmin({ body: credentials }),
  ];
  const answer = await fetch(`${api.url}/logout`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${one.access_token}` },
  });
  expect([answer.status, await answer.json()]).toEqual([202, { message: expect.any(String) }]);
  expect(await isValid(one.access_token)).toBe(false);
  expect((await api.anyone.request('refreshAdmin', { body: { refresh_token: one.refresh_token } })).status).toBe(401);
  expect(await isValid(two.access_token)).toBe(true);
});

test('the proxy login has the same error for an unknown name, a wrong password and an inactive account', async () => {
  const { db } = api.app.dependencies;
  const refusals = [
    await api.anyone.request('loginAdmin', { body: { username: 'nobody', password: 'wrong password here' } }),
    await api.anyone.request('loginAdmin', { body: { ...credentials, password: 'wrong password here' } }),
  ];
  await db.updateTable('admins').set({ status: 'inactive' }).execute();
  refusals.push(await api.anyone.request('loginAdmin', { body: credentials }));
  await db.updateTable('admins').set({ status: 'active' }).execute();
  const bodies = refusals.map(({ status, body }) => ({ status, ...(body as object), request_id: null }));
  expect(bodies[0]).toMatchObject({
    status: 422,
    code: 'wrong-credentials',
    errors: { username: [expect.any(String)] },
  });
  expect(bodies[1]).toEqual(bodies[0]);
  expect(bodies[2]).toEqual(bodies[0]);
});

test('the proxy login at the root path sets a cookie that refreshes the session', async () => {
  const login = await fetch(`${api.url}/oauth/proxy/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: api.url },
    body: JSON.stringify(credentials),
  });
  const cookie = login.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^refresh_token=frt_[\w-]+; Max-Age=2592000; Path=\/oauth; HttpOnly; SameSite=Strict$/);
  const renewed = await fetch(`${api.url}/oauth/proxy/login/refresh`, {
    method: 'POST',
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  expect(renewed.status).toBe(200);
  expect(await isValid(((await renewed.json()) as Tokens).access_token)).toBe(true);
});

test('pages of other origins cannot use the proxy logins', async () => {
  const answer = await fetch(`${api.url}/oauth/proxy/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://elsewhere.example' },
    body: JSON.stringify(credentials),
  });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'origin-refused' }]);
});

test('administrators cannot sign in as users, nor users as administrators', async () => {
  const admin = await api.anyone.loginAdmin({ body: credentials });
  const user = await api.anyone.loginUser({ body: userCredentials });
  expect(
    (await api.anyone.request('loginUser', { body: { username: firstAdmin.email, password: firstAdmin.password } }))
      .status,
  ).toBe(422);
  expect((await api.anyone.request('loginAdmin', { body: userCredentials })).status).toBe(422);
  expect((await api.anyone.request('refreshUser', { body: { refresh_token: admin.refresh_token } })).status).toBe(401);
  expect((await api.anyone.request('refreshAdmin', { body: { refresh_token: user.refresh_token } })).status).toBe(401);
  expect((await requestToken({ grant_type: 'password', ...userCredentials, ...client })).body['error']).toBe(
    'invalid_grant',
  );
  expect((await requestToken({ grant_type: 'password', ...userCredentials, ...userClient })).status).toBe(200);
  expect(
    (await requestToken({ grant_type: 'refresh_token', ...userClient, refresh_token: admin.refresh_token })).status,
  ).toBe(400);
  expect((await api.clientWith(user.access_token).request('readCallingAdmin')).status).toBe(403);
  expect((await api.clientWith(admin.access_token).request('readCallingUser')).status).toBe(403);
  const me = await api.clientWith(user.access_token).readCallingUser();
  expect(me.data.email).toBe(userCredentials.username);
});

test('passwords and tokens are neither stored nor logged in plain text', async () => {
  const { access_token: access, refresh_token: refresh } = await api.anyone.loginAdmin({ body: credentials });
  const { rows } = await api.app.connection.pool.query(
    "select string_agg(t::text, '') as all from (select * from access_tokens) t",
  );
  const stored = String(rows[0].all);
  expect(stored).not.toContain(access);
  for (const secret of [access, refresh, credentials.password, client.client_secret])
    expect(api.log()).not.toContain(secret);
});
