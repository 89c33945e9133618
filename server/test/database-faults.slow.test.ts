import { Client as DatabaseClient } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startWorker } from '../src/worker.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf, unique } from './factories.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let proxy: TcpProxy;
let api: TestApi;
/** Connects to the database without the proxy. */
let database: DatabaseClient;

const waitOptions = { timeout: 20_000, interval: 50 };

beforeAll(async () => {
  proxy = await openTcpProxy();
  // The lock time-out is longer than the statement time-out.
  api = await startApi({
    proxy,
    rateLimits: true,
    connectionLimits: { statementMs: 1000, lockMs: 60_000, waitMs: 5000 },
  });
  database = new DatabaseClient({ connectionString: api.connectionString });
  database.on('error', () => undefined);
  await database.connect();
  await makeRoom(api);
});
afterAll(async () => {
  proxy.resume();
  await api.close();
  await proxy.close();
  await database.end();
});

interface Readiness {
  readonly status: string;
  readonly parts: Record<string, string>;
}

async function readReadiness(): Promise<Readiness & { readonly code: number }> {
  const answer = await fetch(`${api.url}/readyz`);
  return { code: answer.status, ...((await answer.json()) as Readiness) };
}

async function expectReady(): Promise<void> {
  await vi.waitFor(async () => expect(await readReadiness()).toMatchObject({ code: 200, status: 'ok' }), waitOptions);
}

/** Runs the statements as the database's owner, in one session. */
async function runStatements(statements: string): Promise<void> {
  await database.query(statements);
}

const terminateOtherConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

test('a statement that takes too long causes a 503 with Retry-After, also in streams and includes', async () => {
  await runStatements('begin; lock table customers in access exclusive mode');
  const unlock = () => runStatements('rollback');
  onTestFinished(unlock);
  const { listCustomers, listRooms } = api.admin;
  const refusals = await Promise.all([
    refusalOf(listCustomers()),
    refusalOf(listCustomers({ query: { limit: 0 } })),
    refusalOf(listRooms({ query: { include: 'customer' } })),
    refusalOf(listRooms({ query: { limit: 0, include: 'customer' } })),
  ]);
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ status: 503, code: 'query-too-expensive', retryAfter: 5 });
  await unlock();
  expect((await listRooms({ query: { limit: 0, include: 'customer' } })).data).toHaveLength(1);
});

/** Makes PostgreSQL reject all inserts and updates of the table with this error code. */
async function rejectChanges(table: string, errorCode: string): Promise<() => Promise<void>> {
  await runStatements(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused in a test' using errcode = '${errorCode}'; end $$`);
  await runStatements(
    `create trigger refuse before insert or update on ${table} for each row execute function refuse()`,
  );
  const restore = () => runStatements('drop function if exists refuse cascade');
  onTestFinished(restore);
  return restore;
}

test.each([
  ['disk_full', '53100', 'database-read-only'],
  ['out_of_memory', '53200', 'database-unavailable'],
  ['too_many_connections', '53300', 'database-unavailable'],
  ['query_canceled', '57014', 'query-too-expensive'],
  ['admin_shutdown', '57P01', 'database-unavailable'],
  ['crash_shutdown', '57P02', 'database-unavailable'],
  ['cannot_connect_now', '57P03', 'database-unavailable'],
  ['io_error', '58030', 'database-unavailable'],
] as const)(
  'a write that PostgreSQL rejects with %s is a 503 with Retry-After and changes nothing',
  async (...condition) => {
    const [, state, code] = condition;
    const before = (await api.admin.listCustomers({ query: { skipCache: true } })).meta.pagination?.total;
    const restore = await rejectChanges('customers', state);
    expect(await refusalOf(makeCustomer(api))).toMatchObject({ status: 503, code, retryAfter: 5 });
    await restore();
    expect((await api.admin.listCustomers({ query: { skipCache: true } })).meta.pagination?.total).toBe(before);
  },
);

test('a database with a full disk can still be read, and readiness reports that it cannot be written', async () => {
  const restore = await rejectChanges('migrations', '53100');
  await vi.waitFor(
    async () =>
      expect(await readReadiness()).toMatchObject({ code: 503, parts: { database: 'ok', writes: 'disk-full' } }),
    waitOptions,
  );
  expect((await api.admin.listRooms()).data).toHaveLength(1);
  await restore();
  await expectReady();
});

test('a database that does not respond leads to a 503, readiness reports it at once, and requests work again afterwards', async () => {
  await api.admin.listRooms();
  proxy.hang();
  onTestFinished(() => proxy.resume());
  const refusals = await Promise.all([
    refusalOf(api.admin.listRooms()),
    refusalOf(api.admin.listRooms({ query: { limit: 0 } })),
    refusalOf(makeCustomer(api)),
  ]);
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ status: 503, code: 'database-unavailable', retryAfter: 5 });
  await vi.waitFor(
    async () => expect(await readReadiness()).toMatchObject({ code: 503, status: 'unavailable' }),
    waitOptions,
  );
  await vi.waitFor(() => expect(api.app.invalidations.isListening()).toBe(false), waitOptions);
  proxy.resume();
  await expectReady();
  expect((await api.admin.listRooms({ query: { limit: 0 } })).data).toHaveLength(1);
});

test('a broken connection causes a 503, and the next request uses another one', async () => {
  await runStatements(terminateOtherConnections);
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => api.admin.listRooms()));
  for (const answer of answers)
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ status: 503, retryAfter: 5 });
  await expectReady();
  expect((await api.admin.listRooms()).data).toHaveLength(1);
});

test('a read-only database leads to a 503 for writes, readiness reports it, and new connections use the new primary', async () => {
  const name = `"${new URL(api.connectionString).pathname.slice(1)}"`;
  await runStatements(`alter database ${name} set default_transaction_read_only = on`);
  onTestFinished(() =>
    runStatements(
      `set default_transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
    ),
  );
  await runStatements(terminateOtherConnections);
  await vi.waitFor(async () => expect((await api.admin.listRooms()).data).toHaveLength(1), waitOptions);
  expect(await refusalOf(makeCustomer(api))).toMatchObject({ status: 503, code: 'database-read-only', retryAfter: 5 });
  await vi.waitFor(
    async () =>
      expect(await readReadiness()).toMatchObject({ code: 503, parts: { database: 'ok', writes: 'read-only' } }),
    waitOptions,
  );
  // Open connections stay read-only. Only new connections reach the primary.
  await runStatements(`alter database ${name} reset default_transaction_read_only`);
  await expectReady();
  await vi.waitFor(() => makeCustomer(api), waitOptions);
});

test('every connection of every pool has a time-out for statements, for locks and for idle transactions', async () => {
  for (const [name, { pool }] of Object.entries(api.app.pools)) {
    const { rows } = await pool.query(
      `select setting from pg_settings
       where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') and setting <> '0'`,
    );
    expect(rows, name).toHaveLength(3);
  }
});

test('if the connections of the worker break during a job, the process continues and jobs run again', async () => {
  const worker = await startWorker(api.app);
  onTestFinished(() => worker.stop());
  const countJobRuns = () => api.log().split('"job":"prune-rate-limits"').length;
  const addJob = () =>
    runStatements(`select graphile_worker.add_job('prune-rate-limits', job_key := '${unique('job')}')`);
  const expectJobsRun = async () => {
    const before = countJobRuns();
    await addJob();
    await vi.waitFor(() => expect(countJobRuns()).toBeGreaterThan(before), waitOptions);
  };
  await expectJobsRun();
  await runStatements(terminateOtherConnections);
  await expectJobsRun();

  await runStatements('begin; lock table rate_limits in access exclusive mode');
  onTestFinished(() => runStatements('rollback'));
  const other = new DatabaseClient({ connectionString: api.connectionString });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`select graphile_worker.add_job('prune-rate-limits')`);
  await vi.waitFor(async () => {
    const { rows } = await other.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  }, waitOptions);
  proxy.cut();
  // The end of the job cannot be stored.
  await vi.waitFor(async () => expect((await readReadiness()).parts['worker']).toBe('restarting'), waitOptions);
  expect(api.log()).toContain('the job queue failed and is restarted');
  await runStatements('rollback');
  proxy.resume();
  await vi.waitFor(async () => expect((await readReadiness()).parts['worker']).toBe('ok'), waitOptions);
  await expectJobsRun();
});
