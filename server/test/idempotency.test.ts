import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeRoom, openSandbox, makeProvider, soldFeatures, unique } from './factories.ts';
import { createIdempotencyKeys } from '../src/modules/idempotency/index.ts';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let fixture: Awaited<ReturnType<typeof makeAccount>>;

beforeAll(async () => {
  api = await startApi();
  fixture = await makeAccount(api, { features: { ...soldFeatures, max_rooms: '1000' } });
});
afterAll(() => api.close());

function createRoom(key: string, body: Record<string, unknown> = {}, node: TestApi = api) {
  return node.admin.request('createRoom', {
    headers: { 'idempotency-key': key },
    body: { room_name: 'Once', account_id: fixture.account.id, ...body },
  });
}

async function countRooms(name: string): Promise<number> {
  const { data } = await api.admin.listRooms({ query: { search: `room_name:${name}`, limit: 0 } });
  return data.length;
}

test('a repeated key returns the first answer, marked as a replay, and creates nothing', async () => {
  const room_name = unique('replayed');
  const first = await createRoom('key-1', { room_name });
  const second = await createRoom('key-1', { room_name });
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.status).toBe(201);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(await countRooms(room_name)).toBe(1);
});

test('reusing a key with a different body is a 422', async () => {
  await createRoom('key-2', { room_name: 'one' });
  const other = await createRoom('key-2', { room_name: 'two' });
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } });
  expect(Object.keys((other.body as { errors: object }).errors)).toEqual(['Idempotency-Key']);
});

test('only one of twenty concurrent requests with the same idempotency key, on two processes, is executed', async () => {
  const other = await api.another();
  const room_name = unique('crowd');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => createRoom('key-3', { room_name }, index % 2 ? other : api)),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
  const conflicts = answers.filter(({ status }) => status === 409);
  for (const { body } of conflicts) expect(body).toMatchObject({ code: 'idempotency-key-in-use' });
  const created = new Set(
    answers.filter(({ status }) => status === 201).map(({ body }) => (body as { data: { id: string } }).data.id),
  );
  expect(created.size).toBe(1);
  expect(await countRooms(room_name)).toBe(1);
  await other.close();
});

test('two callers can use the same key', async () => {
  const { data: user } = await api.admin.createUser({
    body: { email: `${unique('k')}@example.com`, first_name: 'A', last_name: 'B', password: 'a password of twelve' },
  });
  await api.admin.createAccountUser({
    params: { account_id: fixture.account.id },
    body: { user_id: user.id, permissions: ['read-account', 'create-room'] },
  });
  const { access_token: token } = await api.anyone.loginUser({
    body: { username: user.email, password: 'a password of twelve' },
  });
  const ownAnswer = await createRoom('key-4');
  const otherAnswer = await api.clientWith(token).request('createRoom', {
    headers: { 'idempotency-key': 'key-4' },
    body: { room_name: 'Other', account_id: fixture.account.id },
  });
  expect([ownAnswer.status, otherAnswer.status]).toEqual([201, 201]);
  expect(otherAnswer.headers.get('idempotent-replayed')).toBeNull();
});

test('a rejection is stored and replayed', async () => {
  const body = { room_name: 'x', account_id: 'acct_00000000000000000000000000' };
  const first = await createRoom('key-5', body);
  const second = await createRoom('key-5', body);
  expect([first.status, second.status]).toEqual([422, 422]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.body).toEqual(first.body);
});

test('a body that fails validation does not use up the key', async () => {
  expect((await createRoom('key-6', { room_name: null })).status).toBe(422);
  expect((await createRoom('key-6', { room_name: 'mended' })).status).toBe(201);
});

test('a failed creation leaves neither a room nor usage, and its key replays the failure', async () => {
  const full = await makeAccount(api, { features: { ...soldFeatures, max_rooms: '1' } });
  const body = { account_id: full.account.id, room_name: unique('full') };
  expect((await createRoom('key-7a', body)).status).toBe(201);
  expect(await createRoom('key-7b', body)).toMatchObject({ status: 422, body: { code: 'feature-limit-reached' } });
  expect(await createRoom('key-7b', body)).toMatchObject({ status: 422, body: { code: 'feature-limit-reached' } });
  const usage = await api.admin.readSubscriptionUsage({ params: { subscription_id: full.subscription.id } });
  expect(usage.data.find(({ tag }) => tag === 'max_rooms')?.usage.data.used).toBe(1);
});

test('a key can be used again after a day', async () => {
  const room_name = unique('daily');
  await createRoom('key-8', { room_name });
  api.clock.advance({ days: 1 });
  expect((await createRoom('key-8', { room_name })).headers.get('idempotent-replayed')).toBeNull();
  expect(await countRooms(room_name)).toBe(2);
});

test('a key must have 1 to 255 printable characters', async () => {
  expect(await createRoom('k'.repeat(256))).toMatchObject({ status: 422, body: { code: 'validation-failed' } });
  expect((await createRoom('k'.repeat(255))).status).toBe(201);
});

test('an action that calls a provider runs once per key', async () => {
  const sandbox = await openSandbox();
  const provider = await makeProvider(api, { apiUrl: sandbox.apiUrl, secret: sandbox.secret });
  const { room } = await makeRoom(api, { provider: provider.id });
  const join = () =>
    api.admin.request('joinRoom', {
      params: { room_id: room.id },
      headers: { 'idempotency-key': 'key-9' },
      body: { name: 'Ada', role: 'moderator' },
    });
  const first = await join();
  expect(first.status).toBe(200);
  const second = await join();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.body).toEqual(first.body);
  await sandbox.close();
});

test('an answer with a secret is stored encrypted', async () => {
  const { room } = await makeRoom(api);
  const { body } = await api.admin.request('createRoomToken', {
    params: { room_id: room.id },
    headers: { 'idempotency-key': 'key-10' },
    body: { role: 'guest' },
  });
  const { token } = (body as { data: { token: string } }).data;
  const rows = await api.app.dependencies.db.selectFrom('idempotency_keys').selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('thirty concurrent requests with keys and slow passwords do not block other requests', async () => {
  const limited = await startApi({ rateLimits: true });
  const { admin } = limited;
  await admin.updateSettings({ body: { logins_per_minute: 1000, requests_per_minute: 10_000 } });
  const body = { current_password: 'no password of anybody', password: 'another long password' };
  const change = (index: number) =>
    admin.request('changeCallingAdminPassword', { headers: { 'idempotency-key': `slow-${index}` }, body });
  const slow = Promise.all(Array.from({ length: 30 }, (_, index) => change(index)));
  const otherAnswers = await Promise.all(Array.from({ length: 20 }, () => admin.request('readCallingAdmin')));
  expect(new Set(otherAnswers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await slow).filter(({ status }) => status >= 500)).toEqual([]);
  await limited.close();
});

const longMetadata = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key-${index}`, 'x'.repeat(1000)]));

async function readStoredKeys() {
  return await api.app.dependencies.db.selectFrom('idempotency_keys').selectAll().orderBy('claimed_at').execute();
}

test('a replay of an answer above 64 KiB returns the current resource with the first status', async () => {
  const body = { room_name: unique('large'), account_id: fixture.account.id, room_metadata: longMetadata };
  const send = () =>
    api.admin.request('createRoom', {
      query: { include: 'account' },
      headers: { 'idempotency-key': 'key-large' },
      body,
    });
  await api.admin.updateAccount({
    params: { account_id: fixture.account.id },
    body: { account_metadata: longMetadata },
  });
  const first = await send();
  expect(JSON.stringify(first.body).length).toBeGreaterThan(65_536);
  const stored = (await readStoredKeys()).find(({ key }) => key === 'key-large');
  expect(stored).toMatchObject({ status: 201, body_sealed: null });
  const second = await send();
  expect(second.status).toBe(201);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.body).toEqual(first.body);
  const { id } = (first.body as { data: { id: string } }).data;
  await api.admin.updateRoom({ params: { room_id: id }, body: { room_name: 'Renamed' } });
  expect((await send()).body).toMatchObject({ data: { id, room_name: 'Renamed' } });
  await api.admin.deleteRoom({ params: { room_id: id } });
  expect(await send()).toMatchObject({ status: 404, body: { code: 'not-found' } });
});

test('a replay of a long answer that is not a resource is a 409, and nothing runs twice', async () => {
  const { data: user } = await api.admin.createUser({
    body: {
      email: `${unique('member')}@example.com`,
      first_name: 'A',
      last_name: 'B',
      password: 'a password of twelve',
      user_metadata: longMetadata,
    },
  });
  await api.admin.updateAccount({
    params: { account_id: fixture.account.id },
    body: { account_metadata: longMetadata },
  });
  const send = () =>
    api.admin.request('createAccountUser', {
      params: { account_id: fixture.account.id },
      query: { include: 'user,account' },
      headers: { 'idempotency-key': 'key-member' },
      body: { user_id: user.id, permissions: ['read-account'] },
    });
  expect((await send()).status).toBe(201);
  expect(await send()).toMatchObject({ status: 409, body: { code: 'idempotent-answer-not-kept' } });
});

test('each caller keeps its newest 10,000 keys and 32 MiB of answers', async () => {
  const { pool } = api.app.connection;
  const fill = (caller: string, count: number, bytes: number) =>
    pool.query(
      `insert into idempotency_keys (id, caller, key, fingerprint, status, body_bytes, claimed_at)
      select gen_random_uuid(), $1, n::text, '', 201, $3, $4::timestamptz - n * interval '1 second'
      from generate_series(1, $2::int) n`,
      [caller, count, bytes, api.clock.now()],
    );
  await fill('many', 10_003, 1);
  await fill('large', 600, 65_536);
  await fill('other', 100, 1);
  expect(await runJob(api.app.jobDependencies, 'prune-idempotency-keys')).toBe(3 + 600 - 512);
  const { rows } = await pool.query(
    `select caller, count(*)::int, max(key::int) as oldest from idempotency_keys
    where caller in ('many', 'large', 'other') group by caller order by caller`,
  );
  expect(rows).toEqual([
    { caller: 'large', count: 512, oldest: 512 },
    { caller: 'many', count: 10_000, oldest: 10_000 },
    { caller: 'other', count: 100, oldest: 100 },
  ]);
});

test('a request that outlives its claim changes neither the claim nor the answer of the request that took over', async () => {
  const keys = createIdempotencyKeys(api.app.dependencies);
  const requestOf = (content: string) => ({ claimId: newUuid(), caller: 'admin slow', key: 'key-slow', content });
  const answerOf = (body: string) => ({ status: 201, body, etag: null, omitted: null });
  const [expired, current] = [requestOf('one'), requestOf('two')];
  expect(await keys.claim(expired, 'by-row')).toBeNull();
  api.clock.advance({ minutes: 1 });
  expect(await keys.claim(current, 'by-row')).toBeNull();
  await keys.storeAnswer(expired, answerOf('first'));
  await keys.release(expired);
  expect(await keys.claim(requestOf('two'), 'by-row')).toBe('busy');
  await keys.storeAnswer(current, answerOf('second'));
  await keys.storeAnswer(expired, answerOf('first'));
  expect(await keys.claim(requestOf('two'), 'by-row')).toEqual(answerOf('second'));
});
