import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import { adminLogin, post, registerClient, isAccepted } from './protocol.ts';

let api: TestApi;
let token: string;

beforeAll(async () => {
  api = await startApi();
  ({ access_token: token } = await api.anyone.loginAdmin({ body: adminLogin }));
});
afterAll(() => api.close());

function get(path: string, headers: Record<string, string> = {}) {
  return fetch(`${api.url}/api/v1${path}`, { headers });
}

test('RFC 6750 2.1: the token is read from the Authorization header, with a case-insensitive scheme', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    expect((await get('/rooms', { authorization: `${scheme} ${token}` })).status).toBe(200);
  for (const authorization of [`Token ${token}`, token, `Bearer${token}`, 'Bearer', 'Bearer '])
    expect([authorization, (await get('/rooms', { authorization })).status]).toEqual([authorization, 401]);
});

test('RFC 6750 2.2 and 2.3: a token in the URL or in the body is not accepted', async () => {
  expect((await get(`/rooms?access_token=${token}`)).status).toBe(401);
  for (const [type, body] of [
    ['application/json', JSON.stringify({ access_token: token })],
    ['application/x-www-form-urlencoded', `access_token=${token}`],
  ] as const) {
    const answer = await fetch(`${api.url}/api/v1/customers`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(answer.status).toBe(401);
  }
});

test('RFC 6750 3.1: a 401 for a request without a token names the scheme, without an error code', async () => {
  const answer = await get('/rooms');
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

test('RFC 6750 3.1: a token that is unknown, malformed, expired or revoked causes invalid_token', async () => {
  const revokedPair = await api.anyone.loginAdmin({ body: adminLogin });
  await api.clientWith(revokedPair.access_token).logout();
  const secondPair = await api.anyone.loginAdmin({ body: adminLogin });
  const invalidTokens = [`fat_${'x'.repeat(43)}`, 'nonsense', revokedPair.access_token, secondPair.refresh_token];
  for (const invalidToken of invalidTokens) {
    const answer = await get('/rooms', { authorization: `Bearer ${invalidToken}` });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer error="invalid_token"/),
    ]);
  }
  api.clock.advance({ seconds: 3601 });
  const expired = await get('/rooms', { authorization: `Bearer ${secondPair.access_token}` });
  expect(expired.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  ({ access_token: token } = await api.anyone.loginAdmin({ body: adminLogin }));
});

test('RFC 6750 3.1: a token without the required scope causes insufficient_scope with the name of the scope', async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read', 'customers:write'],
  });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  const narrowToken = String(body['access_token']);
  expect(await isAccepted(api, narrowToken)).toBe(true);
  const answer = await get('/customers', { authorization: `Bearer ${narrowToken}` });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    403,
    'Bearer error="insufficient_scope", scope="customers:read"',
  ]);
  expect(await answer.json()).toMatchObject({ code: 'forbidden', message: 'This needs the scope customers:read.' });
  const write = await fetch(`${api.url}/api/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${narrowToken}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect([write.status, write.headers.get('www-authenticate'), await write.json()]).toMatchObject([
    403,
    'Bearer error="insufficient_scope", scope="customers:write"',
    {
      code: 'missing-read-permission',
      message: 'Unauthorized Access: create-customers also needs the scope customers:read.',
    },
  ]);
});

test('an administrator with the permission gets an error that names the scope that the token lacks', async () => {
  const { data: token } = await api.admin.createPersonalAccessToken({
    body: { name: 'Script', scopes: ['rooms:read'] },
  });
  const answer = await get('/customers', { authorization: `Bearer ${token.token}` });
  expect(await answer.json()).toMatchObject({ code: 'forbidden', message: 'This needs the scope customers:read.' });
});

test('endpoints about the calling person reject the token of a client with 403, not 401', async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read'],
  });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  const authorization = `Bearer ${String(body['access_token'])}`;
  const answer = await get('/admins/me', { authorization });
  expect([answer.status, answer.headers.get('www-authenticate'), await answer.json()]).toMatchObject([
    403,
    null,
    { code: 'wrong-population', message: expect.stringContaining('only for people') },
  ]);
  expect((await get('/users/me', { authorization })).status).toBe(403);
  expect((await get('/rooms', { authorization })).status).toBe(200);
});

test("relative times are in the requested language for a client that acts for itself, and in a person's own language", async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['service-packages:read'],
  });
  const { data: servicePackage } = await api.admin.createServicePackage({ body: { name: 'Three hours ago' } });
  api.clock.advance({ seconds: 3 * 3600 });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  const readCreatedAt = async (bearer: string, language: string) => {
    const headers = { authorization: `Bearer ${bearer}`, 'accept-language': language };
    const answer = (await (await get(`/service-packages/${servicePackage.id}`, headers)).json()) as {
      data: { readable_created_at: string };
    };
    return answer.data.readable_created_at;
  };
  const clientToken = String(body['access_token']);
  expect(await readCreatedAt(clientToken, 'pt-BR,pt;q=0.9')).toMatch(/^há /);
  expect(await readCreatedAt(clientToken, 'de')).toMatch(/^vor /);
  expect(await readCreatedAt(clientToken, 'tlh')).toMatch(/ ago$/);
  ({ access_token: token } = await api.anyone.loginAdmin({ body: adminLogin }));
  expect(await readCreatedAt(token, 'de')).toMatch(/ ago$/);
});
