import { scopes } from '@foyer/contract/conventions/scope.ts';
import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFirstPartyClient } from '../../src/modules/auth/index.ts';
import { printIdentifier } from '../../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from '../api.ts';
import { refusalOf } from '../factories.ts';
import {
  adminLogin,
  getCode,
  exchangeCode,
  post,
  redirectUri,
  registerClient,
  type TestClient,
  isAccepted,
} from './protocol.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const clientBody = {
  name: 'School portal',
  population: 'users' as const,
  redirect_uris: [redirectUri],
  grants: ['authorization_code' as const, 'refresh_token' as const],
  scopes: ['rooms:read', 'rooms:write'],
};

/** Creates a caller with only these scopes. */
async function createCaller(scopes: readonly string[]): Promise<Client> {
  const machine = await registerClient(api, { redirect_uris: [], grants: ['client_credentials'], scopes: [...scopes] });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  return api.clientWith(String(body['access_token']));
}

const requestMachineToken = (client: TestClient, secret = client.secret) =>
  post(api, '/oauth/token', { grant_type: 'client_credentials', client_id: client.id, client_secret: secret });

test('a client is created with its secret shown once and stored as a hash, and later returned without it', async () => {
  const { data } = await api.admin.createOauthClient({ body: clientBody });
  expect(data).toMatchObject({
    object: 'OauthClient',
    id: expect.stringMatching(/^client_/),
    ...clientBody,
    confidential: true,
    first_party: false,
    proxy: false,
    secret: expect.stringMatching(/^fcs_/),
    client_id: data.id,
    client_secret: data.secret,
  });
  const readAnswer = await api.admin.readOauthClient({ params: { client_id: data.id } });
  expect(readAnswer.data).toEqual({ ...data, secret: null, client_secret: null });
  const listAnswer = await api.admin.listOauthClients({ query: { search: 'name:School portal', limit: 1 } });
  expect(listAnswer.data).toEqual([{ ...data, secret: null, client_secret: null }]);
  const { rows } = await api.app.connection.pool.query<{ all: string }>(
    `select (select string_agg(c::text, '') from oauth_clients c) || (select string_agg(e::text, '') from events e)
      || (select string_agg(a::text, '') from audit_entries a) as all`,
  );
  expect(rows[0]?.all).not.toContain(data.secret);
  expect(api.log()).not.toContain(data.secret);
});

test('the client endpoints are also served at the root path', async () => {
  const { access_token: token } = await api.anyone.loginAdmin({ body: adminLogin });
  const answer = await fetch(`${api.url}/oauth/clients`, { headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { meta: { pagination: { count: expect.any(Number) } } },
  ]);
});

test('a public client gets no secret', async () => {
  const { data } = await api.admin.createOauthClient({ body: { ...clientBody, confidential: false } });
  expect([data.confidential, data.secret]).toEqual([false, null]);
  const refusal = await refusalOf(api.admin.rotateOauthClientSecret({ params: { client_id: data.id } }));
  expect([refusal.status, refusal.code]).toEqual([409, 'client-not-confidential']);
});

test("an invalid combination of a client's members is rejected with all errors", async () => {
  const refusal = await refusalOf(
    api.admin.createOauthClient({
      body: {
        ...clientBody,
        confidential: false,
        redirect_uris: ['http://app.example/callback', 'https://app.example/#x', 'https://*.app.example/', '/callback'],
        grants: ['client_credentials', 'password'],
        first_party: false,
      },
    }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors).toSorted()).toEqual([
    'grants',
    'redirect_uris.0',
    'redirect_uris.1',
    'redirect_uris.2',
    'redirect_uris.3',
  ]);
  expect(refusal.errors['grants']).toHaveLength(3);
});

test('RFC 9700 4.1: a redirect URI is https or loopback, without fragment, wildcard, user name or characters outside the URI syntax', async () => {
  const validUris = [
    'https://app.example/',
    'https://app.example/a?b=c',
    'http://127.0.0.1/x',
    'http://[::1]:8000/x',
    'http://localhost:3000/x',
  ];
  const { data } = await api.admin.createOauthClient({ body: { ...clientBody, redirect_uris: validUris } });
  expect(data.redirect_uris).toEqual(validUris);
  for (const invalidUri of [
    'http://app.example/',
    'http://127.0.0.1.app.example/',
    'http://0.0.0.0/x',
    'https://app.example/#',
    'https://app.example/*',
    'https://user:word@app.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'com.example.app:/callback',
    'https://app.example/ü',
    'https://app.example/a b',
    '//app.example/x',
    'https://',
  ]) {
    const refusal = await refusalOf(
      api.admin.createOauthClient({ body: { ...clientBody, redirect_uris: [invalidUri] } }),
    );
    expect([invalidUri, refusal.status, Object.keys(refusal.errors)]).toEqual([invalidUri, 422, ['redirect_uris.0']]);
  }
});

test('the authorization code grant needs a redirect URI, every client needs a grant, and scopes and grants must be known', async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ redirect_uris: [] }, 'redirect_uris'],
    [{ grants: [] }, 'grants'],
    [{ grants: ['implicit'] }, 'grants.0'],
    [{ scopes: ['rooms:read', 'rooms:destroy'] }, 'scopes.1'],
    [{ population: 'everybody' }, 'population'],
    [{ name: '' }, 'name'],
    [{ grants: ['client_credentials'] }, 'grants'],
  ];
  for (const [changes, field] of cases) {
    const answer = await api.admin.request('createOauthClient', { body: { ...clientBody, ...changes } });
    expect([changes, answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([
      changes,
      422,
      [field],
    ]);
  }
});

test('population and confidentiality of a client never change', async () => {
  const client = await registerClient(api);
  const params = { client_id: client.id };
  for (const [name, value] of [
    ['population', 'users'],
    ['confidential', false],
  ] as const) {
    const answer = await api.admin.request('updateOauthClient', { params, body: { [name]: value } });
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, [name]]);
  }
  const same = await api.admin.request('updateOauthClient', {
    params,
    body: { population: 'admins', confidential: true, name: 'Renamed' },
  });
  expect(same.status).toBe(200);
});

test('a new secret replaces the old secret at once, and existing tokens stay valid', async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read'],
  });
  const before = await requestMachineToken(machine);
  const { data } = await api.admin.rotateOauthClientSecret({ params: { client_id: machine.id } });
  expect(data.secret).toMatch(/^fcs_/);
  expect((await requestMachineToken(machine)).status).toBe(401);
  expect((await requestMachineToken(machine, data.secret ?? '')).status).toBe(200);
  expect(await isAccepted(api, before.body['access_token'])).toBe(true);
});

test('removing scopes from a client limits its tokens from the next request on, on every process', async () => {
  const otherProcess = await api.another();
  const client = await registerClient(api, { scopes: ['rooms:read', 'customers:read'] });
  const { body } = await exchangeCode(api, client, { code: await getCode(api, client) });
  const [ownClient, otherClient] = [
    api.clientWith(String(body['access_token'])),
    otherProcess.clientWith(String(body['access_token'])),
  ];
  for (const caller of [ownClient, otherClient]) expect((await caller.request('listCustomers')).status).toBe(200);
  const params = { client_id: client.id };
  await api.admin.updateOauthClient({ params, body: { scopes: ['rooms:read'] } });
  for (const caller of [ownClient, otherClient]) {
    expect((await caller.request('listCustomers')).status).toBe(403);
    expect((await caller.request('listRooms')).status).toBe(200);
  }
  await api.admin.updateOauthClient({ params, body: { scopes: ['*'] } });
  expect((await ownClient.request('listCustomers')).status).toBe(200);
  expect((await ownClient.request('listSubscriptions')).status).toBe(403);
  await otherProcess.close();
});

test('removing a grant from a client ends its tokens and their renewal', async () => {
  const client = await registerClient(api, {
    grants: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: ['rooms:read'],
  });
  const params = { client_id: client.id };
  const { body: consented } = await exchangeCode(api, client, { code: await getCode(api, client) });
  const { body: machineToken } = await requestMachineToken(client);
  await api.admin.updateOauthClient({ params, body: { grants: ['client_credentials', 'refresh_token'] } });
  expect(await isAccepted(api, consented['access_token'])).toBe(false);
  expect(await isAccepted(api, machineToken['access_token'])).toBe(true);
  const renew = () =>
    post(api, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: String(consented['refresh_token']),
      ...client.credentials,
    });
  expect((await renew()).body['error']).toBe('invalid_grant');
  await api.admin.updateOauthClient({ params, body: { grants: ['authorization_code'] } });
  expect(await isAccepted(api, consented['access_token'])).toBe(true);
  expect((await renew()).body['error']).toBe('unauthorized_client');
});

test('deleting a client ends its tokens with their next request, on every process', async () => {
  const otherProcess = await api.another();
  const client = await registerClient(api);
  const code = await getCode(api, client);
  const { body } = await exchangeCode(api, client, { code: await getCode(api, client) });
  expect(await isAccepted(otherProcess, body['access_token'])).toBe(true);
  await api.admin.deleteOauthClient({ params: { client_id: client.id } });
  expect(await isAccepted(api, body['access_token'])).toBe(false);
  expect(await isAccepted(otherProcess, body['access_token'])).toBe(false);
  expect((await exchangeCode(api, client, { code })).status).toBe(401);
  expect((await refusalOf(api.admin.readOauthClient({ params: { client_id: client.id } }))).status).toBe(404);
  await otherProcess.close();
});

test('the built-in clients of the proxy logins are listed, but cannot be changed or deleted', async () => {
  const { data } = await api.admin.listOauthClients({ query: { search: 'proxy:true' } });
  expect(data.map(({ population }) => population).toSorted()).toEqual(['admins', 'users']);
  for (const { id } of data) {
    const params = { client_id: id };
    for (const call of [
      () => api.admin.updateOauthClient({ params, body: { name: 'Mine' } }),
      () => api.admin.deleteOauthClient({ params }),
      () => api.admin.rotateOauthClientSecret({ params }),
    ]) {
      const refusal = await refusalOf(call());
      expect([refusal.status, refusal.code]).toEqual([409, 'proxy-client']);
    }
  }
});

test('administrators cannot create a client with scopes that they lack', async () => {
  const caller = await createCaller(['oauth-clients:read', 'oauth-clients:write', 'rooms:read']);
  const client = await caller.createOauthClient({ body: { ...clientBody, scopes: ['rooms:read'] } });
  for (const requestedScopes of [['rooms:write'], ['rooms:read', 'customers:read'], ['*'], [...scopes]]) {
    const refusal = await refusalOf(caller.createOauthClient({ body: { ...clientBody, scopes: requestedScopes } }));
    expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
    const params = { client_id: client.data.id };
    expect((await refusalOf(caller.updateOauthClient({ params, body: { scopes: requestedScopes } }))).status).toBe(403);
  }
});

test('administrators cannot take over a client with more rights than their own', async () => {
  const fullClient = await registerClient(api, { scopes: ['*'] });
  const caller = await createCaller(['oauth-clients:read', 'oauth-clients:write', 'rooms:read']);
  const params = { client_id: fullClient.id };
  for (const call of [
    () => caller.rotateOauthClientSecret({ params }),
    () => caller.updateOauthClient({ params, body: { redirect_uris: ['https://evil.example/'] } }),
    () => caller.updateOauthClient({ params, body: { scopes: ['rooms:read'] } }),
  ])
    expect((await refusalOf(call())).code).toBe('privilege-escalation');
});

test('only administrators with the role admin can manage first-party clients', async () => {
  const caller = await createCaller(scopes.filter((scope) => scope !== '*'));
  const refusal = await refusalOf(caller.createOauthClient({ body: { ...clientBody, first_party: true } }));
  expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
  const thirdPartyClient = await caller.createOauthClient({ body: clientBody });
  const params = { client_id: thirdPartyClient.data.id };
  expect((await refusalOf(caller.updateOauthClient({ params, body: { first_party: true } }))).status).toBe(403);
  const client = await api.admin.createOauthClient({ body: { ...clientBody, first_party: true } });
  expect(client.data.first_party).toBe(true);
  expect((await refusalOf(caller.rotateOauthClientSecret({ params: { client_id: client.data.id } }))).status).toBe(403);
});

test('a client with the password grant that a full administrator creates is first-party, with all scopes by default', async () => {
  const body = { name: 'Own app', population: 'admins' as const, grants: ['password' as const] };
  const { data } = await api.admin.createOauthClient({ body });
  expect(data).toMatchObject({ first_party: true, confidential: true, scopes: ['*'] });
  const credentials = { client_id: data.client_id, client_secret: data.client_secret ?? '' };
  expect((await post(api, '/oauth/token', { grant_type: 'password', ...adminLogin, ...credentials })).status).toBe(200);
  const caller = await createCaller(scopes.filter((scope) => scope !== '*'));
  const refusal = await refusalOf(caller.createOauthClient({ body: { ...body, scopes: ['rooms:read'] } }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['grants']]);
  const machineBody = { ...body, grants: ['client_credentials' as const] };
  expect((await refusalOf(api.admin.createOauthClient({ body: machineBody }))).errors).toHaveProperty('scopes');
});

test('a client may use the password grant only when it is marked as first-party', async () => {
  const { data: plain } = await api.admin.createOauthClient({ body: clientBody });
  const params = { client_id: plain.id };
  const grants = [...clientBody.grants, 'password' as const];
  const refusal = await refusalOf(api.admin.updateOauthClient({ params, body: { grants } }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['grants']]);
  expect((await api.admin.readOauthClient({ params })).data).toMatchObject({
    grants: clientBody.grants,
    first_party: false,
  });
  const { data } = await api.admin.updateOauthClient({ params, body: { grants, first_party: true } });
  expect(data).toMatchObject({ grants, first_party: true });
});

test('a client that the command line creates is first-party, with the password and refresh grants', async () => {
  const { id, secret } = await createFirstPartyClient(api.app.dependencies, 'Command line', 'admins');
  const { data } = await api.admin.readOauthClient({ params: { client_id: printIdentifier('client', id) } });
  expect(data).toMatchObject({
    first_party: true,
    confidential: true,
    grants: ['password', 'refresh_token'],
    scopes: ['*'],
  });
  const answer = await post(api, '/oauth/token', {
    grant_type: 'password',
    ...adminLogin,
    client_id: data.id,
    client_secret: secret,
  });
  expect(answer.status).toBe(200);
});

test('changes of clients are in the audit log, with the secret masked', async () => {
  const client = await registerClient(api);
  const params = { client_id: client.id };
  await api.admin.updateOauthClient({ params, body: { name: 'Renamed' } });
  await api.admin.rotateOauthClientSecret({ params });
  await api.admin.deleteOauthClient({ params });
  const { rows } = await api.app.connection.pool.query<{ action: string; new_values: unknown }>(
    `select action, new_values from audit_entries where resource_type = 'OauthClient' and resource_id =
      (select resource_id from audit_entries where action = 'oauth_client.deleted' order by id desc limit 1) order by id`,
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'oauth_client.created',
    'oauth_client.updated',
    'oauth_client.secret_rotated',
    'oauth_client.deleted',
  ]);
  expect(rows[2]?.new_values).toEqual({ secret_hash: '********' });
});
