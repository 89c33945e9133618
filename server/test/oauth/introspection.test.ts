import { scopes } from '@foyer/contract/conventions/scope.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import { makeCustomer } from '../factories.ts';
import { firstAdmin } from '../first-admin.ts';
import {
  adminLogin,
  basicAuthorization,
  getCode,
  exchangeCode,
  post,
  registerClient,
  type TestClient,
} from './protocol.ts';

let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi();
  client = await registerClient(api, { scopes: ['rooms:read', 'rooms:write'] });
});
afterAll(() => api.close());

async function introspect(token: string, caller = client) {
  return (await post(api, '/oauth/introspect', { token }, basicAuthorization(caller.id, caller.secret))).body;
}

test('RFC 7662 2.2: an active token is described with its scope, client, owner and times, at both paths', async () => {
  const { body: pair } = await exchangeCode(api, client, { code: await getCode(api, client) });
  const { data: me } = await api.admin.readCallingAdmin();
  const nowSeconds = Math.floor(api.clock.nowMs() / 1000);
  const expected = {
    active: true,
    scope: 'rooms:read rooms:write',
    client_id: client.id,
    username: firstAdmin.username,
    token_type: 'Bearer',
    exp: nowSeconds + 3600,
    iat: nowSeconds,
    sub: me.id,
    iss: api.url,
  };
  expect(await introspect(String(pair['access_token']))).toEqual(expected);
  const versioned = await post(api, '/api/v1/oauth/introspect', {
    token: String(pair['access_token']),
    ...client.credentials,
  });
  expect([versioned.body, versioned.headers.get('cache-control')]).toEqual([expected, 'no-store']);
  const refresh = await introspect(String(pair['refresh_token']));
  expect(refresh).toMatchObject({ active: true, exp: nowSeconds + 30 * 86_400 });
  expect(refresh).not.toHaveProperty('token_type');
});

test('RFC 7662 2.2: a token of client credentials has the client itself as its subject', async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read'],
  });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  const introspected = await introspect(String(body['access_token']));
  expect(introspected).toMatchObject({ active: true, sub: machine.id, client_id: machine.id, scope: 'rooms:read' });
  expect(introspected).not.toHaveProperty('username');
});

test('RFC 7662 2.2: a replaced, revoked or unknown token is only reported as not active', async () => {
  const { body: pair } = await exchangeCode(api, client, { code: await getCode(api, client) });
  const { body: renewed } = await post(api, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: String(pair['refresh_token']),
    ...client.credentials,
  });
  expect(await introspect(String(pair['refresh_token']))).toEqual({ active: false });
  await post(api, '/oauth/revoke', { token: String(renewed['access_token']), ...client.credentials });
  for (const token of [
    String(pair['access_token']),
    String(renewed['access_token']),
    String(renewed['refresh_token']),
    `fat_${'x'.repeat(43)}`,
    'nonsense',
    client.secret,
  ])
    expect(await introspect(token)).toEqual({ active: false });
});

test('RFC 7662 4: a client sees only tokens of its own population', async () => {
  await makeCustomer(api, { email: 'user@example.com', password: 'a user of a customer' });
  const { access_token: userToken } = await api.anyone.loginUser({
    body: { username: 'user@example.com', password: 'a user of a customer' },
  });
  const { access_token: adminToken } = await api.anyone.loginAdmin({ body: adminLogin });
  const usersClient = await registerClient(api, { population: 'users' });
  expect(await introspect(userToken)).toEqual({ active: false });
  expect(await introspect(adminToken, usersClient)).toEqual({ active: false });
  expect(await introspect(userToken, usersClient)).toMatchObject({ active: true, username: 'user@example.com' });
  expect(await introspect(adminToken)).toMatchObject({ active: true });
});

test('RFC 7662 2.1: only confidential clients that authenticate can introspect tokens', async () => {
  const { access_token: token } = await api.anyone.loginAdmin({ body: adminLogin });
  const publicClient = await registerClient(api, { confidential: false });
  const attempts: [Record<string, string>, Record<string, string>][] = [
    [{ token }, {}],
    [{ token, client_id: client.id }, {}],
    [{ token, client_id: client.id, client_secret: 'wrong' }, {}],
    [{ token, client_id: publicClient.id }, {}],
    [{ token }, { authorization: `Bearer ${token}` }],
  ];
  for (const [body, headers] of attempts) {
    const answer = await post(api, '/oauth/introspect', body, headers);
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client']);
    expect(answer.body).not.toHaveProperty('active');
  }
  const withoutToken = await post(api, '/oauth/introspect', { ...client.credentials });
  expect([withoutToken.status, withoutToken.body['error']]).toEqual([400, 'invalid_request']);
});

test('introspection does not count as a use of the token', async () => {
  const { body } = await exchangeCode(api, client, { code: await getCode(api, client) });
  await introspect(String(body['access_token']));
  const { data } = await api.admin.listOauthTokens({ query: { search: 'kind:authorization', orderBy: 'created_at' } });
  expect(data.some(({ last_used_at }) => last_used_at === null)).toBe(true);
});

test('RFC 8414 3: the metadata is at both paths, and every endpoint in it responds', async () => {
  const answer = await fetch(`${api.url}/.well-known/oauth-authorization-server`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^application\/json/),
  ]);
  const metadata = (await answer.json()) as Record<string, unknown>;
  expect(metadata).toEqual({
    issuer: api.url,
    authorization_endpoint: `${api.url}/oauth/authorize`,
    token_endpoint: `${api.url}/oauth/token`,
    revocation_endpoint: `${api.url}/oauth/revoke`,
    introspection_endpoint: `${api.url}/oauth/introspect`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${api.url}/docs`,
  });
  for (const name of ['token_endpoint', 'revocation_endpoint', 'introspection_endpoint'])
    expect((await fetch(String(metadata[name]), { method: 'POST' })).status).toBeLessThan(402);
  expect(await api.anyone.readAuthorizationServer()).toEqual(metadata);
  await api.admin.updateSettings({ body: { public_url: 'https://meet.example.com' } });
  expect((await api.anyone.readAuthorizationServer()).issuer).toBe('https://meet.example.com');
  await api.admin.updateSettings({ body: { public_url: null } });
});
