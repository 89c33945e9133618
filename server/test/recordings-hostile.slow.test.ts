import type { Sandbox } from '@foyer/sandbox';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { startTestSandbox, type RecordedRoom, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';
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

const sold = { max_recordings: '100000', max_storage: '1000000' };

async function listRecordings({ params }: RecordedRoom) {
  return (await api.admin.listRoomRecordings({ params, query: { limit: 0 } })).data;
}

/** Expects that the usage matches the existing recordings, and that recounting finds no drift. */
async function expectExactUsage(room: RecordedRoom, testRooms = rooms) {
  const all = await listRecordings(room);
  const gigabytes = Math.ceil(all.reduce((sum, { size_bytes: size }) => sum + (size ?? 0), 0) / 1e9);
  expect(await testRooms.usageOf(room, 'max_recordings')).toBe(all.length);
  expect(await testRooms.usageOf(room, 'max_storage')).toBe(gigabytes);
  expect(await runJob(api.app.dependencies, 'reconcile-usage')).toBe(0);
}

test('thousands of recordings of one room are added, removed and added again, and the usage counts them exactly', async () => {
  const room = await rooms.createTestRoom({ features: sold });
  const ids = Array.from({ length: 3300 }, (_, index) =>
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_600_000_000_000 + index, sizeBytes: 1e9 }),
  );
  await rooms.syncNow(room);
  await expectExactUsage(room);
  expect(await rooms.usageOf(room, 'max_recordings')).toBe(3300);
  const before = new Set((await listRecordings(room)).map(({ id }) => id));
  for (const recordID of ids.slice(0, 150)) sandbox.control.loseRecording(recordID);
  await rooms.syncNow(room);
  expect(await listRecordings(room)).toHaveLength(3300);
  api.clock.advance({ minutes: 61 });
  await rooms.syncNow(room);
  expect(await rooms.usageOf(room, 'max_recordings')).toBe(3150);
  await expectExactUsage(room);
  // The recordings are listed again, in a different order.
  for (const index of [...ids.slice(0, 150).keys()].toReversed())
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_600_000_000_000 + index, sizeBytes: 1e9 });
  await rooms.syncNow(room);
  const after = await listRecordings(room);
  expect(new Set(after.map(({ id }) => id))).toEqual(before);
  await expectExactUsage(room);
}, 120_000);

/** Starts a server with malformed responses. */
async function startMisbehavingServer() {
  const returnedXml: string[] = [];
  const server = createServer((request, answer) => {
    const isRecordingsCall = request.url?.includes('/getRecordings') ?? false;
    answer.setHeader('content-type', 'text/xml');
    // Returns all recordings for every page, each time in a different order.
    returnedXml.push(...returnedXml.splice(0, 3));
    answer.end(
      `<response><returncode>SUCCESS</returncode>${isRecordingsCall ? `<recordings>${returnedXml.join('')}</recordings>` : ''}</response>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bigbluebutton/api`;
  return { ownRooms: await createRecordedRooms(api, { ...sandbox, apiUrl }), returnedXml };
}

function recordingXml(
  meetingID: string,
  recordID: string,
  content = '<playback></playback>',
  size: string | null = null,
) {
  return `<recording><recordID>${recordID}</recordID><meetingID>${meetingID}</meetingID><name>N</name>
    <published>true</published><state>published</state>${size === null ? '' : `<size>${size}</size>`}${content}</recording>`;
}

const formatXml = (type: string, size: string) =>
  `<format><type>${type}</type><url>https://media.example/${type}</url><length>1</length><size>${size}</size></format>`;

test('implausible sizes and formats and an implausible order are ignored, and repeated runs change nothing', async () => {
  const { ownRooms, returnedXml } = await startMisbehavingServer();
  const [room, other] = [
    await ownRooms.createTestRoom({ features: sold }),
    await ownRooms.createTestRoom({ features: sold }),
  ];
  const sizes = ['-5', '9007199254740993', '99999999999999999999', '999999999999999', '1e9', 'NaN', '0x10', '', ' 7 '];
  returnedXml.push(...sizes.map((size, index) => recordingXml(room.uuid, `size-${index}`, undefined, size)));
  returnedXml.push(
    recordingXml(room.uuid, 'no-playback', ''),
    recordingXml(room.uuid, 'no-address', '<playback><format><type>video</type></format></playback>'),
    recordingXml(
      room.uuid,
      'script',
      '<playback><format><type>video</type><url>javascript:alert(1)</url></format></playback>',
    ),
    recordingXml(
      room.uuid,
      'twice-a-format',
      `<playback>${formatXml('video', '5')}${formatXml('video', '900')}</playback>`,
    ),
    recordingXml(
      room.uuid,
      'large-formats',
      `<playback>${formatXml('video', '4')}${formatXml('notes', '-4')}</playback>`,
    ),
    recordingXml(room.uuid, 'twice'),
    recordingXml(room.uuid, 'twice'),
    recordingXml(room.uuid, 'of-two'),
    recordingXml(other.uuid, 'of-two'),
    recordingXml(room.uuid, 'with space'),
    '<recording></recording>',
    '<recording><recordID>x</recordID></recording>',
  );
  await ownRooms.markDue(other);
  await ownRooms.syncNow(room);
  const before = [...(await listRecordings(room)), ...(await listRecordings(other))];
  const sizeOf = (id: string) => before.find((recording) => recording.provider_recording_id === id)?.size_bytes;
  expect(sizes.map((_, index) => sizeOf(`size-${index}`))).toEqual([...Array<null>(8).fill(null), 7]);
  expect([sizeOf('twice-a-format'), sizeOf('large-formats'), sizeOf('no-playback')]).toEqual([5, 4, null]);
  expect(before.filter(({ provider_recording_id: id }) => id === 'twice')).toHaveLength(1);
  expect(before.filter(({ provider_recording_id: id }) => id === 'of-two')).toHaveLength(1);
  expect(before).toHaveLength(sizes.length + 7);
  expect(before.flatMap(({ playback }) => playback.map(({ type }) => type)).toSorted()).toEqual([
    'notes',
    'video',
    'video',
  ]);
  for (let round = 0; round < 4; round += 1) {
    await ownRooms.markDue(other);
    expect(await ownRooms.syncNow(room)).toBe(0);
  }
  expect([...(await listRecordings(room)), ...(await listRecordings(other))].map(({ id }) => id).toSorted()).toEqual(
    before.map(({ id }) => id).toSorted(),
  );
  await expectExactUsage(room, ownRooms);
  await expectExactUsage(other, ownRooms);
});

test('if recordings are deleted, unpublished and renamed while the provider is down for hours, other workers make these changes on it later', async () => {
  const room = await rooms.createTestRoom({ features: sold });
  const ids = Array.from({ length: 24 }, (_, index) =>
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_500_000_000_000 + index, sizeBytes: 4e8 }),
  );
  await rooms.syncNow(room);
  const idsByProviderId = new Map(
    (await listRecordings(room)).map((recording) => [recording.provider_recording_id, recording.id]),
  );
  const params = ids.map((id) => ({ recording_id: idsByProviderId.get(id) ?? '' }));
  const createTwoWorkers = async () => {
    const others = [await api.another(), await api.another()];
    onTestFinished(async () => void (await Promise.all(others.map((other) => other.close()))));
    return async () =>
      await Promise.all([...others, ...others].map(async ({ app }) => runJob(app.dependencies, 'sync-recordings')));
  };
  const runFirstWorkers = await createTwoWorkers();
  sandbox.control.injectFault({ kind: 'http-error', status: 502, times: null });
  await Promise.all(
    params.slice(0, 8).map((recordingParams) => api.admin.deleteRecording({ params: recordingParams })),
  );
  for (const recordingParams of params.slice(8, 12))
    await api.admin.updateRecording({ params: recordingParams, body: { published: false } });
  for (const recordingParams of params.slice(12, 14))
    await api.admin.updateRecording({ params: recordingParams, body: { name: 'Mine' } });
  for (let hour = 0; hour < 4; hour += 1) {
    await runFirstWorkers();
    api.clock.advance({ hours: 1 });
  }
  await expectExactUsage(room);
  expect(await listRecordings(room)).toHaveLength(16);
  sandbox.control.clearFaults();
  // The provider loses a recording that is still to be unpublished.
  sandbox.control.loseRecording(ids[8] ?? '');
  // The worker with the lease has died; another one takes over after five minutes.
  await api.app.connection.pool.query(
    `update recording_removals set next_at = $1 where provider_recording_id = any($2)`,
    [api.clock.after(300), ids.slice(0, 4)],
  );
  // Workers request other providers first, because this one has failed for a long time.
  const runSecondWorkers = await createTwoWorkers();
  await runSecondWorkers();
  api.clock.advance({ minutes: 6 });
  await rooms.markDue(room);
  await runSecondWorkers();
  const providerRecordings = new Map(
    sandbox.control.state().recordings.map(({ recordID, state, name }) => [recordID, { state, name }]),
  );
  expect(ids.slice(0, 8).filter((id) => (providerRecordings.get(id)?.state ?? 'deleted') !== 'deleted')).toEqual([]);
  expect(ids.slice(9, 12).map((id) => providerRecordings.get(id)?.state)).toEqual([
    'unpublished',
    'unpublished',
    'unpublished',
  ]);
  expect(ids.slice(14).map((id) => providerRecordings.get(id)?.state)).toEqual(
    Array.from({ length: 10 }, () => 'published'),
  );
  const recordings = await listRecordings(room);
  expect(recordings.filter(({ name }) => name === 'Mine')).toHaveLength(2);
  expect(recordings.filter(({ changes_pending: isPending }) => isPending).map(({ id }) => id)).toEqual([
    idsByProviderId.get(ids[8] ?? ''),
  ]);
  api.clock.advance({ minutes: 61 });
  await rooms.markDue(room);
  await runSecondWorkers();
  expect(await listRecordings(room)).toHaveLength(15);
  await expectExactUsage(room);
  // A server that is restored from an old backup does not restore recordings that were deleted here.
  for (const id of ids.slice(0, 2)) sandbox.control.loseRecording(id);
  for (const index of [0, 1, 8])
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_500_000_000_000 + index, sizeBytes: 4e8 });
  await rooms.markDue(room);
  await runSecondWorkers();
  await runSecondWorkers();
  expect(await listRecordings(room)).toHaveLength(16);
  await expectExactUsage(room);
});
