import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, system } from '../../src/events/change.ts';
import { startApi, type TestApi } from '../api.ts';
import { makeCustomer, refusalOf } from '../factories.ts';
import { adminLogin, getCode, exchangeCode, post, registerClient, isAccepted } from './protocol.ts';

let api: TestApi;
const userLogin = { username: 'user@example.com', password: 'a user of a customer' };

beforeAll(async () => {
  api = await startApi();
  await makeCustomer(api, { email: userLogin.username, password: userLogin.password });
});
afterAll(() => api.close());

async function login() {
  const { access_token: token } = await api.anyone.loginAdmin({ body: adminLogin });
  return api.clientWith(token);
}

async function loginUser() {
  const { access_token: token } = await api.anyone.loginUser({ body: userLogin });
  return api.clientWith(token);
}

async function createThirdPartyCaller() {
  const client = await registerClient(api, { name: 'Other party', scopes: ['*'] });
  const { body } = await exchangeCode(api, client, { code: await getCode(api, client) });
  return { client, caller: api.clientWith(String(body['access_token'])) };
}

test('a personal token is shown once, acts for its owner within its scopes, and is stored as a hash', async () => {
  const caller = await login();
  const { data } = await caller.createPersonalAccessToken({ body: { name: 'Backup', scopes: ['rooms:read'] } });
  const token = data.token ?? '';
  expect(data).toMatchObject({
    object: 'PersonalAccessToken',
    id: expect.stringMatching(/^pat_/),
    name: 'Backup',
    scopes: ['rooms:read'],
    last_used_at: null,
    expires_at: '2026-09-06T12:00:00.000000Z',
  });
  expect(token).toMatch(/^fpt_/);
  const program = api.clientWith(token);
  expect((await program.request('listRooms')).status).toBe(200);
  expect((await program.request('listCustomers')).status).toBe(403);
  const readAnswer = await caller.readPersonalAccessToken({ params: { token_id: data.id } });
  expect(readAnswer.data).toMatchObject({
    token: null,
    last_used_at: expect.stringMatching(/^2026-03-10T12:00:00\./),
  });
  const listAnswer = await caller.listPersonalAccessTokens({ query: { search: 'name:Backup' } });
  expect(listAnswer.data.map(({ id, token: listedToken }) => [id, listedToken])).toEqual([[data.id, null]]);
  const { rows } = await api.app.connection.pool.query<{ all: string }>(
    `select (select string_agg(t::text, '') from access_tokens t) || (select string_agg(t::text, '') from token_families t)
      || (select string_agg(e::text, '') from events e) || (select string_agg(a::text, '') from audit_entries a) as all`,
  );
  expect(rows[0]?.all).not.toContain(token);
  expect(api.log()).not.toContain(token);
});

test('a personal token is valid until it is revoked or expires', async () => {
  const caller = await login();
  const createToken = async (body = {}) =>
    (await caller.createPersonalAccessToken({ body: { name: 'Short', scopes: ['*'], ...body } })).data;
  const revoked = await createToken();
  expect(await isAccepted(api, revoked.token)).toBe(true);
  await caller.deletePersonalAccessToken({ params: { token_id: revoked.id } });
  expect(await isAccepted(api, revoked.token)).toBe(false);
  const refusal = await refusalOf(caller.readPersonalAccessToken({ params: { token_id: revoked.id } }));
  expect(refusal.status).toBe(404);
  const shortLived = await createToken({ expires_at: '2026-03-10T12:10:00Z' });
  expect(await isAccepted(api, shortLived.token)).toBe(true);
  api.clock.advance({ minutes: 10 });
  expect(await isAccepted(api, shortLived.token)).toBe(false);
});

test('a personal token can have any expiry in the future; the default is a setting', async () => {
  const caller = await login();
  const createToken = (expires_at?: string) =>
    caller.createPersonalAccessToken({
      body: { name: 'Dated', scopes: ['*'], ...(expires_at ? { expires_at } : {}) },
    });
  for (const wrong of ['2026-03-10T00:00:00Z', '2025-03-12']) {
    const refusal = await refusalOf(createToken(wrong));
    expect([wrong, refusal.status, Object.keys(refusal.errors)]).toEqual([wrong, 422, ['expires_at']]);
  }
  expect((await createToken('2035-03-10')).data.expires_at).toBe('2035-03-10T00:00:00.000000Z');
  await api.admin.updateSettings({ body: { personal_token_days: 7 } });
  const { data } = await createToken();
  expect(Date.parse(data.expires_at) - api.clock.nowMs()).toBe(7 * 86_400_000);
  await api.admin.updateSettings({ body: { personal_token_days: 180 } });
});

test('a token cannot create a personal token with more scopes than its own, and a personal token cannot create any', async () => {
  const firstPartyClient = await registerClient(api, { first_party: true, grants: ['password'], redirect_uris: [] });
  const granted = {
    grant_type: 'password',
    ...firstPartyClient.credentials,
    ...adminLogin,
    scope: 'rooms:read rooms:write',
  };
  const { body } = await post(api, '/oauth/token', granted);
  const program = api.clientWith(String(body['access_token']));
  const token = await program.createPersonalAccessToken({ body: { name: 'Narrower', scopes: ['rooms:read'] } });
  expect(token.data.scopes).toEqual(['rooms:read']);
  for (const scopes of [['*'], ['customers:read'], ['rooms:read', 'admins:write']]) {
    const refusal = await refusalOf(program.createPersonalAccessToken({ body: { name: 'Broad', scopes } }));
    expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
  }
  const personal = api.clientWith(token.data.token);
  const child = await refusalOf(
    personal.createPersonalAccessToken({ body: { name: 'Child', scopes: ['rooms:read'] } }),
  );
  expect([child.status, child.code]).toEqual([403, 'own-hand-required']);
});

test('a personal token needs a name and known scopes', async () => {
  const caller = await login();
  for (const [body, field] of [
    [{ scopes: ['*'] }, 'name'],
    [{ name: 'x' }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['rooms:destroy'] }, 'scopes.0'],
  ] as const) {
    const answer = await caller.request('createPersonalAccessToken', { body: body });
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, [field]]);
  }
});

test('users can also create personal tokens, and people see only their own', async () => {
  const [admin, user] = [await login(), await loginUser()];
  const { data: userToken } = await user.createPersonalAccessToken({ body: { name: 'Hers', scopes: ['*'] } });
  expect((await api.clientWith(userToken.token).readCallingUser()).data.email).toBe(userLogin.username);
  const params = { token_id: userToken.id };
  expect((await refusalOf(admin.readPersonalAccessToken({ params }))).status).toBe(404);
  expect((await refusalOf(admin.deletePersonalAccessToken({ params }))).status).toBe(404);
  const adminTokens = await admin.listPersonalAccessTokens({ query: { limit: 0 } });
  expect(adminTokens.data.map(({ id }) => id)).not.toContain(userToken.id);
  expect((await user.listPersonalAccessTokens()).data.map(({ id }) => id)).toEqual([userToken.id]);
});

test('a third-party client can neither create nor see personal tokens', async () => {
  const { caller } = await createThirdPartyCaller();
  expect((await refusalOf(caller.listPersonalAccessTokens())).code).toBe('first-party-only');
  const refusal = await refusalOf(caller.createPersonalAccessToken({ body: { name: 'x', scopes: ['rooms:read'] } }));
  expect([refusal.status, refusal.code]).toEqual([403, 'first-party-only']);
});

test('a client that acts for itself has no personal tokens, and sees its own tokens', async () => {
  const machine = await registerClient(api, {
    redirect_uris: [],
    grants: ['client_credentials'],
    scopes: ['rooms:read'],
  });
  const { body } = await post(api, '/oauth/token', { grant_type: 'client_credentials', ...machine.credentials });
  const caller = api.clientWith(String(body['access_token']));
  expect((await refusalOf(caller.listPersonalAccessTokens())).status).toBe(403);
  expect(
    (await refusalOf(caller.createPersonalAccessToken({ body: { name: 'x', scopes: ['rooms:read'] } }))).status,
  ).toBe(403);
  const { data } = await caller.listOauthTokens();
  expect(data.map(({ kind, current, client_id }) => [kind, current, client_id])).toEqual([
    ['client', true, machine.id],
  ]);
});

test('the active sessions of a person are listed with client, address, browser and times', async () => {
  const client = await registerClient(api, { name: 'School portal' });
  const { body } = await exchangeCode(api, client, { code: await getCode(api, client) });
  const answer = await fetch(`${api.url}/oauth/proxy/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Browser/1.0' },
    body: JSON.stringify(adminLogin),
  });
  const session = (await answer.json()) as { access_token: string; refresh_token: string };
  const caller = api.clientWith(session.access_token);
  const { data } = await caller.listOauthTokens({ query: { limit: 2 } });
  expect(data[0]).toMatchObject({
    object: 'OauthToken',
    id: expect.stringMatching(/^tok_/),
    kind: 'session',
    name: null,
    client_name: 'Admin proxy client',
    scopes: ['*'],
    address: '127.0.0.1',
    user_agent: 'Browser/1.0',
    current: true,
    last_used_at: expect.any(String),
    expires_at: new Date(api.clock.nowMs() + 30 * 86_400_000).toISOString().replace('Z', '000Z'),
  });
  expect(data[1]).toMatchObject({ kind: 'authorization', client_name: 'School portal', current: false });
  const params = { token_id: String(data[1]?.id) };
  expect((await caller.readOauthToken({ params })).data).toEqual(data[1]);
  await caller.deleteOauthToken({ params });
  expect(await isAccepted(api, body['access_token'])).toBe(false);
  expect((await refusalOf(caller.readOauthToken({ params }))).status).toBe(404);
  expect((await refusalOf(caller.deleteOauthToken({ params }))).status).toBe(404);
  const matching = await caller.listOauthTokens({ query: { search: 'user_agent:browser/1' } });
  expect(matching.data.map(({ id }) => id)).toEqual([data[0]?.id]);
});

test('the last use is stored at most once a minute, and a token refresh immediately', async () => {
  const pair = await api.anyone.loginAdmin({ body: adminLogin });
  const caller = api.clientWith(pair.access_token);
  const readLastUse = async () => (await caller.listOauthTokens({ query: { limit: 1 } })).data[0]?.last_used_at;
  const first = await readLastUse();
  expect(Date.parse(String(first))).toBe(api.clock.nowMs());
  const { dependencies } = api.app;
  const useAfter = async (seconds: number) => {
    api.clock.advance({ seconds });
    // Without the invalidation, the cached token would be used for some seconds.
    await inTransaction(dependencies, system, async ({ invalidate }) => invalidate('access'));
    await caller.listOauthTokens({ query: { limit: 1 } });
  };
  await useAfter(30);
  expect(await readLastUse()).toBe(first);
  await useAfter(40);
  expect(Date.parse(String(await readLastUse())) - Date.parse(String(first))).toBe(70_000);
  api.clock.advance({ seconds: 5 });
  await api.anyone.refreshAdmin({ body: { refresh_token: pair.refresh_token } });
  expect(Date.parse(String(await readLastUse())) - Date.parse(String(first))).toBe(75_000);
});

test('everyone sees and ends only their own sessions', async () => {
  const [admin, user] = [await login(), await loginUser()];
  const userSessions = (await user.listOauthTokens()).data;
  expect(new Set(userSessions.map(({ client_name }) => client_name))).toEqual(new Set(['User proxy client']));
  const params = { token_id: String(userSessions[0]?.id) };
  expect((await refusalOf(admin.readOauthToken({ params }))).status).toBe(404);
  expect((await refusalOf(admin.deleteOauthToken({ params }))).status).toBe(404);
});

test('a third-party client sees and ends only its own sessions', async () => {
  const { client, caller } = await createThirdPartyCaller();
  const { data } = await caller.listOauthTokens({ query: { limit: 0 } });
  expect(data.map(({ client_id }) => client_id)).toEqual([client.id]);
  const bystander = await login();
  await caller.deleteOtherOauthTokens();
  expect((await bystander.request('listOauthTokens')).status).toBe(200);
});

test('ending all other sessions takes effect on every process at once, and keeps the current session', async () => {
  const otherProcess = await api.another();
  const [currentSession, secondSession, user] = [await login(), await login(), await loginUser()];
  const { access_token: otherToken } = await otherProcess.anyone.loginAdmin({ body: adminLogin });
  const otherProcessSession = otherProcess.clientWith(otherToken);
  expect((await otherProcessSession.request('listOauthTokens')).status).toBe(200);
  const { data: personal } = await currentSession.createPersonalAccessToken({ body: { name: 'x', scopes: ['*'] } });
  await currentSession.deleteOtherOauthTokens();
  expect((await currentSession.listOauthTokens({ query: { limit: 0 } })).data.map(({ current }) => current)).toEqual([
    true,
  ]);
  for (const endedSession of [secondSession, otherProcessSession, api.clientWith(personal.token)])
    expect((await endedSession.request('listOauthTokens')).status).toBe(401);
  expect((await user.request('listOauthTokens')).status).toBe(200);
  await otherProcess.close();
});

test('the token lists support all list parameters, also at the root path', async () => {
  const { access_token: token } = await api.anyone.loginAdmin({ body: adminLogin });
  const get = async (path: string) => {
    const answer = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return [answer.status, ((await answer.json()) as { data?: unknown[] }).data?.length];
  };
  expect(await get('/oauth/tokens?limit=1&orderBy=last_used_at&sortedBy=desc&count=false')).toEqual([200, 1]);
  expect(await get('/oauth/tokens?search=kind:session&orderBy=client_name,created_at&limit=1')).toEqual([200, 1]);
  expect(await get('/oauth/tokens?search=secret:x')).toEqual([422, undefined]);
  expect(await get('/oauth/tokens?orderBy=current&sortedBy=desc&limit=1')).toEqual([200, 1]);
  expect(await get('/oauth/tokens?orderBy=secret')).toEqual([422, undefined]);
  expect(await get('/oauth/personal-access-tokens?orderBy=expires_at&limit=0&search=nothing')).toEqual([200, 0]);
});
