import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import {
  adminLogin,
  basicAuthorization,
  getCode,
  exchangeCode,
  post,
  registerClient,
  type TestClient,
  isAccepted,
} from './protocol.ts';

let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi();
  client = await registerClient(api);
});
afterAll(() => api.close());

async function createTokens(owner = client) {
  const { body } = await exchangeCode(api, owner, { code: await getCode(api, owner) });
  return { access: String(body['access_token']), refresh: String(body['refresh_token']) };
}

const revoke = (body: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  post(api, '/oauth/revoke', body, headers);

test('RFC 7009 2.1: revoking an access token or its refresh token ends both, at both paths', async () => {
  for (const path of ['/oauth/revoke', '/api/v1/oauth/revoke']) {
    for (const kind of ['access', 'refresh'] as const) {
      const pair = await createTokens();
      expect(await isAccepted(api, pair.access)).toBe(true);
      const answer = await post(api, path, { token: pair[kind], ...client.credentials });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await isAccepted(api, pair.access)).toBe(false);
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
    const { access } = await createTokens();
    expect((await revoke({ token: access, token_type_hint: hint, ...client.credentials })).status).toBe(200);
    expect(await isAccepted(api, access)).toBe(false);
  }
});

test('RFC 7009 2.2: for an unknown, revoked or malformed token the status is also 200', async () => {
  const { access } = await createTokens();
  await revoke({ token: access, ...client.credentials });
  for (const token of [access, `fat_${'x'.repeat(43)}`, 'nonsense'])
    expect((await revoke({ token, ...client.credentials })).status).toBe(200);
});

test("RFC 7009 2.1: another client's token is not revoked, and its existence is not revealed", async () => {
  const { access } = await createTokens();
  const otherClient = await registerClient(api);
  const answer = await revoke({ token: access, ...otherClient.credentials });
  expect(answer.status).toBe(200);
  expect(await isAccepted(api, access)).toBe(true);
  const { access_token: session } = await api.anyone.loginAdmin({ body: adminLogin });
  await revoke({ token: session, ...client.credentials });
  expect(await isAccepted(api, session)).toBe(true);
});

test('RFC 7009 2.1: the client must authenticate, a public client with its id only', async () => {
  const { access } = await createTokens();
  const withoutClient = await revoke({ token: access });
  expect([withoutClient.status, withoutClient.body['error']]).toEqual([401, 'invalid_client']);
  const wrong = await revoke({ token: access }, basicAuthorization(client.id, 'wrong'));
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic/)]);
  expect(await isAccepted(api, access)).toBe(true);
  const publicClient = await registerClient(api, {
    confidential: false,
    first_party: true,
    grants: ['password', 'refresh_token'],
  });
  const { body } = await post(api, '/oauth/token', {
    grant_type: 'password',
    ...adminLogin,
    ...publicClient.credentials,
  });
  expect((await revoke({ token: String(body['access_token']), ...publicClient.credentials })).status).toBe(200);
  expect(await isAccepted(api, body['access_token'])).toBe(false);
});

test('RFC 7009 2.2.1: a request without a token, or with two, is an invalid request', async () => {
  const withoutToken = await revoke({ ...client.credentials });
  expect([withoutToken.status, withoutToken.body['error']]).toEqual([400, 'invalid_request']);
  const twice = await post(api, '/oauth/revoke', 'token=a&token=b', basicAuthorization(client.id, client.secret));
  expect([twice.status, twice.body['error']]).toEqual([400, 'invalid_request']);
});

test('RFC 7009 2.1: a revoked token is rejected at once by every process', async () => {
  const otherProcess = await api.another();
  const { access } = await createTokens();
  expect(await isAccepted(otherProcess, access)).toBe(true);
  await revoke({ token: access, ...client.credentials });
  expect(await isAccepted(otherProcess, access)).toBe(false);
  await otherProcess.close();
});

test('a client can revoke its own client credentials token', async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read'],
  });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  expect(await isAccepted(api, body['access_token'])).toBe(true);
  await revoke({ token: String(body['access_token']), ...machine.credentials });
  expect(await isAccepted(api, body['access_token'])).toBe(false);
});
