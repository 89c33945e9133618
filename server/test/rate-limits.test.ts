import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseTokens, pruneRateLimits } from '../src/database/rate-limit-store.ts';
import { connect, type Connection } from '../src/database/connect.ts';
import { type RateLimiter, createRateLimiter } from '../src/platform/limits/rate-limiter.ts';
import { fixedClock } from '../src/platform/time/clock.ts';
import { startApi, type TestApi } from './api.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { firstAdmin } from './first-admin.ts';

let database: TestDatabase;
let connections: Connection[];
beforeAll(async () => {
  database = await cloneDatabase();
  connections = [1, 2, 3].map(() => connect(database.connectionString, { max: 2, onError: () => undefined }));
});
afterAll(async () => {
  await Promise.all(connections.map(({ close }) => close()));
  await database.drop();
});

let keys = 0;
function newKey(): string {
  keys += 1;
  return `key ${keys}`;
}

/** Rate limiters of several processes, one for each connection, with one clock. */
function createProcesses(clock = fixedClock()) {
  const limiters = connections.map(({ db }) => createRateLimiter((request) => leaseTokens(db, request), clock));
  const limiterOf = (index: number): RateLimiter => limiters[index % limiters.length] ?? never();
  return { limiters, limiterOf, clock };
}

function never(): never {
  throw new Error('There is no process.');
}

async function countGranted(attempts: Promise<{ isGranted: boolean }>[]): Promise<number> {
  return (await Promise.all(attempts)).filter(({ isGranted }) => isGranted).length;
}

test('together, processes never grant more than the limit in any order of requests, and grant all of it if they keep requesting', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 120 }),
      fc.array(fc.record({ process: fc.nat(2), requestCount: fc.integer({ min: 1, max: 30 }) }), { maxLength: 12 }),
      async (limit, rounds) => {
        const { limiters, limiterOf } = createProcesses();
        const key = newKey();
        let granted = 0;
        for (const { process, requestCount } of rounds) {
          const attempts = Array.from({ length: requestCount }, (_, index) =>
            limiterOf(process + (index % 2)).count(key, limit),
          );
          granted += await countGranted(attempts);
          expect(granted).toBeLessThanOrEqual(limit);
        }
        for (const limiter of limiters)
          granted += await countGranted(Array.from({ length: limit }, () => limiter.count(key, limit)));
        expect(granted).toBe(limit);
      },
    ),
    { numRuns: 25 },
  );
});

test('no window grants more than its limit, however far the clock advances between requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 6 }), async (pauses) => {
      const { limiterOf, clock } = createProcesses();
      const key = newKey();
      let endsAtMs = 0;
      let granted = 0;
      for (const seconds of pauses) {
        clock.advance({ seconds });
        if (clock.nowMs() >= endsAtMs) granted = 0;
        for (let index = 0; index < 15; index++) {
          const counted = await limiterOf(index).count(key, 20);
          endsAtMs = clock.nowMs() + counted.resetsInMs;
          if (counted.isGranted) granted += 1;
        }
        expect(granted).toBeLessThanOrEqual(20);
      }
    }),
    { numRuns: 20 },
  );
});

test('a single process grants exactly the limit, returns the remaining count, and takes about fifty leases for six hundred requests', async () => {
  const clock = fixedClock();
  let leases = 0;
  const [{ db } = never()] = connections;
  const onlyLimiter = createRateLimiter((request) => {
    leases += 1;
    return leaseTokens(db, request);
  }, clock);
  const key = newKey();
  for (let left = 599; left >= 0; left--) {
    expect(await onlyLimiter.count(key, 600)).toEqual({ isGranted: true, remaining: left, resetsInMs: 60_000 });
  }
  for (let attempts = 0; attempts < 100; attempts++) {
    expect(await onlyLimiter.count(key, 600)).toEqual({ isGranted: false, remaining: 0, resetsInMs: 60_000 });
  }
  expect(leases).toBeLessThan(60);
});

test('a changed limit applies in the current window', async () => {
  const { limiterOf } = createProcesses();
  const key = newKey();
  expect(await countGranted(Array.from({ length: 10 }, () => limiterOf(0).count(key, 5)))).toBe(5);
  expect(await countGranted(Array.from({ length: 10 }, () => limiterOf(0).count(key, 8)))).toBe(3);
  expect((await limiterOf(0).count(key, 2)).isGranted).toBe(false);
  expect((await limiterOf(1).count(key, 2)).isGranted).toBe(false);
});

test('while the database does not respond no request is granted, and afterwards the whole limit is available', async () => {
  let isDown = true;
  const [{ db } = never()] = connections;
  const rateLimiter = createRateLimiter(async (request) => {
    if (isDown) throw new Error('down');
    return await leaseTokens(db, request);
  }, fixedClock());
  const key = newKey();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => rateLimiter.count(key, 3)));
  expect(outcomes.map(({ status }) => status)).toEqual(Array<string>(5).fill('rejected'));
  isDown = false;
  expect(await countGranted(Array.from({ length: 10 }, () => rateLimiter.count(key, 3)))).toBe(3);
});

test('a clock that is set back does not block callers', async () => {
  const { limiterOf, clock } = createProcesses();
  const key = newKey();
  await countGranted(Array.from({ length: 10 }, () => limiterOf(0).count(key, 10)));
  clock.set('2025-12-31T12:00:00Z');
  expect((await limiterOf(0).count(key, 10)).isGranted).toBe(true);
  expect((await limiterOf(1).count(key, 10)).isGranted).toBe(true);
});

test('windows that have ended are removed, running ones are not, and the removal is safe while leases are taken', async () => {
  const { limiterOf, clock } = createProcesses(fixedClock('2027-01-01T00:00:00Z'));
  const [{ db } = never()] = connections;
  await Promise.all(Array.from({ length: 300 }, (_, index) => limiterOf(index).count(newKey(), 10)));
  clock.advance({ seconds: 61 });
  const currentKey = newKey();
  const [, , pruned] = await Promise.all([
    limiterOf(0).count(currentKey, 10),
    limiterOf(1).count(currentKey, 10),
    pruneRateLimits({ db, clock }),
  ]);
  expect(pruned).toBeGreaterThanOrEqual(300);
  const rows = await db.selectFrom('rate_limits').selectAll().execute();
  expect(rows.map(({ key }) => key)).toEqual([currentKey]);
  expect(await countGranted(Array.from({ length: 20 }, (_, index) => limiterOf(index).count(currentKey, 10)))).toBe(8);
});

async function tokenOf(api: TestApi): Promise<string> {
  const { body } = await api.anyone.request('loginAdmin', {
    body: { username: firstAdmin.username, password: firstAdmin.password },
  });
  return (body as { access_token: string }).access_token;
}

function get(api: TestApi, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${api.url}${path}`, { headers });
}

async function setLimits(api: TestApi, limits: Record<string, number>): Promise<void> {
  await api.admin.updateSettings({ body: limits });
}

function countByStatus(answers: readonly Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('a principal can send as many requests a minute as the setting allows, over all processes, and must then wait', async () => {
  const api = await startApi({ rateLimits: true });
  const other = await api.another();
  const token = await tokenOf(api);
  const bearer = { authorization: `Bearer ${token}` };
  await setLimits(api, { requests_per_minute: 40 });
  api.clock.advance({ minutes: 2 });
  const first = await get(api, '/api/v1/settings', bearer);
  expect(first.headers.get('ratelimit-policy')).toBe('"default";q=40;w=60');
  expect(first.headers.get('ratelimit')).toBe('"default";r=39;t=60');
  api.clock.advance({ seconds: 20 });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => get(index % 2 ? api : other, '/api/v1/settings', bearer)),
  );
  const counts = countByStatus([first, ...answers]);
  expect(counts).toEqual({ 200: 40, 429: 61 });
  const refused = await get(api, '/api/v1/settings', { ...bearer, 'x-request-id': 'too-many' });
  expect(refused.headers.get('retry-after')).toBe('40');
  expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=40');
  expect(await refused.json()).toEqual({
    message: 'Too many requests: please wait 40 seconds.',
    errors: {},
    code: 'too-many-requests',
    request_id: 'too-many',
  });
  api.clock.advance({ seconds: 40 });
  expect((await get(other, '/api/v1/settings', bearer)).status).toBe(200);
  await other.close();
  await api.close();
});

test('each principal is counted separately, and a request with an invalid token counts for its address', async () => {
  const api = await startApi({ rateLimits: true });
  const token = await tokenOf(api);
  await setLimits(api, { requests_per_minute: 15, anonymous_requests_per_minute: 10 });
  api.clock.advance({ minutes: 2 });
  const wrong = await Promise.all(
    Array.from({ length: 15 }, (_, index) =>
      get(api, '/api/v1/features', { authorization: index % 2 ? `Bearer nonsense-${index}` : 'Basic abc' }),
    ),
  );
  expect(countByStatus(wrong)).toEqual({ 401: 10, 429: 5 });
  expect(wrong[0]?.headers.get('ratelimit-policy')).toBe('"anonymous";q=10;w=60');
  expect((await get(api, '/api/v1/nowhere')).status).toBe(429);
  const validBearer = { authorization: `Bearer ${token}` };
  expect((await get(api, '/api/v1/features', validBearer)).status).toBe(200);
  expect((await get(api, '/api/v1/nowhere', validBearer)).status).toBe(404);
  await api.close();
});

test('an address is one IPv4 address, or one IPv6 network of 64 bits', async () => {
  const api = await startApi({ rateLimits: true, trustProxy: 'loopback' });
  await setLimits(api, { anonymous_requests_per_minute: 2 });
  const statusFrom = async (address: string) =>
    (await get(api, '/api/v1/rooms', { 'x-forwarded-for': address })).status;
  for (const address of ['203.0.113.1', '::ffff:203.0.113.1', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9']) {
    expect(await statusFrom(address)).toBe(401);
  }
  expect(await statusFrom('203.0.113.1')).toBe(429);
  expect(await statusFrom('2001:0db8:0001:0002::3')).toBe(429);
  expect(await statusFrom('203.0.113.2')).toBe(401);
  expect(await statusFrom('2001:db8:1:3::1')).toBe(401);
  await api.close();
});

test('logins are also counted per address and name, in every process, whether they succeed or fail', async () => {
  const api = await startApi({ rateLimits: true, trustProxy: 'loopback' });
  const other = await api.another();
  await setLimits(api, { logins_per_minute: 4, anonymous_requests_per_minute: 1000 });
  api.clock.advance({ minutes: 2 });
  const refresh = (node: TestApi, token: string, address: string) =>
    node.anyone.request('refreshAdmin', { body: { refresh_token: token }, headers: { 'x-forwarded-for': address } });
  const outcomes: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    outcomes.push((await refresh(attempt % 2 ? api : other, 'frt_one', '203.0.113.1')).status);
  }
  expect(outcomes).toEqual([401, 401, 401, 401, 429, 429]);
  const refused = await refresh(api, 'frt_one', '203.0.113.1');
  expect(refused.headers.get('ratelimit-policy')).toBe('"anonymous";q=1000;w=60, "login";q=4;w=60');
  expect(refused.headers.get('ratelimit')).toMatch(/^"anonymous";r=\d+;t=60, "login";r=0;t=60$/);
  expect((await refresh(api, 'frt_two', '203.0.113.1')).status).toBe(401);
  expect((await refresh(api, 'frt_one', '203.0.113.2')).status).toBe(401);
  const issueToken = (body: Record<string, string>) => api.anyone.request('issueToken', { body });
  const grant = { grant_type: 'password', client_id: 'nobody', password: 'wrong' };
  const statuses: number[] = [];
  for (const username of ['Ada', 'ada', 'ADA ', ' ada', 'ada', 'bea'])
    statuses.push((await issueToken({ ...grant, username })).status);
  expect(statuses.map((status) => status === 429)).toEqual([false, false, false, false, true, false]);
  const rows = await api.app.dependencies.db.selectFrom('rate_limits').select('key').execute();
  expect(rows.some(({ key }) => /ada|frt_/i.test(key))).toBe(false);
  await other.close();
  await api.close();
});

test('requests for pages, assets and probes and OPTIONS requests are not counted, but a submitted form is', async () => {
  const api = await startApi({ rateLimits: true });
  await setLimits(api, { anonymous_requests_per_minute: 1 });
  api.clock.advance({ minutes: 2 });
  for (const path of [
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs',
    '/docs/reference.css',
    '/openapi.json',
    '/rooms/x/y',
  ]) {
    for (const _ of [1, 2, 3]) {
      const answer = await get(api, path);
      expect([path, answer.status === 429, answer.headers.get('ratelimit')]).toEqual([path, false, null]);
    }
  }
  const options = () => fetch(`${api.url}/api/v1/rooms`, { method: 'OPTIONS' });
  expect([(await options()).status, (await options()).status]).toEqual([204, 204]);
  const post = () => fetch(`${api.url}/rooms/x/y`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
  expect((await post()).status).not.toBe(429);
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(refused.headers.get('content-type')).toMatch(/^text\/html/);
  await api.close();
});

test('malformed and too large requests and unknown paths are counted as well', async () => {
  const api = await startApi({ rateLimits: true });
  await setLimits(api, { anonymous_requests_per_minute: 4 });
  api.clock.advance({ minutes: 2 });
  const post = (path: string, body: string) =>
    fetch(`${api.url}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect((await post('/api/v1/rooms', '{')).status).toBe(400);
  expect((await post('/api/v1/nowhere', '{}')).status).toBe(404);
  expect((await get(api, '/api/v1/nowhere')).status).toBe(404);
  expect((await fetch(`${api.url}/api/v1/rooms`, { method: 'PUT' })).status).toBe(405);
  expect((await get(api, '/api/v1/nowhere')).status).toBe(429);
  await api.close();
});

test('if rate limits are switched off, no request is counted, and answers have no rate limit headers', async () => {
  const api = await startApi({ rateLimits: false });
  await setLimits(api, { requests_per_minute: 1, anonymous_requests_per_minute: 1, logins_per_minute: 1 });
  for (const _ of [1, 2, 3]) {
    const answer = await api.admin.request('listFeatures');
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null]);
  }
  await api.close();
});

test('the rate limit settings accept only whole numbers above zero', async () => {
  const api = await startApi();
  const refused = await api.admin.request('updateSettings', {
    body: { requests_per_minute: 0, anonymous_requests_per_minute: 1.5, logins_per_minute: 'ten' },
  });
  expect(refused.status).toBe(422);
  expect(Object.keys((refused.body as { errors: object }).errors).toSorted()).toEqual([
    'anonymous_requests_per_minute',
    'logins_per_minute',
    'requests_per_minute',
  ]);
  const { data } = await api.admin.readSettings();
  expect(data).toMatchObject({
    requests_per_minute: 600,
    anonymous_requests_per_minute: 60,
    logins_per_minute: 10,
  });
  await api.close();
});

test('behind one proxy, X-Forwarded-For entries of the caller are ignored', async () => {
  const api = await startApi({ rateLimits: true, trustProxy: 1 });
  const login = (forwarded: string) =>
    fetch(`${api.url}/oauth/proxy/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
      body: JSON.stringify({ username: 'nobody', password: 'a wrong password' }),
    }).then(({ status }) => status);
  for (let attempt = 0; attempt < 10; attempt++) expect(await login(`203.0.113.${attempt}, 198.51.100.1`)).toBe(422);
  expect(await login('203.0.113.77, 198.51.100.1')).toBe(429);
  expect(await login('203.0.113.77, 198.51.100.2')).toBe(422);
  await api.close();
});
