import type { Sandbox } from '@foyer/sandbox';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../src/platform/identifier.ts';
import { jobs } from '../src/worker.ts';
import { startApi, type TestApi } from './api.ts';
import { aSandbox, type RecordedRoom, recordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let other: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  other = await api.another();
  sandbox = await aSandbox(api);
  rooms = await recordedRooms(api, sandbox);
});

afterAll(async () => {
  await sandbox.close();
  await other.close();
  await api.close();
});

const run = async (worker: TestApi, name: string) => await jobs[name]?.run(worker.house.dependencies);
const query = async (text: string, values: readonly unknown[] = []) =>
  (await api.house.connection.pool.query(text, [...values])).rows;

/**
 * Recordings with changes that the provider has yet to carry out. In the table and in its indexes, but that of ids, the
 * later half comes before the earlier one. The change of the very last one is due in 30 seconds, those of the others later.
 */
async function plantRecordings(room: RecordedRoom, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newUuid()).toSorted();
  await query(
    `insert into recordings (id, room_id, customer_id, subscription_id, service_provider_id, provider_recording_id, name,
      state, published, pending, push_at, created_at, updated_at)
    select recording.id, rooms.id, customer_id, subscription_id, $2, lpad((100 - n)::text, 2, '0'), 'Old', 'published', true, '{name}',
      $3::timestamptz + case when n = $5 then 30 when n > $5 / 2 then 100 else 200 end * interval '1 second', $3, $3
    from unnest($4::uuid[]) with ordinality recording(id, n), rooms where rooms.id = $1 order by n desc`,
    [room.uuid, rooms.providerUuid, api.clock.now(), ids, count],
  );
  return ids;
}

/** Holds the lock of a row while `act` runs. */
async function holding(row: string, act: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: api.connectionString });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(row);
    await act(client);
  } finally {
    await client.end();
  }
}

/** Until so many transactions wait for a lock. */
async function untilWaiting(client: Client, count: number): Promise<void> {
  for (;;) {
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.waiting ?? 0) >= count) return;
  }
}

test('two workers that update the same recordings, each another part of them first, both finish', async () => {
  const room = await rooms.aRoom();
  const ids = await plantRecordings(room, 21);
  await rooms.demand(room);
  await holding(`select from recordings where id = '${ids[10]}' for update`, async (client) => {
    // The provider is asked for the room: what is stored is locked in the order of ids, up to the row that is held.
    const listing = run(api, 'sync-recordings');
    await untilWaiting(client, 1);
    // Meanwhile the provider refuses changes: all of them are postponed.
    api.clock.advance({ seconds: 31 });
    sandbox.control.injectFault({ kind: 'http-error', call: 'updateRecordings', times: null });
    const pushing = run(other, 'sync-recordings');
    await untilWaiting(client, 2);
    await client.query('commit');
    expect(await Promise.allSettled([listing, pushing])).toEqual([
      { status: 'fulfilled', value: expect.any(Number) },
      { status: 'fulfilled', value: expect.any(Number) },
    ]);
  });
  sandbox.control.clearFaults();
  const touched = await query(
    'select count(*)::int as rows, count(missing_since)::int as missing, min(push_at) > $1 as postponed from recordings',
    [api.clock.now()],
  );
  expect(touched).toEqual([{ rows: 21, missing: 21, postponed: true }]);
});
