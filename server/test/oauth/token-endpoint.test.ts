import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import { makeCustomer } from '../factories.ts';
import {
  adminLogin,
  basicAuthorization,
  getCode,
  exchangeCode,
  formText,
  post,
  registerClient,
  type TestClient,
  isAccepted,
} from './protocol.ts';

let api: TestApi;
let client: TestClient;
let machine: TestClient;
let firstPartyClient: TestClient;

beforeAll(async () => {
  api = await startApi();
  client = await registerClient(api, { scopes: ['rooms:read', 'rooms:write'] });
  machine = await registerClient(api, {
    name: 'Billing',
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read', 'customers:read', 'customers:write'],
  });
  firstPartyClient = await registerClient(api, {
    first_party: true,
    grants: ['password', 'refresh_token'],
    redirect_uris: [],
  });
});
afterAll(() => api.close());

const requestToken = (body: Parameters<typeof post>[2], headers: Record<string, string> = {}) =>
  post(api, '/oauth/token', body, headers);

async function requestError(body: Parameters<typeof post>[2], headers: Record<string, string> = {}) {
  const { status, body: answer } = await requestToken(body, headers);
  return [status, answer['error']];
}

test('RFC 6749 5.2: an unknown client gets a 401 with WWW-Authenticate if it used HTTP Basic', async () => {
  const grant = { grant_type: 'client_credentials' };
  for (const [id, secret] of [
    ['client_01jd0000000000000000000000', 'x'],
    ['nobody', 'x'],
    [machine.id, 'wrong'],
    [machine.id, ''],
  ] as const) {
    const answer = await requestToken(grant, basicAuthorization(id, secret));
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
  }
});

test('RFC 6749 5.2: a missing or wrong client secret in the body causes invalid_client', async () => {
  const grant = { grant_type: 'client_credentials' };
  expect(await requestError({ ...grant, client_id: machine.id })).toEqual([401, 'invalid_client']);
  expect(await requestError({ ...grant, client_id: machine.id, client_secret: 'wrong' })).toEqual([
    401,
    'invalid_client',
  ]);
  expect(await requestError({ ...grant, client_id: machine.id, client_secret: client.secret })).toEqual([
    401,
    'invalid_client',
  ]);
  expect(await requestError(grant)).toEqual([401, 'invalid_client']);
});

test('RFC 6749 2.3: authenticating in two ways at once is an invalid request', async () => {
  const grant = { grant_type: 'client_credentials', ...machine.credentials };
  expect(await requestError(grant, basicAuthorization(machine.id, machine.secret))).toEqual([400, 'invalid_request']);
  const otherGrant = { grant_type: 'client_credentials', client_id: client.id };
  expect(await requestError(otherGrant, basicAuthorization(machine.id, machine.secret))).toEqual([
    400,
    'invalid_request',
  ]);
});

test('RFC 6749 2.3.1: id and secret in HTTP Basic are form-encoded', async () => {
  const encoded = basicAuthorization(machine.id.replace('_', '%5F'), machine.secret.replace('_', '%5f'));
  expect((await requestToken({ grant_type: 'client_credentials' }, encoded)).status).toBe(200);
  expect(await requestError({ grant_type: 'client_credentials' }, basicAuthorization('%zz', 'x'))).toEqual([
    401,
    'invalid_client',
  ]);
  expect(await requestError({ grant_type: 'client_credentials' }, { authorization: 'Basic ???' })).toEqual([
    401,
    'invalid_client',
  ]);
});

test('RFC 6749 3.2: a repeated parameter is an invalid request', async () => {
  const grant = formText({ grant_type: 'client_credentials', ...machine.credentials });
  expect(await requestError(`${grant}&scope=rooms%3Aread&scope=customers%3Aread`)).toEqual([400, 'invalid_request']);
  expect(await requestError(`${grant}&grant_type=client_credentials`)).toEqual([400, 'invalid_request']);
});

test('RFC 6749 3.2: empty parameters count as omitted, and unknown parameters are ignored', async () => {
  const grant = { grant_type: 'client_credentials', ...machine.credentials };
  const answer = await requestToken({ ...grant, scope: '', resource: 'urn:x' });
  expect([answer.status, answer.body['scope']]).toEqual([200, 'rooms:read customers:read customers:write']);
  expect(await requestError({ ...grant, grant_type: '' })).toEqual([400, 'invalid_request']);
});

test('RFC 6749 3.2: the token endpoint answers to POST only', async () => {
  const answer = await fetch(`${api.url}/oauth/token?${formText({ ...machine.credentials })}`);
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});

test('RFC 6749 5.2: an unknown grant causes unsupported_grant_type, and a grant that the client lacks unauthorized_client', async () => {
  expect(
    await requestError({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', ...machine.credentials }),
  ).toEqual([400, 'unsupported_grant_type']);
  expect(await requestError({ grant_type: 'implicit', ...machine.credentials })).toEqual([
    400,
    'unsupported_grant_type',
  ]);
  expect(await requestError({ grant_type: 'client_credentials', ...client.credentials })).toEqual([
    400,
    'unauthorized_client',
  ]);
  expect(await requestError({ grant_type: 'password', ...adminLogin, ...client.credentials })).toEqual([
    400,
    'unauthorized_client',
  ]);
  expect(await requestError({ grant_type: 'authorization_code', code: 'x', ...machine.credentials })).toEqual([
    400,
    'unauthorized_client',
  ]);
});

test('RFC 6749 5.1 and 5.2: neither tokens nor errors may be cached', async () => {
  const granted = await requestToken({ grant_type: 'client_credentials', ...machine.credentials });
  expect([granted.headers.get('cache-control'), granted.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  const rejected = await requestToken({ grant_type: 'client_credentials', client_id: machine.id });
  expect(rejected.headers.get('cache-control')).toBe('no-store');
  expect(rejected.headers.get('content-type')).toMatch(/^application\/json/);
  expect(rejected.body).toMatchObject({ error_description: expect.any(String), message: expect.any(String) });
});

test('RFC 6749 4.4.3: client credentials return an access token without an owner, and no refresh token', async () => {
  const { body } = await requestToken({ grant_type: 'client_credentials', ...machine.credentials });
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  expect(body).not.toHaveProperty('refresh_token');
  const caller = api.clientWith(String(body['access_token']));
  expect((await caller.request('listRooms')).status).toBe(200);
  expect((await caller.request('createRoom', { body: {} })).status).toBe(403);
  expect((await caller.request('listSubscriptions')).status).toBe(403);
  const customer = await caller.createCustomer({
    body: {
      customer_type: 'personal',
      first_name: 'Made',
      last_name: 'By a machine',
      email: 'machine@example.com',
      country: 'PT',
      currency: 'EUR',
      password: 'made by a machine 1',
    },
  });
  const { rows } = await api.app.connection.pool.query(
    "select actor_type, actor_name, client_name from audit_entries where action = 'customer.created' and resource_id = $1",
    [customer.data.uuid],
  );
  expect(rows).toEqual([{ actor_type: 'client', actor_name: 'Billing', client_name: 'Billing' }]);
});

test('RFC 6749 3.3: client credentials never get the scope *, neither on request nor by default', async () => {
  const fullClient = await registerClient(api, { redirect_uris: [], grants: ['client_credentials'], scopes: ['*'] });
  const grant = { grant_type: 'client_credentials', ...fullClient.credentials };
  expect(await requestError({ ...grant, scope: '*' })).toEqual([400, 'invalid_scope']);
  expect(await requestError({ ...grant, scope: 'rooms:read *' })).toEqual([400, 'invalid_scope']);
  expect(await requestError(grant)).toEqual([400, 'invalid_scope']);
  expect((await requestToken({ ...grant, scope: 'rooms:read' })).body['scope']).toBe('rooms:read');
});

test('RFC 6749 3.3: a scope that is unknown or that the client lacks causes invalid_scope, and the error names it', async () => {
  const grant = { grant_type: 'client_credentials', ...machine.credentials };
  for (const [scope, sentence] of [
    ['rooms:write', 'The client may not request the scope rooms:write.'],
    ['customers:read rooms:write', 'The client may not request the scope rooms:write.'],
    ['rooms', 'There is no scope rooms.'],
    ['rooms:read rooms:destroy', 'There is no scope rooms:destroy.'],
    ['rooms:read,customers:read', 'There is no scope rooms:read,customers:read.'],
  ] as const) {
    const { status, body } = await requestToken({ ...grant, scope });
    expect([status, body['error'], body['error_description'], body['message']]).toEqual([
      400,
      'invalid_scope',
      sentence,
      sentence,
    ]);
  }
  expect(await requestError({ ...grant, scope: 'rooms:read "x"' })).toEqual([400, 'invalid_scope']);
  const passwordGrant = { grant_type: 'password', ...adminLogin, ...firstPartyClient.credentials };
  expect(await requestError({ ...passwordGrant, scope: 'rooms:destroy' })).toEqual([400, 'invalid_scope']);
  expect((await requestToken({ ...passwordGrant, scope: 'rooms:read rooms:read' })).body['scope']).toBe('rooms:read');
});

test('RFC 6749 4.3: the password grant is for first-party clients, and returns the same error for every wrong login', async () => {
  const grant = { grant_type: 'password', ...firstPartyClient.credentials };
  expect((await requestToken({ ...grant, ...adminLogin })).status).toBe(200);
  const wrong = await requestToken({ ...grant, ...adminLogin, password: 'a wrong password' });
  const unknown = await requestToken({ ...grant, username: 'nobody', password: 'a wrong password' });
  expect([wrong.status, wrong.body['error']]).toEqual([400, 'invalid_grant']);
  expect({ ...unknown.body, request_id: null }).toEqual({ ...wrong.body, request_id: null });
});

test('RFC 6749 appendix A: a password may have characters of every script, and no control characters', async () => {
  const password = 'grüße 🌍 из Лиссабона';
  await makeCustomer(api, { email: 'script@example.com', password });
  const users = await registerClient(api, {
    population: 'users',
    first_party: true,
    redirect_uris: [],
    grants: ['password'],
  });
  const grant = { grant_type: 'password', username: 'script@example.com', ...users.credentials };
  expect((await requestToken({ ...grant, password })).status).toBe(200);
  expect(await requestError({ ...grant, password: `${password}\n` })).toEqual([400, 'invalid_request']);
});

test('RFC 6749 5.2: a missing or malformed parameter of a grant is an invalid request', async () => {
  const login = { grant_type: 'password', ...firstPartyClient.credentials };
  const renewal = { grant_type: 'refresh_token', ...firstPartyClient.credentials };
  for (const body of [
    { ...login, username: 'root' },
    { ...login, password: 'x' },
    { ...login, username: 'root\u0000', password: 'x' },
    renewal,
    { ...renewal, refresh_token: 'é' },
    { grant_type: 'authorization_code', ...client.credentials },
    { grant_type: 'authorization_code', ...client.credentials, code: 'é' },
  ])
    expect([body, await requestError(body)]).toEqual([body, [400, 'invalid_request']]);
});

test('a client of one population cannot log in people of the other population', async () => {
  await makeCustomer(api, { email: 'user@example.com', password: 'a user of a customer' });
  const users = await registerClient(api, {
    population: 'users',
    first_party: true,
    redirect_uris: [],
    grants: ['password', 'refresh_token'],
  });
  expect(await requestError({ grant_type: 'password', ...adminLogin, ...users.credentials })).toEqual([
    400,
    'invalid_grant',
  ]);
  const login = { username: 'user@example.com', password: 'a user of a customer' };
  expect((await requestToken({ grant_type: 'password', ...login, ...users.credentials })).status).toBe(200);
  expect(await requestError({ grant_type: 'password', ...login, ...firstPartyClient.credentials })).toEqual([
    400,
    'invalid_grant',
  ]);
});

const renew = (testClient: TestClient, refreshToken: unknown, parameters: Record<string, string> = {}) =>
  requestToken({
    grant_type: 'refresh_token',
    refresh_token: String(refreshToken),
    ...testClient.credentials,
    ...parameters,
  });

test('RFC 6749 6: a renewal may narrow the scope of the access token; the refresh token keeps the granted scopes', async () => {
  const first = (await exchangeCode(api, client, { code: await getCode(api, client) })).body;
  const narrow = await renew(client, first['refresh_token'], { scope: 'rooms:read' });
  expect(narrow.body['scope']).toBe('rooms:read');
  const full = await renew(client, narrow.body['refresh_token']);
  expect(full.body['scope']).toBe('rooms:read rooms:write');
  const wide = await renew(client, full.body['refresh_token'], { scope: 'rooms:read customers:read' });
  expect([wide.status, wide.body['error']]).toEqual([400, 'invalid_scope']);
});

test('RFC 6749 6: a refresh token is bound to its client', async () => {
  const otherClient = await registerClient(api);
  const { body } = await exchangeCode(api, client, { code: await getCode(api, client) });
  expect((await renew(otherClient, body['refresh_token'])).body['error']).toBe('invalid_grant');
  expect((await renew(client, body['access_token'])).body['error']).toBe('invalid_grant');
  expect((await renew(client, body['refresh_token'])).status).toBe(200);
});

test('RFC 9700 4.14.2: refresh tokens rotate, and reusing a refresh token after the grace time revokes its whole family', async () => {
  const first = (await exchangeCode(api, client, { code: await getCode(api, client) })).body;
  const second = (await renew(client, first['refresh_token'])).body;
  expect(second['refresh_token']).not.toBe(first['refresh_token']);
  expect((await renew(client, first['refresh_token'])).status).toBe(200);
  api.clock.advance({ seconds: 11 });
  const reused = await renew(client, first['refresh_token']);
  expect([reused.status, reused.body['error']]).toEqual([400, 'invalid_grant']);
  expect(await isAccepted(api, second['access_token'])).toBe(false);
  expect((await renew(client, second['refresh_token'])).body['error']).toBe('invalid_grant');
});

test('RFC 9700 4.14.2: public clients refresh tokens without a secret, with the same rotation', async () => {
  const publicClient = await registerClient(api, {
    confidential: false,
    first_party: true,
    grants: ['password', 'refresh_token'],
  });
  const first = (await requestToken({ grant_type: 'password', ...adminLogin, ...publicClient.credentials })).body;
  const second = await renew(publicClient, first['refresh_token']);
  expect(second.status).toBe(200);
  api.clock.advance({ seconds: 11 });
  expect((await renew(publicClient, first['refresh_token'])).body['error']).toBe('invalid_grant');
  expect(await isAccepted(api, second.body['access_token'])).toBe(false);
  expect(
    await requestError({ grant_type: 'password', ...adminLogin, ...publicClient.credentials, client_secret: 'x' }),
  ).toEqual([401, 'invalid_client']);
});

test('RFC 6749 5.2: a body that is neither a form nor a JSON object is an invalid request', async () => {
  const answer = await fetch(`${api.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"grant_type": ["password"], "username": {"a": 1}}',
  });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
});
