import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFirstPartyClient } from '../../src/modules/auth/index.ts';
import { printIdentifier } from '../../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from '../api.ts';
import {
  adminLogin,
  authorize,
  authorizeUrl,
  type Browser,
  getCode,
  exchangeCode,
  formText,
  openPage,
  createPkce,
  post,
  submit,
  redirectUri,
  registerClient,
  authorizationRequest,
  type TestClient,
  isAccepted,
} from './protocol.ts';

let api: TestApi;
let client: TestClient;
let publicClient: TestClient;

beforeAll(async () => {
  api = await startApi();
  client = await registerClient(api, { scopes: ['rooms:read', 'customers:read'] });
  publicClient = await registerClient(api, { name: 'Phone app', confidential: false, scopes: ['rooms:read'] });
});
afterAll(() => api.close());

/** Calls the authorization endpoint without a session. */
async function openWithoutSession(query: Parameters<typeof authorizeUrl>[1]) {
  return await openPage({ cookie: null }, authorizeUrl(api, query));
}

async function authorizeWithError(query: Parameters<typeof authorizeUrl>[1]) {
  const { status, location } = await openWithoutSession(query);
  const url = new URL(location ?? 'about:blank');
  return { status, url, error: url.searchParams.get('error') };
}

test('RFC 6749 4.1.2: the code and the state are added to the query of the redirect URI', async () => {
  const answer = await authorize(api, authorizationRequest(client, { state: 'a b&c=ü' }));
  expect(`${answer.origin}${answer.pathname}`).toBe('https://app.example/callback');
  expect(answer.searchParams.get('from')).toBe('foyer');
  expect(answer.searchParams.get('state')).toBe('a b&c=ü');
  expect(answer.searchParams.get('code')).toMatch(/^fac_/);
  expect(answer.hash).toBe('');
});

test('RFC 6749 4.1.2: without a state in the request, the redirect has no state', async () => {
  const answer = await authorize(api, authorizationRequest(client, { state: undefined }));
  expect(answer.searchParams.has('state')).toBe(false);
});

test('RFC 9207 2: every redirect of the authorization endpoint names the issuer, also with an error', async () => {
  const metadata = await api.anyone.readAuthorizationServer();
  const granted = await authorize(api, authorizationRequest(client));
  const refused = await authorizeWithError(authorizationRequest(client, { response_type: 'token' }));
  expect(granted.searchParams.get('iss')).toBe(metadata.issuer);
  expect(refused.url.searchParams.get('iss')).toBe(metadata.issuer);
});

test('RFC 6749 4.1.4: the code is exchanged for an access token and a refresh token of the owner, with the consented scopes', async () => {
  const code = await getCode(api, client, { scope: 'rooms:read' });
  const { status, body, headers } = await exchangeCode(api, client, { code });
  expect([status, body]).toMatchObject([
    200,
    { token_type: 'Bearer', expires_in: 3600, scope: 'rooms:read', access_token: expect.any(String) },
  ]);
  expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  const caller = api.clientWith(String(body['access_token']));
  expect((await caller.request('listRooms')).status).toBe(200);
  expect((await caller.request('listCustomers')).status).toBe(403);
});

test('RFC 6749 4.1.2: a code works once; a second use revokes its tokens', async () => {
  const code = await getCode(api, client);
  const first = await exchangeCode(api, client, { code });
  expect(await isAccepted(api, first.body['access_token'])).toBe(true);
  const second = await exchangeCode(api, client, { code });
  expect([second.status, second.body['error']]).toEqual([400, 'invalid_grant']);
  expect(await isAccepted(api, first.body['access_token'])).toBe(false);
  const renewed = await post(api, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: String(first.body['refresh_token']),
    ...client.credentials,
  });
  expect([renewed.status, renewed.body['error']]).toEqual([400, 'invalid_grant']);
});

test('RFC 6749 4.1.2: of concurrent uses of one code, at most one succeeds, and the other uses revoke its tokens', async () => {
  const code = await getCode(api, client);
  const answers = await Promise.all(Array.from({ length: 6 }, () => exchangeCode(api, client, { code })));
  const granted = answers.filter(({ status }) => status === 200);
  expect(granted.length).toBeLessThanOrEqual(1);
  for (const { body } of granted) expect(await isAccepted(api, body['access_token'])).toBe(false);
});

test('RFC 6749 4.1.2: a code is valid for ten minutes, or for the time in the setting', async () => {
  const validCode = await getCode(api, client);
  api.clock.advance({ seconds: 599 });
  expect((await exchangeCode(api, client, { code: validCode })).status).toBe(200);
  const expiredCode = await getCode(api, client);
  api.clock.advance({ seconds: 600 });
  expect((await exchangeCode(api, client, { code: expiredCode })).body['error']).toBe('invalid_grant');
  await api.admin.updateSettings({ body: { authorization_code_seconds: 30 } });
  const shortLivedCode = await getCode(api, client);
  api.clock.advance({ seconds: 31 });
  expect((await exchangeCode(api, client, { code: shortLivedCode })).body['error']).toBe('invalid_grant');
  await api.admin.updateSettings({ body: { authorization_code_seconds: 600 } });
});

test('RFC 6749 4.1.3: a code of another client is rejected and stays valid for its own client', async () => {
  const otherClient = await registerClient(api);
  const code = await getCode(api, client);
  expect((await exchangeCode(api, otherClient, { code })).body['error']).toBe('invalid_grant');
  expect((await exchangeCode(api, client, { code })).status).toBe(200);
});

test('RFC 6749 4.1.3: the redirect URI of the token request must equal the redirect URI of the authorization request', async () => {
  for (const uri of [undefined, 'https://app.example/callback', `${redirectUri}&x=1`]) {
    const code = await getCode(api, client);
    const answer = await exchangeCode(api, client, { code, redirect_uri: uri });
    expect([uri, answer.status, answer.body['error']]).toEqual([uri, 400, 'invalid_grant']);
  }
});

test('RFC 6749 3.1.2.3: a client with one redirect URI may omit it, but only in both requests', async () => {
  const code = await getCode(api, client, { redirect_uri: undefined });
  expect((await exchangeCode(api, client, { code })).body['error']).toBe('invalid_grant');
  const secondCode = await getCode(api, client, { redirect_uri: undefined });
  expect((await exchangeCode(api, client, { code: secondCode, redirect_uri: undefined })).status).toBe(200);
  const clientWithTwoUris = await registerClient(api, { redirect_uris: [redirectUri, 'https://app.example/other'] });
  expect((await openWithoutSession(authorizationRequest(clientWithTwoUris, { redirect_uri: undefined }))).status).toBe(
    400,
  );
});

test('RFC 6749 4.1.3: a confidential client must authenticate to use its code', async () => {
  const code = await getCode(api, client);
  const answer = await exchangeCode(api, client, { code, client_secret: undefined });
  expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client']);
});

test('RFC 6749 4.1.3: an unknown code is rejected', async () => {
  const answer = await exchangeCode(api, client, { code: `fac_${'a'.repeat(43)}` });
  expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
  expect((await exchangeCode(api, client, {})).body['error']).toBe('invalid_request');
});

test('RFC 6749 4.1.2.1 and RFC 9700 4.11: an unknown client or redirect URI causes no redirect', async () => {
  const { id: users } = await createFirstPartyClient(api.app.dependencies, 'No address', 'users');
  const unusable: Record<string, string | undefined>[] = [
    authorizationRequest(client, { client_id: undefined }),
    authorizationRequest(client, { client_id: printIdentifier('client', users) }),
    authorizationRequest(client, { client_id: 'client_01jd0000000000000000000000' }),
    authorizationRequest(client, { client_id: 'nobody' }),
    authorizationRequest(client, { redirect_uri: 'https://evil.example/callback' }),
    authorizationRequest(client, { redirect_uri: 'javascript:alert(1)' }),
  ];
  for (const query of unusable) {
    const { status, location, html } = await openWithoutSession(query);
    expect([query, status, location]).toEqual([query, 400, null]);
    expect(html).toContain('This link does not work');
    expect(html).not.toContain('evil.example');
  }
  const proxies = await api.admin.listOauthClients({ query: { search: 'proxy:true' } });
  for (const proxy of proxies.data)
    expect((await openWithoutSession(authorizationRequest(client, { client_id: proxy.id }))).status).toBe(400);
});

test('RFC 9700 4.1.3: redirect URIs are compared character by character', async () => {
  const registered = 'https://app.example/callback?from=foyer';
  for (const address of [
    'https://app.example/callback',
    `${registered}&more=1`,
    `${registered}#x`,
    'https://app.example/callback/?from=foyer',
    'https://APP.example/callback?from=foyer',
    'https://app.example:443/callback?from=foyer',
    'http://app.example/callback?from=foyer',
    'https://app.example/x/../callback?from=foyer',
    'https://user@app.example/callback?from=foyer',
    'https://app.example.evil.example/callback?from=foyer',
    'https://app.example\\@evil.example/callback?from=foyer',
  ]) {
    expect([
      address,
      (await openWithoutSession(authorizationRequest(client, { redirect_uri: address }))).status,
    ]).toEqual([address, 400]);
  }
});

test('RFC 8252 7.3: only the port of a loopback address may differ', async () => {
  const native = await registerClient(api, {
    confidential: false,
    redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]:4000/callback', 'http://localhost:5000/callback'],
  });
  const urlWith = (redirect: string) =>
    openWithoutSession(
      authorizationRequest(native, {
        redirect_uri: redirect,
        code_challenge: createPkce().challenge,
        code_challenge_method: 'S256',
      }),
    );
  for (const validUri of ['http://127.0.0.1:51004/callback', 'http://127.0.0.1/callback', 'http://[::1]:9/callback'])
    expect([validUri, (await urlWith(validUri)).status]).toEqual([validUri, 200]);
  for (const invalidUri of [
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/callback?x=1',
    'http://127.0.0.1@evil.example/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.2/callback',
    'http://localhost:5001/callback',
    'https://127.0.0.1/callback',
  ]) {
    expect([invalidUri, (await urlWith(invalidUri)).status]).toEqual([invalidUri, 400]);
  }
});

test('RFC 6749 4.1.2.1: other errors are returned to the client, with the state', async () => {
  const machineClient = await registerClient(api, { grants: ['client_credentials'], scopes: ['rooms:read'] });
  const cases: [string, Record<string, string | undefined>, string][] = [
    ['no response type', authorizationRequest(client, { response_type: undefined }), 'invalid_request'],
    [
      'an unknown response type',
      authorizationRequest(client, { response_type: 'id_token' }),
      'unsupported_response_type',
    ],
    ['an unknown scope', authorizationRequest(client, { scope: 'rooms:destroy' }), 'invalid_scope'],
    ['a scope beyond the client', authorizationRequest(client, { scope: 'rooms:read rooms:write' }), 'invalid_scope'],
    ['all scopes, beyond the client', authorizationRequest(client, { scope: '*' }), 'invalid_scope'],
    ['another response mode', authorizationRequest(client, { response_mode: 'fragment' }), 'invalid_request'],
    ['a client without the grant', authorizationRequest(machineClient), 'unauthorized_client'],
  ];
  for (const [description, query, expected] of cases) {
    const { status, url, error } = await authorizeWithError(query);
    expect([description, status, error]).toEqual([description, 303, expected]);
    expect(url.searchParams.get('state')).toBe('af0ifjsldkj');
    expect(url.searchParams.get('error_description')).toMatch(/^[\u0020-\u007E]+$/);
    expect(url.searchParams.has('code')).toBe(false);
  }
});

test('RFC 6749 3.1: a repeated parameter is an invalid request; a repeated redirect URI causes no redirect', async () => {
  const query = formText(authorizationRequest(client));
  expect((await authorizeWithError(`${query}&scope=rooms%3Aread&scope=rooms%3Aread`)).error).toBe('invalid_request');
  const state = await authorizeWithError(`${query}&state=other`);
  expect([state.error, state.url.searchParams.has('state')]).toEqual(['invalid_request', false]);
  expect((await openWithoutSession(`${query}&client_id=${client.id}`)).status).toBe(400);
  expect((await openWithoutSession(`${query}&redirect_uri=${encodeURIComponent(redirectUri)}`)).status).toBe(400);
});

test('RFC 9700 2.1.2: there is no implicit grant', async () => {
  for (const type of ['token', 'code token', 'id_token token'])
    expect((await authorizeWithError(authorizationRequest(client, { response_type: type }))).error).toBe(
      'unsupported_response_type',
    );
  const metadata = await api.anyone.readAuthorizationServer();
  expect(metadata.response_types_supported).toEqual(['code']);
});

test('RFC 7636 4.4.1: a public client without a challenge is rejected', async () => {
  const { error, url } = await authorizeWithError(authorizationRequest(publicClient));
  expect([error, url.searchParams.get('error_description')]).toEqual([
    'invalid_request',
    expect.stringContaining('code_challenge'),
  ]);
});

test('RFC 7636 4.3: the challenge method plain is rejected, also as the default, and so is a malformed challenge', async () => {
  const { challenge } = createPkce();
  for (const overrides of [
    { code_challenge: challenge, code_challenge_method: 'plain' },
    { code_challenge: challenge },
    { code_challenge: 'short', code_challenge_method: 'S256' },
    { code_challenge: `${challenge}=`, code_challenge_method: 'S256' },
    { code_challenge_method: 'S256' },
  ])
    expect([overrides, (await authorizeWithError(authorizationRequest(publicClient, overrides))).error]).toEqual([
      overrides,
      'invalid_request',
    ]);
});

test('RFC 7636 4.6: the verifier must match the challenge, for public and confidential clients', async () => {
  for (const testClient of [publicClient, client]) {
    const { verifier, challenge } = createPkce();
    const overrides = { code_challenge: challenge, code_challenge_method: 'S256' };
    const validCode = await getCode(api, testClient, overrides);
    expect((await exchangeCode(api, testClient, { code: validCode, code_verifier: verifier })).status).toBe(200);
    for (const wrongVerifier of [createPkce().verifier, challenge, undefined]) {
      const code = await getCode(api, testClient, overrides);
      const rejected = await exchangeCode(api, testClient, { code, code_verifier: wrongVerifier });
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_grant']);
      const retried = await exchangeCode(api, testClient, { code, code_verifier: verifier });
      expect(retried.body['error']).toBe('invalid_grant');
    }
  }
});

test('RFC 9700 4.8.2: a verifier without a challenge is rejected, against PKCE downgrade', async () => {
  const code = await getCode(api, client);
  const answer = await exchangeCode(api, client, { code, code_verifier: createPkce().verifier });
  expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
});

test('RFC 6749 4.1.4: scopes that a client loses between consent and exchange are not granted', async () => {
  const narrowed = await registerClient(api, { scopes: ['rooms:read', 'rooms:write'] });
  const code = await getCode(api, narrowed);
  await api.admin.updateOauthClient({ params: { client_id: narrowed.id }, body: { scopes: ['rooms:read'] } });
  expect((await exchangeCode(api, narrowed, { code })).body['scope']).toBe('rooms:read');
});

test('RFC 6749 6: a client without the refresh grant gets no refresh token', async () => {
  const clientWithoutRefresh = await registerClient(api, { grants: ['authorization_code'] });
  const { body } = await exchangeCode(api, clientWithoutRefresh, { code: await getCode(api, clientWithoutRefresh) });
  expect([typeof body['access_token'], body['refresh_token']]).toEqual(['string', undefined]);
});

test('first-party clients get their code after the login; for other clients the person must consent every time', async () => {
  const firstPartyClient = await registerClient(api, { first_party: true });
  for (const [testClient, isAsked] of [
    [firstPartyClient, false],
    [client, true],
  ] as const) {
    const url = authorizeUrl(api, authorizationRequest(testClient));
    const browser: Browser = { cookie: null };
    await submit(browser, url, await openPage(browser, url), 'login', adminLogin);
    for (const visit of [await openPage(browser, url), await openPage(browser, url)])
      expect([visit.status, visit.location?.includes('code=') ?? false]).toEqual(isAsked ? [200, false] : [303, true]);
    if (isAsked) await submit(browser, url, await openPage(browser, url), 'allow');
    expect((await openPage(browser, url)).status).toBe(isAsked ? 200 : 303);
  }
});

test('codes are stored as hashes, and they appear neither in logs nor in events', async () => {
  const code = await getCode(api, client);
  await exchangeCode(api, client, { code });
  const { rows } = await api.app.connection.pool.query<{ all: string }>(
    `select (select string_agg(c::text, '') from authorization_codes c) || (select string_agg(e::text, '') from events e)
      || (select string_agg(a::text, '') from audit_entries a) as all`,
  );
  expect(rows[0]?.all).not.toContain(code);
  expect(api.log()).not.toContain(code);
  expect(api.log()).not.toContain(client.secret);
});
