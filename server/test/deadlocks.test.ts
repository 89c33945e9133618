import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '@foyer/sandbox';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeProvider } from './factories.ts';
import { startTestSandbox, type RecordedRoom, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';
import { jobs, runJob } from '../src/modules.ts';

let api: TestApi;
let other: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  other = await api.another();
  sandbox = await startTestSandbox(api);
  rooms = await createRecordedRooms(api, sandbox);
});

afterAll(async () => {
  await sandbox.close();
  await other.close();
  await api.close();
});

const run = async (worker: TestApi, name: string) => await runJob(worker.app.jobDependencies, name);
const query = async (text: string, values: readonly unknown[] = []) =>
  (await api.app.connection.pool.query(text, [...values])).rows;

/**
 * Creates recordings with pending changes. The table and all indexes except that of ids contain the
 * second half first. The change of the last recording is due in 30 seconds, the other changes later.
 */
async function plantRecordings(room: RecordedRoom, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newUuid()).toSorted();
  await query(
    `insert into recordings (id, room_id, customer_id, subscription_id, service_provider_id, provider_recording_id, name,
      state, published, pending, push_at, created_at, updated_at)
    select recording.id, rooms.id, customer_id, subscription_id, $2, lpad((100 - n)::text, 2, '0') || rooms.id, 'Old', 'published', true, '{name}',
      $3::timestamptz + case when n = $5 then 30 when n > $5 / 2 then 100 else 200 end * interval '1 second', $3, $3
    from unnest($4::uuid[]) with ordinality recording(id, n), rooms where rooms.id = $1 order by n desc`,
    [room.uuid, rooms.providerUuid, api.clock.now(), ids, count],
  );
  return ids;
}

/** Holds the lock of a row while `act` runs. */
async function withLock(lockStatement: string, act: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: api.connectionString });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(lockStatement);
    await act(client);
  } finally {
    await client.end();
  }
}

/** Returns when this number of transactions waits for a lock, or when the work has ended. */
async function waitForBlockedTransactions(client: Client, count: number, work: Promise<unknown>): Promise<void> {
  const progress = { hasEnded: false };
  void work.finally(() => (progress.hasEnded = true)).catch(() => undefined);
  while (!progress.hasEnded) {
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::int as waiting, pg_stat_clear_snapshot() from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.waiting ?? 0) >= count) return;
  }
}

test('two workers that update the same recordings in different orders both finish', async () => {
  const room = await rooms.createTestRoom();
  const ids = await plantRecordings(room, 21);
  await rooms.markDue(room);
  await withLock(`select from recordings where id = '${ids[10]}' for update`, async (client) => {
    // Reconciliation locks the stored recordings in the order of ids, up to the row that is held.
    const listing = run(api, 'sync-recordings');
    await waitForBlockedTransactions(client, 1, listing);
    // Meanwhile the provider refuses changes: all of them are postponed.
    api.clock.advance({ seconds: 31 });
    sandbox.control.injectFault({ kind: 'http-error', call: 'updateRecordings', times: null });
    const pushing = run(other, 'sync-recordings');
    await waitForBlockedTransactions(client, 2, pushing);
    await client.query('commit');
    expect(await Promise.allSettled([listing, pushing])).toEqual([
      { status: 'fulfilled', value: expect.any(Number) },
      { status: 'fulfilled', value: expect.any(Number) },
    ]);
  });
  sandbox.control.clearFaults();
  const updated = await query(
    'select count(*)::int as rows, count(missing_since)::int as missing, min(push_at) > $1 as postponed from recordings',
    [api.clock.now()],
  );
  expect(updated).toEqual([{ rows: 21, missing: 21, postponed: true }]);
});

/** Creates work for every job, on rows that both workers process. */
async function makeAllDue(instant: string, round: number): Promise<void> {
  const now = `'${instant}'::timestamptz`;
  await query(`
    update recording_checks set next_at = ${now};
    update recordings set pending = '{name}', push_at = ${now} where deleted_at is null;
    update recordings set expires_at = ${now} where id in (
      select id from recordings where deleted_at is null order by md5(id::text || ${round}) limit 5);
    insert into token_families (id, kind, client_id, population, scopes, expires_at, created_at)
      select gen_random_uuid(), 'client', id, population, '{}', ${now} - interval '40 days', ${now}
      from oauth_clients, generate_series(1, 20);
    insert into authorization_sessions (token_hash, admin_id, password_mark, expires_at, created_at)
      select sha256(int8send(n + ${round * 100})), id, '', ${now}, ${now} from admins, generate_series(1, 20) n;
    insert into failed_attempts (scope, name_hash, address, failed_at)
      select 'sign-in', '', 'nowhere', ${now} - interval '1 day' from generate_series(1, 20);
    insert into rate_limits (key, ends_at, granted, leased)
      select ${round} || ' ' || n, ${now} - interval '1 minute', 1, 1 from generate_series(1, 20) n;
    insert into service_provider_checks (service_provider_id, begins_at, checks, failures, latency_sum_ms)
      select id, ${now} - interval '40 days' - n * interval '1 second', 1, 0, 0
      from service_providers, generate_series(1, 20) n;
    update subscription_usages set valid_until = ${now}::date - 1 where valid_until is not null;
    update subscription_usages usage set used = used + 1 from subscription_features feature
      where feature.id = subscription_feature_id and tag in ('max_rooms', 'max_recordings');
    update room_entries set left_at = ${now} - interval '400 days', full_name = 'Anna' where left_at is not null;`);
}

test('two workers that run all jobs at the same time, on the same rows and during deletions, never deadlock', async () => {
  const firstRooms = await Promise.all(
    [1, 2, 3].map(() => rooms.createTestRoom({ features: { max_recordings: '1000', max_storage: '1000' } })),
  );
  const allRooms = [
    ...firstRooms,
    ...(await Promise.all(firstRooms.flatMap((room) => [1, 2, 3].map(() => rooms.another(room))))),
  ];
  for (const room of allRooms) {
    await rooms.open(room);
    await plantRecordings(room, 8);
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: api.clock.nowMs() });
  }
  const failures: unknown[] = [];
  const deleted = allRooms.slice(0, 3);
  for (let round = 0; round < 4; round += 1) {
    api.clock.advance({ minutes: 6 });
    sandbox.control.clearFaults();
    if (round % 2 === 0) sandbox.control.injectFault({ kind: 'http-error', call: 'updateRecordings', times: null });
    sandbox.control.endMeeting(allRooms[round + 3]?.uuid ?? '');
    await Promise.all(allRooms.slice(deleted.length).map((room) => rooms.markDue(room)));
    await makeAllDue(api.clock.now(), round);
    const work = [api, other].flatMap((worker) => Object.keys(jobs).map((name) => run(worker, name)));
    const room = round % 2 === 0 ? deleted.pop() : undefined;
    const deletion = room ? [api.admin.deleteRoom({ params: room.params })] : [];
    for (const outcome of await Promise.allSettled([...work, ...deletion]))
      if (outcome.status === 'rejected') failures.push(outcome.reason);
  }
  expect(failures).toEqual([]);
  expect(api.log() + other.log()).not.toContain('40P01');
}, 120_000);

test('deleting a provider during its check does not affect the checks of other providers', async () => {
  const deletedAtOnce = await makeProvider(api, sandbox);
  const deletedProvider = { id: '' };
  // Deletes its own provider before it answers.
  const server = createServer((_request, response) => {
    void api.admin
      .deleteServiceProvider({ params: { service_provider_id: deletedProvider.id } })
      .then(() => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const provider = await makeProvider(api, {
    apiUrl: `http://127.0.0.1:${port}/bigbluebutton/api`,
    secret: 'x'.repeat(40),
  });
  deletedProvider.id = provider.id;
  api.clock.advance({ minutes: 10 });
  await withLock(`delete from service_providers where id = '${deletedAtOnce.uuid}'`, async (client) => {
    expect(await run(api, 'check-providers')).toBe(2);
    await client.query('commit');
  });
  const remaining = await query(
    'select id, checked_at from service_providers left join service_provider_health on id = service_provider_id',
  );
  expect(remaining).toEqual([{ id: rooms.providerUuid, checked_at: expect.anything() }]);
});
