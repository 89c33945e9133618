import type { Sandbox } from '@foyer/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { refusalOf, unique } from './factories.ts';
import {
  startTestSandbox,
  insertRecording,
  type RecordedRoom,
  createRecordedRooms,
  type RecordedRooms,
} from './recorded-rooms.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api);
  rooms = await createRecordedRooms(api, sandbox);
});

afterEach(() => {
  sandbox.control.clearFaults();
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

/** Creates a published recording that exists on the provider. */
async function createTestRecording(
  options: Parameters<RecordedRooms['createTestRoom']>[0] & {
    testRooms?: RecordedRooms;
    recordingOptions?: object;
  } = {},
) {
  const { testRooms = rooms, recordingOptions = {}, ...roomOptions } = options;
  const room = await testRooms.createTestRoom(roomOptions);
  const recordID = sandbox.control.plantRecording({ meetingID: room.uuid, name: 'Lecture', ...recordingOptions });
  await testRooms.syncNow(room);
  const [recording] = (await api.admin.listRoomRecordings({ params: room.params })).data;
  if (!recording) throw new Error('the recording was not found');
  return { room, recordID, recording, params: { recording_id: recording.id } };
}

/** Creates the adapter for the sandbox, without the database. */
function createAdapter() {
  const properties = { host_url: sandbox.apiUrl, secret: sandbox.secret };
  return api.app.dependencies.providers.meeting({ id: 'asked-by-tests', providerType: 'bigbluebutton', properties });
}

/** The recording on the server; undefined once it is deleted. */
async function readOnProvider(recordID: string) {
  const recordings = await createAdapter().recordings?.({ recordingIds: [recordID] });
  return recordings?.find(({ state }) => state !== 'deleted');
}

async function read({ params }: { params: { recording_id: string } }) {
  return (await api.admin.readRecording({ params })).data;
}

async function eventNames(uuid: string) {
  const rows = await api.app.dependencies.db
    .selectFrom('events')
    .select('name')
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name }) => name);
}

async function createUserWith(room: RecordedRoom, permissions: readonly string[]) {
  const email = `${unique('user')}@example.com`;
  const password = 'a password for recordings';
  await api.admin.createRoomUser({
    params: room.params,
    body: { email, first_name: 'U', last_name: 'S', password, permissions: permissions as never },
  });
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

describe('a change', () => {
  test('is applied on the provider immediately: name, publication and metadata', async () => {
    const created = await createTestRecording();
    const { data } = await api.admin.updateRecording({
      params: created.params,
      body: {
        name: 'Anna’s “lecture” & more',
        published: false,
        recording_metadata: { Lecturer: 'Ada', deep: { a: 1 } },
      },
    });
    expect(data).toMatchObject({
      name: 'Anna’s “lecture” & more',
      published: false,
      state: 'unpublished',
      changes_pending: false,
      playback: [],
      recording_metadata: { Lecturer: 'Ada', deep: { a: 1 } },
    });
    expect(await readOnProvider(created.recordID)).toMatchObject({
      state: 'unpublished',
      metadata: { name: 'Anna’s “lecture” & more', 'label-lecturer': 'Ada' },
    });
    await api.admin.updateRecording({ params: created.params, body: { published: true, recording_metadata: null } });
    expect(await readOnProvider(created.recordID)).toMatchObject({ state: 'published' });
    expect((await readOnProvider(created.recordID))?.metadata).not.toHaveProperty('label-lecturer');
    await rooms.syncNow(created.room);
    expect(await read(created)).toMatchObject({ name: 'Anna’s “lecture” & more', state: 'published' });
    expect(await eventNames(created.recording.uuid)).toEqual([
      'recording.created',
      'recording.ready',
      'recording.unpublished',
      'recording.published',
    ]);
  });

  test("takes effect while the provider does not respond, overrides the provider's old data, and is applied on the provider later", async () => {
    const separateRooms = await createRecordedRooms(api, sandbox);
    const created = await createTestRecording({ testRooms: separateRooms });
    sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    const { data } = await api.admin.updateRecording({
      params: created.params,
      body: { name: 'Later', published: false },
    });
    expect(data).toMatchObject({ name: 'Later', published: false, state: 'unpublished', changes_pending: true });
    sandbox.control.clearFaults();
    sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'updateRecordings', times: null });
    await separateRooms.syncNow(created.room);
    expect(await read(created)).toMatchObject({ name: 'Later', state: 'unpublished', changes_pending: true });
    sandbox.control.clearFaults();
    api.clock.advance({ minutes: 6 });
    await separateRooms.sync();
    expect(await read(created)).toMatchObject({ name: 'Later', state: 'unpublished', changes_pending: false });
    expect(await readOnProvider(created.recordID)).toMatchObject({ state: 'unpublished', metadata: { name: 'Later' } });
  });

  test('of the publication of a recording that is still processed is applied later', async () => {
    const created = await createTestRecording({
      recordingOptions: { state: 'processing', startTime: api.clock.nowMs(), endTime: api.clock.nowMs() + 3_600_000 },
    });
    const { data } = await api.admin.updateRecording({ params: created.params, body: { published: false } });
    expect(data).toMatchObject({ state: 'processing', published: false, changes_pending: true });
    sandbox.control.finishRecordings(created.recordID);
    await rooms.syncNow(created.room);
    expect(await read(created)).toMatchObject({ state: 'unpublished', changes_pending: true, playback: [] });
    api.clock.advance({ seconds: 1 });
    await rooms.sync();
    expect(await read(created)).toMatchObject({ state: 'unpublished', changes_pending: false });
    expect(await readOnProvider(created.recordID)).toMatchObject({ state: 'unpublished' });
  });

  test('without changes calls no provider and records no event', async () => {
    const created = await createTestRecording();
    sandbox.control.clearCalls();
    await api.admin.updateRecording({ params: created.params, body: { name: 'Lecture', published: true } });
    expect(sandbox.control.calls()).toEqual([]);
    expect(await eventNames(created.recording.uuid)).toEqual(['recording.created', 'recording.ready']);
  });

  test('is rejected with an error for each invalid field, or if If-Match differs', async () => {
    const created = await createTestRecording();
    const update = (body: object) => api.admin.updateRecording({ params: created.params, body });
    expect((await refusalOf(update({ name: '', published: 'perhaps' }))).errors).toMatchObject({
      name: [expect.any(String)],
      published: [expect.any(String)],
    });
    expect(await refusalOf(update({ name: 'x'.repeat(151) }))).toMatchObject({ status: 422 });
    expect(await refusalOf(update({ recording_metadata: { a: { b: { c: 1 } } } }))).toMatchObject({ status: 422 });
    const { room } = await createTestRecording();
    expect(await refusalOf(update({ room_id: room.id }))).toMatchObject({ status: 422 });
    await api.admin.updateSettings({ body: { playback_link_minutes: 5 } });
    const url = `${api.url}/api/v1/recordings/${created.recording.id}`;
    const { access_token: token } = await api.anyone.loginAdmin({
      body: { username: 'root', password: 'a long enough password' },
    });
    const send = (tag: string) =>
      fetch(url, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': tag },
        body: JSON.stringify({ name: 'Matched' }),
      });
    const readTag = async () =>
      (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).headers.get('etag') ?? '';
    const tag = await readTag();
    // By then, the playback links have new signatures.
    api.clock.advance({ minutes: 30 });
    expect((await send('"no such state"')).status).toBe(412);
    expect((await send(tag)).status).toBe(200);
    expect((await send(tag)).status).toBe(412);
    expect(await readOnProvider(created.recordID)).toMatchObject({ metadata: { name: 'Matched' } });
    await api.admin.updateSettings({ body: { playback_link_minutes: 240 } });
  });
});

describe('a deletion', () => {
  test('removes the recording here and on the provider', async () => {
    const created = await createTestRecording({ features: { max_recordings: '5', max_storage: '5' } });
    expect(await rooms.usageOf(created.room, 'max_recordings')).toBe(1);
    await api.admin.deleteRecording({ params: created.params });
    expect(await readOnProvider(created.recordID)).toBeUndefined();
    expect(await refusalOf(read(created))).toMatchObject({ status: 404 });
    expect(await refusalOf(api.admin.deleteRecording({ params: created.params }))).toMatchObject({ status: 404 });
    expect(await refusalOf(api.admin.updateRecording({ params: created.params, body: {} }))).toMatchObject({
      status: 404,
    });
    expect((await api.admin.listRecordings({ query: { search: `id:${created.recording.id}` } })).data).toEqual([]);
    expect(await rooms.usageOf(created.room, 'max_recordings')).toBe(0);
    expect(await rooms.usageOf(created.room, 'max_storage')).toBe(0);
    await rooms.syncNow(created.room);
    expect((await api.admin.listRoomRecordings({ params: created.room.params })).data).toEqual([]);
    expect(await eventNames(created.recording.uuid)).toEqual([
      'recording.created',
      'recording.ready',
      'recording.deleted',
    ]);
  });

  test('takes effect while the provider does not respond, and is applied there later, also after a restart', async () => {
    const separateRooms = await createRecordedRooms(api, sandbox);
    const created = await createTestRecording({ testRooms: separateRooms });
    sandbox.control.injectFault({ kind: 'connection-reset', times: null });
    await api.admin.deleteRecording({ params: created.params });
    expect(await refusalOf(read(created))).toMatchObject({ status: 404 });
    sandbox.control.clearFaults();
    await separateRooms.syncNow(created.room);
    expect(await refusalOf(read(created))).toMatchObject({ status: 404 });
    const second = await api.another();
    api.clock.advance({ minutes: 6 });
    await runJob(second.app.dependencies, 'sync-recordings');
    await second.close();
    expect(await readOnProvider(created.recordID)).toBeUndefined();
  });

  test('is repeated if the provider restores the recording', async () => {
    const created = await createTestRecording();
    await api.admin.deleteRecording({ params: created.params });
    sandbox.control.loseRecording(created.recordID);
    sandbox.control.plantRecording({ meetingID: created.room.uuid, recordID: created.recordID });
    await rooms.syncNow(created.room);
    api.clock.advance({ seconds: 1 });
    await rooms.sync();
    expect(await readOnProvider(created.recordID)).toBeUndefined();
    expect((await api.admin.listRoomRecordings({ params: created.room.params })).data).toEqual([]);
  });
});

describe('users of the customer', () => {
  test('with the rights can read and change recordings of their rooms, but see no data of the provider', async () => {
    const created = await createTestRecording();
    const { recording: foreign } = await createTestRecording();
    const [withoutRights, reader, manager] = [
      await createUserWith(created.room, ['read-room']),
      await createUserWith(created.room, ['read-room', 'read-recordings']),
      await createUserWith(created.room, ['read-room', 'read-recordings', 'manage-recordings']),
    ];
    expect(await refusalOf(withoutRights.readRecording({ params: created.params }))).toMatchObject({ status: 403 });
    expect((await withoutRights.listRecordings()).data).toEqual([]);
    const { data } = await reader.readRecording({ params: created.params });
    expect(data).toMatchObject({ id: created.recording.id, service_provider_id: null, provider_recording_id: null });
    expect(JSON.stringify(data)).not.toContain(sandbox.url);
    expect((await reader.listRecordings()).data.map(({ id }) => id)).toEqual([created.recording.id]);
    expect((await reader.listRoomRecordings({ params: created.room.params })).data).toHaveLength(1);
    const update = { params: created.params, body: { name: 'Mine' } };
    expect(await refusalOf(reader.updateRecording(update))).toMatchObject({ status: 403 });
    expect(await refusalOf(reader.deleteRecording({ params: created.params }))).toMatchObject({ status: 403 });
    expect(await refusalOf(manager.readRecording({ params: { recording_id: foreign.id } }))).toMatchObject({
      status: 404,
    });
    expect(await refusalOf(manager.deleteRecording({ params: { recording_id: foreign.id } }))).toMatchObject({
      status: 404,
    });
    expect((await manager.updateRecording(update)).data).toMatchObject({ name: 'Mine', provider_recording_id: null });
    await manager.deleteRecording({ params: created.params });
    expect(await refusalOf(manager.readRecording({ params: created.params }))).toMatchObject({ status: 404 });
  });
});

test('recordings are listed, searched and sorted by their returned fields, and included in their rooms', async () => {
  const room = await rooms.createTestRoom();
  const created = [
    await insertRecording(api, room, { name: 'Alpha "quoted"' }),
    await insertRecording(api, room, { name: 'Beta', state: 'unpublished' }),
    await insertRecording(api, room, { name: 'Gamma', state: 'processing' }),
  ];
  const listNames = async (query: Record<string, string>) =>
    (await api.admin.listRoomRecordings({ params: room.params, query })).data.map(({ name }) => name);
  expect(await listNames({})).toEqual(['Gamma', 'Beta', 'Alpha "quoted"']);
  expect(await listNames({ search: 'state:processing' })).toEqual(['Gamma']);
  expect(await listNames({ search: 'published:true' })).toEqual(['Alpha "quoted"']);
  expect(await listNames({ search: 'changes_pending:true' })).toEqual([]);
  expect(await listNames({ search: 'quoted' })).toEqual(['Alpha "quoted"']);
  expect(await listNames({ orderBy: 'name', sortedBy: 'asc' })).toEqual(['Alpha "quoted"', 'Beta', 'Gamma']);
  const { data } = await api.admin.readRoom({ params: room.params, query: { include: 'recordings' } });
  expect(data.recordings).toMatchObject({ data: created.map(({ id }) => ({ id })) });
  const { data: one } = await api.admin.readRecording({
    params: { recording_id: created[0]?.id ?? '' },
    query: { include: 'room,customer,subscription,meeting' },
  });
  expect(one).toMatchObject({
    meeting: { data: null },
    room: { data: { id: room.id } },
    customer: { data: { id: room.customer.id } },
  });
});

describe('limits', () => {
  async function isRecorded(room: RecordedRoom): Promise<boolean> {
    await rooms.open(room);
    const { recording } = await createAdapter().state(room.uuid);
    sandbox.control.endMeeting(room.uuid);
    api.clock.advance({ minutes: 2 });
    sandbox.control.advanceClock(0);
    await runJob(api.app.dependencies, 'sync-meetings');
    return recording;
  }

  test('max_recordings: a meeting that starts at the limit is not recorded, until a recording is deleted', async () => {
    const { room, params } = await createTestRecording({ features: { max_recordings: '1' } });
    expect(await isRecorded(room)).toBe(false);
    expect(await isRecorded(await rooms.another(room))).toBe(false);
    await api.admin.deleteRecording({ params });
    expect(await isRecorded(room)).toBe(true);
  });

  test('max_storage: usage is compared with the limit in bytes, but returned in gigabytes', async () => {
    const { room } = await createTestRecording({
      features: { max_storage: '2' },
      recordingOptions: { sizeBytes: 1_999_999_999 },
    });
    expect(await rooms.usageOf(room, 'max_storage')).toBe(2);
    expect(await isRecorded(room)).toBe(true);
    sandbox.control.plantRecording({ meetingID: room.uuid, sizeBytes: 1, startTime: 1_700_000_000_000 });
    await rooms.syncNow(room);
    expect(await rooms.usageOf(room, 'max_storage')).toBe(2);
    expect(await isRecorded(room)).toBe(false);
  });

  test('of a room apply only to that room', async () => {
    const { room } = await createTestRecording({
      features: { max_recordings: '5' },
      room: { room_features: { max_recordings: 1 } },
    });
    expect(await isRecorded(room)).toBe(false);
    expect(await isRecorded(await rooms.another(room))).toBe(true);
  });

  test('that prevent a recording have one event', async () => {
    const { room } = await createTestRecording({ features: { max_recordings: '1' } });
    const { data } = await api.admin.readSubscription({ params: { subscription_id: room.subscription.id } });
    const limitEvents = async () =>
      (await eventNames(data.uuid)).filter((name) => name === 'subscription.limit_reached');
    expect(await limitEvents()).toHaveLength(0);
    expect(await isRecorded(room)).toBe(false);
    expect(await limitEvents()).toHaveLength(1);
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_700_000_000_000 });
    await rooms.syncNow(room);
    expect(await limitEvents()).toHaveLength(1);
    expect(await rooms.usageOf(room, 'max_recordings')).toBe(2);
  });

  test('are counted exactly, also with concurrent changes', async () => {
    const { room } = await createTestRecording({ features: { max_recordings: '50' } });
    const others = [await rooms.another(room), await rooms.another(room), await rooms.another(room)];
    for (const other of others) {
      for (let index = 0; index < 4; index += 1)
        sandbox.control.plantRecording({ meetingID: other.uuid, startTime: 1_700_000_000_000 + index });
    }
    const [first] = (await api.admin.listRoomRecordings({ params: room.params })).data;
    await Promise.all([
      ...others.map((other) => rooms.syncNow(other)),
      api.admin.deleteRecording({ params: { recording_id: first?.id ?? '' } }),
    ]);
    expect(await rooms.usageOf(room, 'max_recordings')).toBe(12);
    expect(await runJob(api.app.dependencies, 'reconcile-usage')).toBe(0);
    await api.app.connection.pool.query('update subscription_usages set used = 40 where used = 12');
    expect(await runJob(api.app.dependencies, 'reconcile-usage')).toBe(1);
    expect(await rooms.usageOf(room, 'max_recordings')).toBe(12);
  });
});

describe('record_expiration', () => {
  const expire = async () => await runJob(api.app.dependencies, 'expire-recordings');

  test('deletes recordings that many days after their end, also on the provider', async () => {
    const endTime = api.clock.nowMs();
    const created = await createTestRecording({ features: { record_expiration: '30' }, recordingOptions: { endTime } });
    expect(Date.parse((await read(created)).expires_at ?? '')).toBe(endTime + 30 * 86_400_000);
    api.clock.advance({ days: 29 });
    expect(await expire()).toBe(0);
    api.clock.advance({ days: 1, seconds: 1 });
    expect(await expire()).toBe(1);
    expect(await refusalOf(read(created))).toMatchObject({ status: 404 });
    await rooms.sync();
    expect(await readOnProvider(created.recordID)).toBeUndefined();
    expect(await expire()).toBe(0);
  });

  test('follows the current feature and room setting, whether longer or shorter', async () => {
    const created = await createTestRecording({ features: { record_expiration: '10' } });
    const params = { subscription_id: created.room.subscription.id };
    const { data: features } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
    const feature = features.find(({ tag }) => tag === 'record_expiration');
    await api.admin.updateSubscriptionFeature({
      params: { ...params, feature_id: feature?.id ?? '' },
      body: { value: 'unlimited' },
    });
    api.clock.advance({ days: 11 });
    expect(await expire()).toBe(0);
    expect((await read(created)).expires_at).toBeNull();
    await api.admin.updateRoom({ params: created.room.params, body: { room_features: { record_expiration: 5 } } });
    expect(await expire()).toBe(1);
  });
});
