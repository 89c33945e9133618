import type { Sandbox } from '@foyer/sandbox';
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, refusalOf, soldFeatures, unique } from './factories.ts';
import { startTestSandbox, type RecordedRoom, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;
/** A second provider with the same server: another spelling of its address, and another secret. */
let duplicate: { readonly id: string; readonly uuid: string };

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { secrets: ['first-secret', 'second-secret'] });
  rooms = await createRecordedRooms(api, sandbox);
  duplicate = await makeProvider(api, {
    apiUrl: sandbox.apiUrl.replace('http:', 'HTTP:').replace('/bigbluebutton/api', '//bigbluebutton/'),
    secret: 'second-secret',
  });
});

afterEach(async () => {
  sandbox.control.clearFaults();
  for (const id of [rooms.provider, duplicate.id]) {
    await api.admin.updateServiceProvider({
      params: { service_provider_id: id },
      body: { active: true, max_meetings: null, pool: null },
    });
  }
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

/** Synchronizes the room through both providers, as after a meeting on each. */
async function syncBoth(room: RecordedRoom): Promise<void> {
  await api.app.connection.pool.query(
    `insert into recording_checks (service_provider_id, room_id, ended_at, next_at)
      select id, $1, $2, $2 from unnest($3::uuid[]) id
      on conflict (service_provider_id, room_id) do update set next_at = $2`,
    [room.uuid, api.clock.now(), [rooms.providerUuid, duplicate.uuid]],
  );
  await rooms.sync();
}

async function recordingsOf({ params }: RecordedRoom) {
  return (await api.admin.listRoomRecordings({ params })).data;
}

function recordingOnServer({ uuid }: RecordedRoom) {
  return sandbox.control.state().recordings.find(({ meetingID }) => meetingID === uuid);
}

async function eventsOf(uuid: string): Promise<string[]> {
  const { db } = api.app.dependencies;
  const rows = await db
    .selectFrom('events')
    .select('name')
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name }) => name);
}

async function run(name: string) {
  await runJob(api.app.dependencies, name);
}

async function healthOf(id: string) {
  return (await api.admin.readServiceProviderHealth({ params: { service_provider_id: id } })).data;
}

test('a server can be added twice, and each provider lists the other', async () => {
  expect((await healthOf(rooms.provider)).same_server).toEqual([duplicate.id]);
  const { data } = await api.admin.listServiceProviderHealth();
  expect(
    data.providers
      .map(({ same_server: same }) => same)
      .flat()
      .toSorted(),
  ).toEqual([rooms.provider, duplicate.id].toSorted());
});

test('a recording that two providers list is stored and counted once, and has each event once', async () => {
  const room = await rooms.createTestRoom({ features: { max_recordings: '10', recording: 'true' } });
  const session = createHash('sha1').update(room.uuid).digest('hex');
  for (let index = 1; index <= 5; index++)
    sandbox.control.plantRecording({ meetingID: room.uuid, recordID: `${session}-${index}` });
  await syncBoth(room);
  await syncBoth(room);
  const recordings = await recordingsOf(room);
  expect(recordings).toHaveLength(5);
  expect(await rooms.usageOf(room, 'max_recordings')).toBe(5);
  for (const { uuid } of recordings) expect(await eventsOf(uuid)).toEqual(['recording.created', 'recording.ready']);
});

test('a deleted recording is not added again through the other provider, and is deleted on the server', async () => {
  const room = await rooms.createTestRoom();
  sandbox.control.plantRecording({ meetingID: room.uuid });
  await syncBoth(room);
  const [recording] = await recordingsOf(room);
  // The server rejects the deletion for now, so the other provider still lists the recording.
  sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'deleteRecordings', times: 4 });
  await api.admin.deleteRecording({ params: { recording_id: recording?.id ?? '' } });
  await syncBoth(room);
  expect(await recordingsOf(room)).toEqual([]);
  sandbox.control.clearFaults();
  api.clock.advance({ minutes: 10 });
  await syncBoth(room);
  expect(await recordingsOf(room)).toEqual([]);
  expect(recordingOnServer(room)?.state).toBe('deleted');
});

test('the recordings of a deactivated provider move to the other provider and keep their ids', async () => {
  const room = await rooms.createTestRoom();
  sandbox.control.plantRecording({ meetingID: room.uuid });
  await rooms.syncNow(room);
  const [before] = await recordingsOf(room);
  expect(before?.service_provider_id).toBe(rooms.provider);
  // The API rejects the deactivation of a default provider.
  await api.app.connection.pool.query('update service_providers set active = false where id = $1', [
    rooms.providerUuid,
  ]);
  await syncBoth(room);
  expect(await recordingsOf(room)).toMatchObject([
    { id: before?.id, service_provider_id: duplicate.id, published: true },
  ]);
  const params = { recording_id: before?.id ?? '' };
  await api.admin.updateRecording({ params, body: { published: false } });
  expect(recordingOnServer(room)?.state).toBe('unpublished');
});

async function createRoomOnProvider(provider: string) {
  const { room } = await makeRoom(api, { provider, features: { ...soldFeatures } });
  return { params: { room_id: room.id }, uuid: room.uuid };
}

const enter = (room: { params: { room_id: string } }) =>
  api.admin.joinRoom({ params: room.params, body: { name: unique('Anna'), role: 'moderator' } });

test('meetings through one provider immediately use the capacity of the other, and are counted once', async () => {
  for (const id of [rooms.provider, duplicate.id]) {
    await api.admin.updateServiceProvider({ params: { service_provider_id: id }, body: { max_meetings: 2 } });
  }
  sandbox.control.reset();
  await api.app.connection.pool.query(`update meetings set state = 'ended', ended_at = now() where state <> 'ended'`);
  const [first, second, third] = [
    await createRoomOnProvider(rooms.provider),
    await createRoomOnProvider(duplicate.id),
    await createRoomOnProvider(duplicate.id),
  ];
  await enter(first);
  await enter(second);
  expect(await refusalOf(enter(third))).toMatchObject({ code: 'no-usable-provider' });
  expect((await healthOf(rooms.provider)).capacity).toMatchObject({ meetings_left: 0, takes_meetings: false });
  await run('sync-meetings');
  for (const id of [rooms.provider, duplicate.id]) {
    expect(await healthOf(id)).toMatchObject({ running_meetings: 2, capacity: { meetings_left: 0 } });
  }
  const { data: open } = await api.admin.listMeetings({ query: { search: 'state:open' } });
  expect(open).toHaveLength(2);
  sandbox.control.endMeeting(first.uuid);
  sandbox.control.endMeeting(second.uuid);
  api.clock.advance({ minutes: 1 });
  sandbox.control.advanceClock(0);
  await run('sync-meetings');
});

test('a meeting that was lost on one provider and resumed through the other is not ended when the first one returns', async () => {
  const room = await createRoomOnProvider(rooms.provider);
  await enter(room);
  sandbox.control.joinUser({ meetingID: room.uuid, fullName: 'Anna', role: 'MODERATOR' });
  await run('sync-meetings');
  const [meeting] = (await api.admin.listRoomMeetings({ params: room.params })).data;
  const { db } = api.app.dependencies;
  // After ten minutes without a response, the meeting is lost.
  sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'getMeetings', times: null });
  for (let minute = 0; minute < 12; minute++) {
    api.clock.advance({ minutes: 1 });
    await run('sync-meetings');
    await run('end-meetings');
  }
  expect((await api.admin.readMeeting({ params: { meeting_id: meeting?.id ?? '' } })).data.end_reason).toBe(
    'provider-lost',
  );
  const { rows } = await api.app.connection.pool.query<{ id: string }>(
    `update subscription_providers set service_provider_id = $1
      where subscription_id = (select subscription_id from rooms where id = $2) returning id`,
    [duplicate.uuid, room.uuid],
  );
  expect(rows).toHaveLength(1);
  await enter(room);
  sandbox.control.clearFaults();
  for (let minute = 0; minute < 3; minute++) {
    api.clock.advance({ minutes: 1 });
    await run('check-providers');
    await run('sync-meetings');
    await run('end-meetings');
  }
  const current = await db
    .selectFrom('meetings')
    .select(['state', 'service_provider_id'])
    .where('room_id', '=', room.uuid)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(current).toEqual({ state: 'open', service_provider_id: duplicate.uuid });
  expect(sandbox.control.state().meetings.some(({ meetingID }) => meetingID === room.uuid)).toBe(true);
});
