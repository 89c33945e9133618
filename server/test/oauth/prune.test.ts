import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import { adminLogin, getCode, exchangeCode, registerClient, isAccepted } from './protocol.ts';
import { runJob } from '../../src/modules.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function countRows() {
  const { rows } = await api.app.connection.pool.query<Record<'families' | 'tokens' | 'codes' | 'sessions', number>>(
    `select (select count(*)::int from token_families) as families, (select count(*)::int from access_tokens) as tokens,
      (select count(*)::int from authorization_codes) as codes, (select count(*)::int from authorization_sessions) as sessions`,
  );
  return rows[0];
}

test('expired tokens and codes are removed a day after they can no longer be used', async () => {
  const { dependencies } = api.app;
  const prune = () => runJob(dependencies, 'prune-tokens');
  const client = await registerClient(api);
  await exchangeCode(api, client, { code: await getCode(api, client) });
  await getCode(api, client);
  const { access_token: session } = await api.anyone.loginAdmin({ body: adminLogin });
  const { data: personal } = await api
    .clientWith(session)
    .createPersonalAccessToken({ body: { name: 'Long', scopes: ['*'], expires_at: '2027-03-10' } });
  const before = await countRows();
  expect(before).toMatchObject({ codes: 2, sessions: 2 });
  await prune();
  expect(await countRows()).toEqual(before);
  api.clock.advance({ days: 2 });
  await prune();
  expect(await countRows()).toEqual({ ...before, codes: 0, sessions: 0 });
  api.clock.advance({ days: 30 });
  await prune();
  expect(await countRows()).toEqual({ families: 1, tokens: 1, codes: 0, sessions: 0 });
  expect(await isAccepted(api, personal.token)).toBe(true);
});
