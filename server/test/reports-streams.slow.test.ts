import { errorCodes } from '@foyer/contract/conventions/error-codes.ts';
import fastify, { type FastifyInstance } from 'fastify';
import { type RawBuilder, sql } from 'kysely';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Report, streamReport } from '../src/modules/reports/stream-report.ts';
import { reserveReportSlot } from '../src/modules/reports/report-slots.ts';
import { calendarDate } from '../src/platform/time/calendar-date.ts';
import type { Failure } from '../src/platform/failures.ts';
import { limitReading } from '../src/platform/http/answer/limit-reading.ts';
import { newUuid, parseIdentifier } from '../src/platform/identity/identifier.ts';
import { tenantsOfUser } from '../src/modules/memberships/index.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

let api: TestApi;
let token: string;
/** The big report has a row for each day and room. */
const days = 20;
const roomCount = 1500;

beforeAll(async () => {
  api = await startApi({ now: '2026-03-20T12:00:00Z' });
  const { db } = api.app.dependencies;
  const { room, customer, account, subscription } = await makeRoom(api, {
    room: { room_name: '=HYPERLINK("http://evil.example")' },
  });
  await sql`
    insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug,
      created_at, updated_at)
    select gen_random_uuid(), ${customer.uuid}, ${account.uuid}, ${subscription.uuid}, 'Room, "' || i || '"', 'active',
      false, 'meet', 'room-' || i, '2026-01-01', '2026-01-01'
    from generate_series(2, ${roomCount}::int) i`.execute(db);
  await sql`
    insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
      created_at, updated_at)
    select gen_random_uuid(), id, customer_id, subscription_id, 'past', 'ended', at, at + interval '1 hour', at, at
    from rooms cross join generate_series(timestamptz '2026-03-01 10:00Z', timestamptz '2026-03-20 10:00Z', '1 day') at`.execute(
    db,
  );
  await sql`
    insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, joined_at, left_at, created_at)
    values (${newUuid()}, ${room.uuid}, (select id from meetings where room_id = ${room.uuid} limit 1),
      ${subscription.uuid}, 'guest', '2026-03-01', '2026-03-01', '2026-03-01', '2026-03-01')`.execute(db);
  const { username, password } = firstAdmin;
  const login = await api.anyone.loginAdmin({ body: { username, password } });
  token = login.access_token;
});
afterAll(() => api.close());

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${api.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
}

/** The number of connections with an open report. */
async function countOpenReports(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'foyer' and state <> 'idle'
      and pid <> pg_backend_pid()`.execute(api.app.dependencies.db);
  return rows[0]?.count ?? -1;
}

async function expectNoOpenReports(): Promise<void> {
  await expect.poll(countOpenReports).toBe(0);
}

test('CSV is requested by Accept or format, and the name of the file contains the report and its dates', async () => {
  const plain = await get('/reports/usage');
  expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(plain.headers.get('content-disposition')).toBeNull();
  expect(plain.headers.get('vary')).toContain('Accept');
  const accepted = await get('/reports/usage', { accept: 'text/csv' });
  expect(accepted.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(accepted.headers.get('content-disposition')).toBe('attachment; filename="usage-2026-03-01-2026-03-20.csv"');
  const formatAnswer = await get('/reports/subscriptions?format=csv&from=2026-03-05', { accept: 'application/json' });
  expect(formatAnswer.headers.get('content-disposition')).toBe(
    'attachment; filename="subscriptions-2026-03-05-2026-03-20.csv"',
  );
  const preferred = await get('/reports/usage', { accept: 'text/csv;q=0.5, application/json' });
  expect(preferred.headers.get('content-type')).toContain('application/json');
  expect((await get('/reports/usage?format=json', { accept: 'text/csv' })).headers.get('content-type')).toContain(
    'json',
  );
  await expectNoOpenReports();
});

test('a CSV has a header line, quoted cells, and no cell that a spreadsheet would run', async () => {
  const text = await (await get('/reports/usage?format=csv&group_by=room&to=2026-03-01&orderBy=room_name')).text();
  const lines = text.split('\r\n');
  expect(lines).toHaveLength(roomCount + 2);
  expect(lines[0]).toMatch(/^period,starts_at,ends_at,customer_id,customer_name,/);
  expect(text).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
  expect(text).not.toMatch(/(^|,)"?[=+@-]/m);
  expect(text).toContain('"Room, ""77"""');
});

test('a report with many rows is complete and equal as JSON and CSV', async () => {
  const query = { group_by: 'room', from: '2026-03-01' };
  const { data, meta } = await api.admin.readUsageReport({ query });
  expect(data).toHaveLength(days * roomCount);
  expect(meta).toMatchObject({ from: '2026-03-01T00:00:00.000000Z', by: 'day', timezone: 'UTC', group_by: ['room'] });
  const { fileName, body } = await api.admin.csv('readUsageReport', { query });
  expect(fileName).toBe('usage-2026-03-01-2026-03-20.csv');
  let lines = 0;
  for await (const chunk of body) lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
  expect(lines).toBe(days * roomCount + 1);
  await expectNoOpenReports();
});

test('a report of future days has no rows', async () => {
  expect((await api.admin.readUsageReport({ query: { from: '2026-04-01', to: '2026-04-30' } })).data).toEqual([]);
  expect(await (await get('/reports/subscriptions?format=csv&from=2026-04-01&to=2026-04-30')).text()).toBe(
    'period,starts_at,ends_at,currency,active,trialing,new,canceled,expiring,monthly_recurring_value\r\n',
  );
});

test('at most one batch is read ahead for a client that stops reading, and a disconnect releases the connection', async () => {
  const path = '/api/v1/reports/usage?group_by=room&from=2026-03-01&format=csv';
  const { hostname, port } = new URL(api.url);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ hostname, port, path, headers: { authorization: `Bearer ${token}` } }, resolve)
      .once('error', reject)
      .end();
  });
  answer.once('error', () => undefined);
  answer.pause();
  expect(await countOpenReports()).toBe(1);
  answer.destroy();
  await expectNoOpenReports();
});

test('a client that disconnects while its report is being computed cancels the query', async () => {
  const blocker = await api.app.connection.pool.connect();
  try {
    // The report waits for the table; nothing else reads it.
    await blocker.query('begin; lock table past_usage in access exclusive mode');
    const abort = new AbortController();
    const call = api.admin.readUsageReport({ signal: abort.signal }).catch(() => 'gone');
    await expect.poll(countOpenReports).toBe(2);
    abort.abort();
    expect(await call).toBe('gone');
    await vi.waitFor(async () => expect(await countOpenReports()).toBe(1), { timeout: 5000, interval: 20 });
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await expectNoOpenReports();
});

test('the number of running reports is limited; the next one is rejected with Retry-After', async () => {
  const blocker = await api.app.connection.pool.connect();
  const abort = new AbortController();
  try {
    await blocker.query('begin; lock table past_usage in access exclusive mode');
    const calls = [1, 2, 3].map(() => api.admin.readUsageReport({ signal: abort.signal }).catch(() => 'gone'));
    await vi.waitFor(async () => expect(await countOpenReports()).toBe(4), { timeout: 5000, interval: 20 });
    const refusal = await refusalOf(api.admin.readUsageReport());
    expect([refusal.status, refusal.code, refusal.retryAfter]).toEqual([503, 'busy', 5]);
    // The limit is checked before the query is parsed.
    expect((await refusalOf(api.admin.readUsageReport({ query: { from: 'never' } }))).code).toBe('busy');
    abort.abort();
    await Promise.all(calls);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await expectNoOpenReports();
  expect((await api.admin.readUsageReport({ query: { to: '2026-03-01' } })).data).toHaveLength(1);
});

test('a user can run one report at a time, users cannot take all slots, and slots are released', () => {
  const createHolder = (kind: 'user' | 'admin') => ({
    id: newUuid(),
    kind,
    tenants: kind === 'user' ? [newUuid()] : [],
  });
  const [ada, grace, alan, lastUser] = [
    createHolder('user'),
    createHolder('user'),
    createHolder('user'),
    createHolder('user'),
  ];
  const releaseFirst = reserveReportSlot(ada);
  expect(() => reserveReportSlot(ada)).toThrow('You have reached your limit');
  const others = [reserveReportSlot(grace), reserveReportSlot(alan)];
  expect(() => reserveReportSlot(lastUser)).toThrow('Too many reports');
  const admin = createHolder('admin');
  others.push(reserveReportSlot(admin), reserveReportSlot(admin));
  expect(() => reserveReportSlot(createHolder('admin'))).toThrow('Too many reports');
  releaseFirst();
  releaseFirst();
  others.push(reserveReportSlot(admin));
  expect(() => reserveReportSlot(lastUser)).toThrow('Too many reports');
  for (const release of others) release();
  const adminSlots = [reserveReportSlot(admin), reserveReportSlot(admin), reserveReportSlot(admin)];
  expect(() => reserveReportSlot(admin)).toThrow('You have reached your limit');
  for (const release of adminSlots) release();
  reserveReportSlot(lastUser)();
});

test('the users of one customer and its sub-customers cannot take all slots of users', async () => {
  const reseller = await makeCustomer(api, { is_reseller: true });
  const childCustomer = await makeCustomer(api, { parent_customer_id: reseller.id });
  const ownerOf = async ({ id }: { id: string }) =>
    (await api.admin.listCustomerUsers({ params: { customer_id: id } })).data[0]?.user_id ?? '';
  const uuidOf = async (customer: { id: string }) => parseIdentifier('user', await ownerOf(customer)) ?? '';
  const { db } = api.app.dependencies;
  const holders = [];
  for (const customer of [reseller, childCustomer, await makeCustomer(api)]) {
    const id = await uuidOf(customer);
    holders.push({ id, kind: 'user' as const, tenants: await tenantsOfUser(db, id) });
  }
  const [first, second, stranger] = holders;
  if (!first || !second || !stranger) throw new Error('missing users');
  expect(second.tenants).toEqual(first.tenants);
  const releases = [reserveReportSlot(first), reserveReportSlot(second)];
  expect(() => reserveReportSlot({ ...first, id: newUuid() })).toThrow('Your organization has reached its limit');
  releases.push(reserveReportSlot(stranger));
  for (const release of releases) release();
});

test('if the database connection is lost during a report, the answer is aborted, and the next report works', async () => {
  const { body } = await api.admin.csv('readUsageReport', { query: { group_by: 'room', from: '2026-03-01' } });
  const reader = body.getReader();
  await reader.read();
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`.execute(
    api.app.dependencies.db,
  );
  const readRest = async () => {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read());
  };
  await expect(readRest()).rejects.toThrow();
  await expectNoOpenReports();
  expect((await api.admin.readUsageReport({ query: { to: '2026-03-01' } })).data).toHaveLength(1);
});

test('rejected and empty reports do not count as running', async () => {
  for (let round = 0; round < 6; round++) {
    const refusal = await refusalOf(api.admin.readUsageReport({ query: { from: 'never' } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['from']]);
    expect((await api.admin.readUsageReport({ query: { from: '2099-01-01', to: '2099-01-02' } })).data).toEqual([]);
  }
});

test('HEAD has the headers of GET, without the rows', async () => {
  const answer = await fetch(`${api.url}/api/v1/reports/usage?format=csv`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}` },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(await answer.text()).toBe('');
  await expectNoOpenReports();
});

describe('with short time-outs', () => {
  let server: FastifyInstance;
  let statement: RawBuilder<unknown>;
  let statementMs = 200;
  let timeouts = { stallMs: 60_000, totalMs: 60_000 };

  beforeAll(async () => {
    server = fastify();
    server.get('/', async (_, reply) => {
      const request = { from: calendarDate('2026-03-01'), to: calendarDate('2026-03-01'), format: 'csv' } as const;
      const report: Report<{ filler: string }> = {
        name: 'filler',
        buildStatement: async () => statement,
        request,
        members: ['filler'],
        print: ({ filler }) => ({ filler }),
        meta: {},
      };
      const holder = { id: newUuid(), kind: 'admin', tenants: [] } as const;
      const { chunks } = await streamReport(
        api.app.dependencies,
        { reply, owner: holder },
        async () => report,
        statementMs,
      );
      return reply.send(Readable.from(limitReading(chunks, () => reply.raw.destroy(), timeouts)));
    });
    server.setErrorHandler((error, _, reply) => {
      const { code } = error as Failure;
      return reply.status(errorCodes[code][0]).send({ code });
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  test('a report that takes too long is rejected, and its connection is released', async () => {
    statement = sql`select 'x' as filler, pg_sleep(30)`;
    const answer = await server.inject('/');
    expect([answer.statusCode, answer.json()]).toEqual([503, { code: 'report-timeout' }]);
    await expectNoOpenReports();
  });

  test('a client that stops reading is disconnected, and one that keeps reading gets everything', async () => {
    statement = sql`select repeat('x', 1000) as filler from generate_series(1, 30000)`;
    statementMs = 30_000;
    timeouts = { stallMs: 1500, totalMs: 60_000 };
    const { port } = (server.server.address() ?? expect.fail()) as AddressInfo;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ port, path: '/' }, resolve).once('error', reject).end();
    });
    const broken = new Promise<unknown>((resolve) => answer.once('error', resolve));
    answer.pause();
    await vi.waitFor(async () => expect(await countOpenReports()).toBe(1), { timeout: 5000, interval: 10 });
    await expectNoOpenReports();
    answer.resume();
    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    expect(text.split('\r\n')).toHaveLength(30_002);
    await expectNoOpenReports();
  });

  test('a client that is too slow in total is also disconnected', async () => {
    statement = sql`select repeat('x', 1000) as filler from generate_series(1, 60000)`;
    timeouts = { stallMs: 60_000, totalMs: 2000 };
    const { port } = (server.server.address() ?? expect.fail()) as AddressInfo;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ port, path: '/' }, resolve).once('error', reject).end();
    });
    const broken = new Promise<unknown>((resolve) => answer.once('error', resolve));
    answer.pause();
    await expectNoOpenReports();
    answer.resume();
    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
  });
});
