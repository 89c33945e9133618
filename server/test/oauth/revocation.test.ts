import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import { adminLogin, basic, codeFor, exchange, post, register, type TestClient, works } from './protocol.ts';

let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi();
  client = await register(api);
});
afterAll(() => api.close());

async function tokens(who = client) {
  const { body } = await exchange(api, who, { code: await codeFor(api, who) });
  return { access: String(body['access_token']), refresh: String(body['refresh_token']) };
}

const revoke = (body: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  post(api, '/oauth/revoke', body, headers);

test('RFC 7009 2.1: revoking an access token or its refresh token ends both, at both paths', async () => {
  for (const path of ['/oauth/revoke', '/api/v1/oauth/revoke']) {
    for (const which of ['access', 'refresh'] as const) {
      const pair = await tokens();
      expect(await works(api, pair.access)).toBe(true);
      const answer = await post(api, path, { token: pair[which], ...client.credentials });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await works(api, pair.access)).toBe(false);
      const renewed = await post(api, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: pair.refresh,
        ...client.credentials,
      });
      expect(renewed.body['error']).toBe('invalid_grant');
    }
  }
});

test('RFC 7009 2.1: the token type hint has no effect, even an unknown one', async () => {
  for (const hint of ['access_token', 'refresh_token', 'saml_token']) {
    const { access } = await tokens();
    expect((await revoke({ token: access, token_type_hint: hint, ...client.credentials })).status).toBe(200);
    expect(await works(api, access)).toBe(false);
  }
});

test('RFC 7009 2.2: an unknown, ended or malformed token is a 200 as well', async () => {
  const { access } = await tokens();
  await revoke({ token: access, ...client.credentials });
  for (const token of [access, `fat_${'x'.repeat(43)}`, 'nonsense'])
    expect((await revoke({ token, ...client.credentials })).status).toBe(200);
});

test("RFC 7009 2.1: another client's token is not revoked, and its existence is not revealed", async () => {
  const { access } = await tokens();
  const other = await register(api);
  const answer = await revoke({ token: access, ...other.credentials });
  expect(answer.status).toBe(200);
  expect(await works(api, access)).toBe(true);
  const { access_token: session } = await api.anyone.loginAdmin({ body: adminLogin });
  await revoke({ token: session, ...client.credentials });
  expect(await works(api, session)).toBe(true);
});

test('RFC 7009 2.1: the client must authenticate, a public one by its name', async () => {
  const { access } = await tokens();
  const withoutClient = await revoke({ token: access });
  expect([withoutClient.status, withoutClient.body['error']]).toEqual([401, 'invalid_client']);
  const wrong = await revoke({ token: access }, basic(client.id, 'wrong'));
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic/)]);
  expect(await works(api, access)).toBe(true);
  const server = await register(api, { confidential: false, first_party: true, grants: ['password', 'refresh_token'] });
  const { body } = await post(api, '/oauth/token', { grant_type: 'password', ...adminLogin, ...server.credentials });
  expect((await revoke({ token: String(body['access_token']), ...server.credentials })).status).toBe(200);
  expect(await works(api, body['access_token'])).toBe(false);
});

test('RFC 7009 2.2.1: a request without a token, or with two, is an invalid request', async () => {
  const none = await revoke({ ...client.credentials });
  expect([none.status, none.body['error']]).toEqual([400, 'invalid_request']);
  const twice = await post(api, '/oauth/revoke', 'token=a&token=b', basic(client.id, client.secret));
  expect([twice.status, twice.body['error']]).toEqual([400, 'invalid_request']);
});

test('RFC 7009 2.1: a revoked token is rejected at once by every process', async () => {
  const other = await api.another();
  const { access } = await tokens();
  expect(await works(other, access)).toBe(true);
  await revoke({ token: access, ...client.credentials });
  expect(await works(other, access)).toBe(false);
  await other.close();
});

test('a client that revokes its own token of client credentials ends it', async () => {
  const machine = await register(api, { redirect_uris: [], grants: ['client_credentials'], scopes: ['rooms:read'] });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  expect(await works(api, body['access_token'])).toBe(true);
  await revoke({ token: String(body['access_token']), ...machine.credentials });
  expect(await works(api, body['access_token'])).toBe(false);
});
