import { Client as DatabaseClient } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeAdmin, makeHolder, signIn } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

const waitOptions = { timeout: 15_000, interval: 20 };
/** Statements wait for locks without a limit. */
const connectionLimits = { statementMs: 60_000, lockMs: 50_000 };
let api: TestApi;
/** An API with the default rate limits. */
let rateLimitedApi: TestApi;

beforeAll(async () => {
  api = await startApi({ connectionLimits });
  rateLimitedApi = await startApi({ connectionLimits, rateLimits: true });
  for (const process of [api, rateLimitedApi]) {
    const { room } = await makeRoom(process);
    await process.app.connection.pool.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug,
         created_at, updated_at)
       select gen_random_uuid(), customer_id, account_id, subscription_id, 'Row ' || n, 'active', false, 'meet', 'row',
         now(), now() from rooms cross join generate_series(1, 500) n where id = $1`,
      [room.uuid],
    );
  }
});
afterAll(() => Promise.all([api.close(), rateLimitedApi.close()]));

/** Locks the table against reads. @returns a function that releases the lock */
async function lockTable({ connectionString }: TestApi, table: string): Promise<() => Promise<void>> {
  const client = new DatabaseClient({ connectionString });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  const unlock = () => client.end();
  onTestFinished(unlock);
  return unlock;
}

/** Counts the statements that wait for a lock. */
async function countWaitingStatements({ app }: TestApi): Promise<number> {
  const { rows } = await app.pools.separate.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? -1;
}

test('more streams with includes than a pool has connections are all answered: none waits for a second connection', async () => {
  const { pool } = api.app.pools.streams;
  // More than one batch of the cursor, and few enough for the last stream to get its slot in time.
  const query = { limit: 0, include: 'customer,account.subscription', search: 'room_name:Row 1' } as const;
  const streams = Array.from({ length: pool.options.max + 2 }, () => api.admin.listRooms({ query }));
  for (const { data } of await Promise.all(streams)) {
    expect(data).toHaveLength(111);
    expect(data[110]).toMatchObject({ customer: { data: { object: 'Customer' } } });
  }
});

test('waiting streams leave the connections of other requests free, and use at most two', async () => {
  const unlock = await lockTable(api, 'rooms');
  const streams = Array.from({ length: 12 }, () => api.admin.listRooms({ query: { limit: 0 } }));
  await vi.waitFor(async () => expect(await countWaitingStatements(api)).toBe(2), waitOptions);
  const { streams: streamPool, requests } = api.app.pools;
  expect(streamPool.pool.totalCount - streamPool.pool.idleCount).toBe(2);
  await vi.waitFor(() => expect(requests.pool.totalCount - requests.pool.idleCount).toBe(0), waitOptions);
  expect((await api.admin.listCustomers()).data).toHaveLength(1);
  await unlock();
  for (const { data } of await Promise.all(streams)) expect(data).toHaveLength(501);
});

test('one principal can have eight running list requests; other principals are not affected', async () => {
  const { access_token: token } = await rateLimitedApi.anyone.loginAdmin({
    body: { username: firstAdmin.username, password: firstAdmin.password },
  });
  const admin = rateLimitedApi.clientWith(token);
  const otherAdmin = await makeHolder(rateLimitedApi, ['read-customers']);
  const unlock = await lockTable(rateLimitedApi, 'rooms');
  const requests = Array.from({ length: 9 }, () => {
    const abortController = new AbortController();
    const outcome = admin.listRooms({ query: { limit: 0 }, signal: abortController.signal }).then(
      ({ data }) => data.length,
      (error: unknown) => error,
    );
    return { abortController, outcome };
  });
  // Nine were sent, and eight of them are waiting.
  const rejected = await Promise.race(requests.map(async (request) => ({ request, error: await request.outcome })));
  expect(rejected.error).toMatchObject({ status: 429, code: 'too-many-at-once', retryAfter: 1 });
  expect(await refusalOf(admin.listCustomers())).toMatchObject({ status: 429, code: 'too-many-at-once' });
  expect((await otherAdmin.listCustomers()).data).toHaveLength(1);
  expect((await admin.readCallingAdmin()).data.username).toBe(firstAdmin.username);
  const [aborted, ...remaining] = requests.filter((request) => request !== rejected.request);
  aborted?.abortController.abort();
  await vi.waitFor(async () => expect((await admin.listCustomers()).data).toHaveLength(1), waitOptions);
  await unlock();
  for (const { outcome } of remaining) expect(await outcome).toBe(501);
});

test('concurrent writes of one principal wait in turn, with and without an Idempotency-Key, and leave connections free', async () => {
  const [account] = (await rateLimitedApi.admin.listAccounts()).data;
  const otherAdmin = await makeHolder(rateLimitedApi, ['create-service-packages', 'read-service-packages']);
  const unlock = await lockTable(rateLimitedApi, 'rooms');
  const writes = Array.from({ length: 12 }, (_, n) =>
    rateLimitedApi.admin.request('createRoom', {
      headers: n % 2 === 0 ? { 'idempotency-key': `room-${n}` } : {},
      body: { room_name: `Written ${n}`, account_id: account?.id },
    }),
  );
  await vi.waitFor(async () => expect(await countWaitingStatements(rateLimitedApi)).toBeGreaterThan(0), waitOptions);
  const { data } = await otherAdmin.createServicePackage({ body: { name: 'Written meanwhile' } });
  expect(data.name).toBe('Written meanwhile');
  expect(await countWaitingStatements(rateLimitedApi)).toBeLessThanOrEqual(3);
  await unlock();
  for (const { status } of await Promise.all(writes)) expect(status).toBe(201);
});

test('queued password checks hold no connection, also with an Idempotency-Key or a precondition', async () => {
  await rateLimitedApi.admin.updateSettings({ body: { logins_per_minute: 1000 } });
  const names = await Promise.all(Array.from({ length: 4 }, async () => (await makeAdmin(rateLimitedApi)).username));
  const admins = await Promise.all(names.map((name) => signIn(rateLimitedApi, name)));
  const { pool } = rateLimitedApi.app.pools.requests;
  const unlock = await lockTable(rateLimitedApi, 'failed_attempts');
  const body = { current_password: 'a wrong password', password: 'another long password' };
  const changes = admins.flatMap((admin) =>
    Array.from({ length: 4 }, (_, n) =>
      admin.request('changeCallingAdminPassword', { headers: { 'idempotency-key': `guess-${n}` }, body }),
    ),
  );
  const countClaimedKeys = async () =>
    (await pool.query("select from idempotency_keys where key like 'guess-%'")).rowCount;
  await vi.waitFor(async () => expect(await countClaimedKeys()).toBe(changes.length), waitOptions);
  let acquiredCount = 0;
  pool.on('acquire', () => (acquiredCount += 1));
  const logins = names.flatMap((username) =>
    Array.from({ length: 4 }, () =>
      rateLimitedApi.anyone.request('loginAdmin', {
        headers: { 'if-none-match': '"x"' },
        body: { username, password: 'x' },
      }),
    ),
  );
  await vi.waitFor(() => expect(acquiredCount).toBeGreaterThanOrEqual(logins.length), waitOptions);
  await vi.waitFor(() => expect(pool.totalCount - pool.idleCount).toBe(0), waitOptions);
  expect((await rateLimitedApi.admin.listCustomers()).data).toHaveLength(1);
  await unlock();
  const answers = await Promise.all([...changes, ...logins]);
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ 422: 10, 429: 22 });
});
