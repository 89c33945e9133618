import type { Sandbox } from '@foyer/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { startTestSandbox, type RecordedRoom, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { recordingFormats: ['presentation', 'video'] });
  rooms = await createRecordedRooms(api, sandbox);
});

afterEach(() => {
  sandbox.control.clearFaults();
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

async function listRecordings({ params }: RecordedRoom) {
  return (await api.admin.listRoomRecordings({ params })).data;
}

async function readSingleRecording(room: RecordedRoom) {
  const [recording, ...others] = await listRecordings(room);
  expect(others).toEqual([]);
  if (!recording) throw new Error('there is no recording');
  return recording;
}

async function eventsOf({ uuid }: { uuid: string }) {
  const rows = await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select(['action as name', 'new_values as payload'])
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name, payload }) => ({ name, payload }));
}

const plant = (room: RecordedRoom, more: object = {}) =>
  sandbox.control.plantRecording({ meetingID: room.uuid, ...more });

const syncNow = (room: RecordedRoom) => rooms.syncNow(room);
const markDue = (room: RecordedRoom) => rooms.markDue(room);

function advanceClocks(minutes: number) {
  api.clock.advance({ minutes });
  sandbox.control.advanceClock(0);
}

test('after a meeting, its recording is added with all data', async () => {
  const room = await rooms.createTestRoom();
  await rooms.record(room);
  expect(await rooms.sync()).toBe(1);
  const { rows: meetings } = await api.app.connection.pool.query<{ id: string }>(
    'select id from meetings where room_id = $1',
    [room.uuid],
  );
  const recording = await readSingleRecording(room);
  expect(recording).toMatchObject({
    object: 'Recording',
    room_id: room.id,
    meeting_id: printIdentifier('meet', meetings[0]?.id ?? ''),
    customer_id: room.customer.id,
    subscription_id: room.subscription.id,
    service_provider_id: rooms.provider,
    provider_recording_id: recordIdOf(room),
    state: 'published',
    published: true,
    participants: 1,
    changes_pending: false,
    plays: 0,
    last_played_at: null,
    expires_at: null,
    recording_metadata: {},
  });
  expect(recording.playback.map(({ type }) => type)).toEqual(['presentation', 'video']);
  expect(recording.size_bytes).toBeGreaterThan(0);
  expect(await syncNow(room)).toBe(0);
  expect((await eventsOf(recording)).map(({ name }) => name)).toEqual(['recording.created', 'recording.ready']);
});

test('a recording that is still processed is listed and checked again soon, and gets an event when it appears and another when it can be watched', async () => {
  const room = await rooms.createTestRoom();
  const recordID = plant(room, {
    state: 'processing',
    startTime: api.clock.nowMs(),
    endTime: api.clock.nowMs() + 3_600_000,
  });
  await syncNow(room);
  const recording = await readSingleRecording(room);
  expect(recording).toMatchObject({ state: 'processing', published: false, playback: [] });
  expect((await eventsOf(recording)).map(({ name }) => name)).toEqual(['recording.created']);
  sandbox.control.finishRecordings(recordID);
  advanceClocks(3);
  await rooms.sync();
  expect(await readSingleRecording(room)).toMatchObject({ id: recording.id, state: 'published', published: true });
  await syncNow(room);
  expect((await eventsOf(recording)).map(({ name }) => name)).toEqual(['recording.created', 'recording.ready']);
});

test('a room whose recording does not appear is checked less and less often', async () => {
  const room = await rooms.createTestRoom();
  await rooms.record(room);
  sandbox.control.loseRecording(recordIdOf(room));
  const syncRequests = async () => {
    sandbox.control.clearCalls();
    await rooms.sync();
    return sandbox.control.calls().filter(({ call }) => call === 'getRecordings').length > 0;
  };
  let times = 0;
  for (let minute = 0; minute < 120; minute += 1) {
    if (await syncRequests()) times += 1;
    advanceClocks(1);
  }
  expect(times).toBeGreaterThan(5);
  expect(times).toBeLessThan(30);
});

function recordIdOf({ uuid }: RecordedRoom): string {
  const recording = sandbox.control.state().recordings.find(({ meetingID }) => meetingID === uuid);
  if (!recording) throw new Error('nothing was recorded');
  return recording.recordID;
}

describe('changes on a provider', () => {
  test('recordings that were not made through Foyer are added without a meeting', async () => {
    const room = await rooms.createTestRoom();
    plant(room, { name: 'From elsewhere', participants: 7, sizeBytes: 1234 });
    await syncNow(room);
    expect(await readSingleRecording(room)).toMatchObject({
      name: 'From elsewhere',
      meeting_id: null,
      state: 'published',
      participants: 7,
      size_bytes: 1234,
    });
  });

  test('recordings of unknown meetings are not added', async () => {
    const room = await rooms.createTestRoom();
    sandbox.control.plantRecording({ meetingID: 'of-somebody-else' });
    await syncNow(room);
    expect(await listRecordings(room)).toEqual([]);
  });

  test('a recording that is unpublished, published or deleted on the provider gets the same state in Foyer', async () => {
    const room = await rooms.createTestRoom();
    const recordId = plant(room, { state: 'unpublished' });
    await syncNow(room);
    const recording = await readSingleRecording(room);
    expect(recording).toMatchObject({ state: 'unpublished', published: false, playback: [] });
    await callProvider('publishRecordings', { recordID: recordId, publish: 'true' });
    await syncNow(room);
    expect(await readSingleRecording(room)).toMatchObject({ id: recording.id, state: 'published', published: true });
    await callProvider('deleteRecordings', { recordID: recordId });
    await syncNow(room);
    advanceClocks(61);
    await syncNow(room);
    expect(await listRecordings(room)).toEqual([]);
    expect((await eventsOf(recording)).map(({ name }) => name)).toEqual([
      'recording.created',
      'recording.ready',
      'recording.published',
      'recording.deleted',
    ]);
  });

  test('a recording that the provider no longer lists is shown for another hour, and keeps its id if it returns', async () => {
    const room = await rooms.createTestRoom({ features: { max_recordings: '5' } });
    const other = await rooms.another(room);
    plant(other);
    const recordID = plant(room);
    const syncBoth = async () => {
      await markDue(other);
      return await syncNow(room);
    };
    await syncBoth();
    const { id } = await readSingleRecording(room);
    sandbox.control.loseRecording(recordID);
    await syncBoth();
    advanceClocks(50);
    await syncBoth();
    expect((await readSingleRecording(room)).id).toBe(id);
    plant(room, { recordID });
    await syncBoth();
    sandbox.control.loseRecording(recordID);
    advanceClocks(50);
    await syncBoth();
    expect((await readSingleRecording(room)).id).toBe(id);
    advanceClocks(61);
    await syncBoth();
    expect(await listRecordings(room)).toEqual([]);
    expect(await rooms.usageOf(room, 'max_recordings')).toBe(1);
    plant(room, { recordID });
    await syncBoth();
    expect(await readSingleRecording(room)).toMatchObject({ id, state: 'published' });
    expect(await rooms.usageOf(room, 'max_recordings')).toBe(2);
  });

  test('a recording that is listed as broken still exists', async () => {
    const room = await rooms.createTestRoom();
    const recordID = plant(room);
    await syncNow(room);
    sandbox.control.breakRecording(recordID);
    for (let hour = 0; hour < 3; hour += 1) {
      advanceClocks(61);
      await syncNow(room);
    }
    expect(await readSingleRecording(room)).toMatchObject({ state: 'published' });
  });
});

async function callProvider(call: string, parameters: Record<string, string>) {
  const { createHash } = await import('node:crypto');
  const query = new URLSearchParams(parameters).toString();
  const checksum = createHash('sha256').update(`${call}${query}${sandbox.secret}`).digest('hex');
  const answer = await fetch(`${sandbox.apiUrl}/${call}?${query}&checksum=${checksum}`);
  expect(await answer.text()).toContain('<returncode>SUCCESS</returncode>');
}

describe('a provider', () => {
  test('that fails for hours changes nothing, and when it returns, its new recordings are added', async () => {
    const room = await rooms.createTestRoom({ features: { max_recordings: '5' } });
    plant(room, { name: 'Before' });
    await syncNow(room);
    sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    // After more failures, the next request would be delayed.
    for (let hour = 0; hour < 4; hour += 1) {
      advanceClocks(60);
      await syncNow(room);
    }
    expect((await readSingleRecording(room)).name).toBe('Before');
    sandbox.control.clearFaults();
    advanceClocks(60);
    plant(room, { name: 'Meanwhile', startTime: api.clock.nowMs() - 7_200_000 });
    await syncNow(room);
    expect((await listRecordings(room)).map(({ name }) => name).toSorted()).toEqual(['Before', 'Meanwhile']);
  });

  test.each(['connection-reset', 'html-page', 'truncated-xml', 'malformed-xml', 'wrong-content', 'oversize'] as const)(
    'that sends an invalid answer (%s) changes nothing',
    async (kind) => {
      const separateRooms = await createRecordedRooms(api, sandbox);
      const room = await separateRooms.createTestRoom();
      plant(room);
      await separateRooms.syncNow(room);
      const before = await readSingleRecording(room);
      sandbox.control.injectFault({ kind, call: 'getRecordings', times: null });
      for (let hour = 0; hour < 2; hour += 1) {
        advanceClocks(61);
        await separateRooms.syncNow(room);
      }
      const {
        playback,
        readable_created_at: created,
        readable_updated_at: updated,
        ...after
      } = await readSingleRecording(room);
      expect(before).toMatchObject(after);
      expect([playback.length, created, updated]).toEqual([2, '2 hours ago', '2 hours ago']);
    },
  );

  test('that does not respond does not delay other providers', async () => {
    const [silent, other] = [await createRecordedRooms(api, sandbox), await startTestSandbox(api)];
    const others = await createRecordedRooms(api, other);
    const [room, lively] = [await silent.createTestRoom(), await others.createTestRoom()];
    other.control.plantRecording({ meetingID: lively.uuid });
    sandbox.control.injectFault({ kind: 'hang', call: 'getRecordings', times: null });
    await api.admin.updateSettings({ body: { provider_timeout_ms: 200 } });
    await Promise.all([silent.syncNow(room), others.syncNow(lively)]);
    await api.admin.updateSettings({ body: { provider_timeout_ms: 5000 } });
    await other.close();
    expect(await listRecordings(lively)).toHaveLength(1);
  });
});

describe('many rooms', () => {
  test('are requested in batches, with few statements, and unchanged ones are not written', async () => {
    const separateRooms = await createRecordedRooms(api, sandbox);
    const room = await separateRooms.createTestRoom({ features: { max_rooms: '200' } });
    await api.app.connection.pool.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, room_type, slug, is_public, room_features,
        room_settings, room_metadata, created_at, updated_at)
      select gen_random_uuid(), customer_id, account_id, subscription_id, 'Room ' || n, 'active', room_type, 'room', false, '{}', '{}', '{}',
        created_at, updated_at
      from rooms cross join generate_series(1, 170) n where id = $1`,
      [room.uuid],
    );
    const markAllDue = () =>
      api.app.connection.pool.query(
        `insert into recording_checks (service_provider_id, room_id, ended_at, next_at)
        select $1, rooms.id, $2, $2 from rooms where room_name like 'Room %'
        on conflict (service_provider_id, room_id) do update set next_at = $2`,
        [separateRooms.providerUuid, api.clock.now()],
      );
    const { rows: all } = await api.app.connection.pool.query<{ id: string }>(
      `select id from rooms where room_name like 'Room %' and subscription_id = (select subscription_id from rooms where id = $1)`,
      [room.uuid],
    );
    for (const { id } of all) sandbox.control.plantRecording({ meetingID: id, startTime: 1_700_000_000_000 });
    await markAllDue();
    sandbox.control.clearCalls();
    const first = await countStatements(() => separateRooms.sync());
    expect(sandbox.control.calls().filter(({ call }) => call === 'getRecordings')).toHaveLength(3);
    expect(await separateRooms.sync()).toBe(0);
    await markAllDue();
    const second = await countStatements(() => separateRooms.sync());
    expect([first < 120, second < 90]).toEqual([true, true]);
    expect(await eventCount()).toBe(await eventCountAfter(markAllDue, separateRooms));
    const { data } = await api.admin.listRecordings({
      query: { search: `subscription_id:${room.subscription.id}`, limit: 0 },
    });
    expect(data).toHaveLength(170);
  });

  test('concurrent workers add each recording once', async () => {
    const separateRooms = await createRecordedRooms(api, sandbox);
    const room = await separateRooms.createTestRoom();
    for (let index = 0; index < 5; index += 1) plant(room, { startTime: 1_700_000_000_000 + index });
    await Promise.all([separateRooms.syncNow(room), separateRooms.syncNow(room), separateRooms.syncNow(room)]);
    expect(await listRecordings(room)).toHaveLength(5);
    for (const recording of await listRecordings(room))
      expect((await eventsOf(recording)).map(({ name }) => name)).toEqual(['recording.created', 'recording.ready']);
  });

  test('if the recordings of several rooms do not fit in one answer, all of them are still added', async () => {
    const big = await startTestSandbox(api, { scalelite: {} });
    const separateRooms = await createRecordedRooms(api, big, 'scalelite');
    const [first, second] = [await separateRooms.createTestRoom(), await separateRooms.createTestRoom()];
    const name = 'x'.repeat(1000);
    for (const { uuid } of [first, second]) {
      for (let index = 0; index < 900; index += 1)
        big.control.plantRecording({ meetingID: uuid, name, startTime: 1_700_000_000_000 + index });
    }
    await Promise.all([separateRooms.syncNow(first), separateRooms.syncNow(second)]);
    await separateRooms.sync();
    await big.close();
    const count = async ({ params }: RecordedRoom) =>
      (await api.admin.listRoomRecordings({ params })).meta.pagination?.total;
    expect([await count(first), await count(second)]).toEqual([900, 900]);
  });
});

async function eventCount(): Promise<number> {
  const { rows } = await api.app.connection.pool.query<{ count: number }>('select count(*)::int as count from events');
  return rows[0]?.count ?? 0;
}

async function eventCountAfter(markAllDue: () => Promise<unknown>, rooms: RecordedRooms): Promise<number> {
  await markAllDue();
  await rooms.sync();
  return await eventCount();
}

test('recordings of a deleted room are deleted on the provider, even if they appear later', async () => {
  const separateRooms = await createRecordedRooms(api, sandbox);
  const room = await separateRooms.createTestRoom();
  const [published, processed] = [plant(room), plant(room, { state: 'processing', startTime: 1_700_000_000_000 })];
  await separateRooms.syncNow(room);
  const [recording] = (await listRecordings(room)).filter(({ state }) => state === 'published');
  await api.admin.deleteRoom({ params: room.params });
  await rooms.sync();
  expect(sandbox.control.state().recordings.find(({ recordID }) => recordID === published)?.state ?? 'deleted').toBe(
    'deleted',
  );
  sandbox.control.finishRecordings(processed);
  for (let hour = 0; hour < 3; hour += 1) {
    advanceClocks(61);
    await rooms.sync();
    await rooms.sync();
  }
  expect(
    sandbox.control.state().recordings.filter(({ meetingID, state }) => meetingID === room.uuid && state !== 'deleted'),
  ).toEqual([]);
  expect((await eventsOf(recording ?? { uuid: '' })).at(-1)).toMatchObject({
    name: 'recording.deleted',
    payload: { reason: 'room-deleted' },
  });
});

test('recordings are kept if Scalelite does not list them, because recordings are disabled there', async () => {
  const balancer = await startTestSandbox(api, { scalelite: {} });
  const separateRooms = await createRecordedRooms(api, balancer, 'scalelite');
  const room = await separateRooms.createTestRoom();
  balancer.control.plantRecording({ meetingID: room.uuid });
  await separateRooms.syncNow(room);
  await balancer.close();
  const sandboxWithoutRecordings = await startTestSandbox(api, {
    scalelite: { recordingsDisabled: true },
    port: Number(new URL(balancer.url).port),
  });
  for (let hour = 0; hour < 3; hour += 1) {
    advanceClocks(61);
    await separateRooms.syncNow(room);
  }
  await sandboxWithoutRecordings.close();
  expect(await listRecordings(room)).toHaveLength(1);
});
