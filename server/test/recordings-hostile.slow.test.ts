import type { Sandbox } from '@foyer/sandbox';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { startTestSandbox, type RecordedRoom, recordedRooms, type RecordedRooms } from './recorded-rooms.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api);
  rooms = await recordedRooms(api, sandbox);
});

afterEach(() => {
  sandbox.control.clearFaults();
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

const sold = { max_recordings: '100000', max_storage: '1000000' };

async function listed({ params }: RecordedRoom) {
  return (await api.admin.listRoomRecordings({ params, query: { limit: 0 } })).data;
}

/** The usage matches the existing recordings, and recounting finds no drift. */
async function expectCounted(room: RecordedRoom, of = rooms) {
  const all = await listed(room);
  const gigabytes = Math.ceil(all.reduce((sum, { size_bytes: size }) => sum + (size ?? 0), 0) / 1e9);
  expect(await of.usageOf(room, 'max_recordings')).toBe(all.length);
  expect(await of.usageOf(room, 'max_storage')).toBe(gigabytes);
  expect(await runJob(api.app.dependencies, 'reconcile-usage')).toBe(0);
}

test('thousands of recordings of one room are found, counted, and lost and found again, without drift', async () => {
  const room = await rooms.createTestRoom({ features: sold });
  const ids = Array.from({ length: 3300 }, (_, index) =>
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_600_000_000_000 + index, sizeBytes: 1e9 }),
  );
  await rooms.syncNow(room);
  await expectCounted(room);
  expect(await rooms.usageOf(room, 'max_recordings')).toBe(3300);
  const before = new Set((await listed(room)).map(({ id }) => id));
  for (const recordID of ids.slice(0, 150)) sandbox.control.loseRecording(recordID);
  await rooms.syncNow(room);
  expect(await listed(room)).toHaveLength(3300);
  api.clock.advance({ minutes: 61 });
  await rooms.syncNow(room);
  expect(await rooms.usageOf(room, 'max_recordings')).toBe(3150);
  await expectCounted(room);
  // The recordings are listed again, in another order.
  for (const index of [...ids.slice(0, 150).keys()].toReversed())
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_600_000_000_000 + index, sizeBytes: 1e9 });
  await rooms.syncNow(room);
  const after = await listed(room);
  expect(new Set(after.map(({ id }) => id))).toEqual(before);
  await expectCounted(room);
}, 120_000);

/** A server with malformed responses. */
async function startMisbehavingServer() {
  const listed: string[] = [];
  const server = createServer((request, answer) => {
    const isAsked = request.url?.includes('/getRecordings') ?? false;
    answer.setHeader('content-type', 'text/xml');
    // Returns all recordings for every page, each time in another order.
    listed.push(...listed.splice(0, 3));
    answer.end(
      `<response><returncode>SUCCESS</returncode>${isAsked ? `<recordings>${listed.join('')}</recordings>` : ''}</response>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bigbluebutton/api`;
  return { own: await recordedRooms(api, { ...sandbox, apiUrl }), listed };
}

function xml(meetingID: string, recordID: string, parts = '<playback></playback>', size: string | null = null) {
  return `<recording><recordID>${recordID}</recordID><meetingID>${meetingID}</meetingID><name>N</name>
    <published>true</published><state>published</state>${size === null ? '' : `<size>${size}</size>`}${parts}</recording>`;
}

const formatOf = (type: string, size: string) =>
  `<format><type>${type}</type><url>https://media.example/${type}</url><length>1</length><size>${size}</size></format>`;

test('implausible sizes and formats and an implausible order are ignored, and repeated runs change nothing', async () => {
  const { own: ownRooms, listed: lies } = await startMisbehavingServer();
  const [room, other] = [
    await ownRooms.createTestRoom({ features: sold }),
    await ownRooms.createTestRoom({ features: sold }),
  ];
  const sizes = ['-5', '9007199254740993', '99999999999999999999', '999999999999999', '1e9', 'NaN', '0x10', '', ' 7 '];
  lies.push(...sizes.map((size, index) => xml(room.uuid, `size-${index}`, undefined, size)));
  lies.push(
    xml(room.uuid, 'no-playback', ''),
    xml(room.uuid, 'no-address', '<playback><format><type>video</type></format></playback>'),
    xml(room.uuid, 'script', '<playback><format><type>video</type><url>javascript:alert(1)</url></format></playback>'),
    xml(room.uuid, 'twice-a-format', `<playback>${formatOf('video', '5')}${formatOf('video', '900')}</playback>`),
    xml(room.uuid, 'large-formats', `<playback>${formatOf('video', '4')}${formatOf('notes', '-4')}</playback>`),
    xml(room.uuid, 'twice'),
    xml(room.uuid, 'twice'),
    xml(room.uuid, 'of-two'),
    xml(other.uuid, 'of-two'),
    xml(room.uuid, 'with space'),
    '<recording></recording>',
    '<recording><recordID>x</recordID></recording>',
  );
  await ownRooms.demand(other);
  await ownRooms.syncNow(room);
  const before = [...(await listed(room)), ...(await listed(other))];
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
  for (let look = 0; look < 4; look += 1) {
    await ownRooms.demand(other);
    expect(await ownRooms.syncNow(room)).toBe(0);
  }
  expect([...(await listed(room)), ...(await listed(other))].map(({ id }) => id).toSorted()).toEqual(
    before.map(({ id }) => id).toSorted(),
  );
  await expectCounted(room, ownRooms);
  await expectCounted(other, ownRooms);
});

test('deletions, withdrawals and renames during an outage of hours are carried out after it by the remaining workers', async () => {
  const room = await rooms.createTestRoom({ features: sold });
  const ids = Array.from({ length: 24 }, (_, index) =>
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_500_000_000_000 + index, sizeBytes: 4e8 }),
  );
  await rooms.syncNow(room);
  const byProvider = new Map((await listed(room)).map((recording) => [recording.provider_recording_id, recording.id]));
  const params = ids.map((id) => ({ recording_id: byProvider.get(id) ?? '' }));
  const twoWorkers = async () => {
    const others = [await api.another(), await api.another()];
    onTestFinished(async () => void (await Promise.all(others.map((other) => other.close()))));
    return async () =>
      await Promise.all([...others, ...others].map(async ({ app }) => runJob(app.dependencies, 'sync-recordings')));
  };
  const before = await twoWorkers();
  sandbox.control.injectFault({ kind: 'http-error', status: 502, times: null });
  await Promise.all(
    params.slice(0, 8).map((recordingParams) => api.admin.deleteRecording({ params: recordingParams })),
  );
  for (const recordingParams of params.slice(8, 12))
    await api.admin.updateRecording({ params: recordingParams, body: { published: false } });
  for (const recordingParams of params.slice(12, 14))
    await api.admin.updateRecording({ params: recordingParams, body: { name: 'Mine' } });
  for (let hour = 0; hour < 4; hour += 1) {
    await before();
    api.clock.advance({ hours: 1 });
  }
  await expectCounted(room);
  expect(await listed(room)).toHaveLength(16);
  sandbox.control.clearFaults();
  // A recording with a pending withdrawal was lost on the provider.
  sandbox.control.loseRecording(ids[8] ?? '');
  // The worker with the lease has died; another one takes over after five minutes.
  await api.app.connection.pool.query(
    `update recording_removals set next_at = $1 where provider_recording_id = any($2)`,
    [api.clock.after(300), ids.slice(0, 4)],
  );
  // Other providers are requested first, because these have failed for long.
  const after = await twoWorkers();
  await after();
  api.clock.advance({ minutes: 6 });
  await rooms.demand(room);
  await after();
  const onProvider = new Map(
    sandbox.control.state().recordings.map(({ recordID, state, name }) => [recordID, { state, name }]),
  );
  expect(ids.slice(0, 8).filter((id) => (onProvider.get(id)?.state ?? 'deleted') !== 'deleted')).toEqual([]);
  expect(ids.slice(9, 12).map((id) => onProvider.get(id)?.state)).toEqual([
    'unpublished',
    'unpublished',
    'unpublished',
  ]);
  expect(ids.slice(14).map((id) => onProvider.get(id)?.state)).toEqual(Array.from({ length: 10 }, () => 'published'));
  const recordings = await listed(room);
  expect(recordings.filter(({ name }) => name === 'Mine')).toHaveLength(2);
  expect(recordings.filter(({ changes_pending: isPending }) => isPending).map(({ id }) => id)).toEqual([
    byProvider.get(ids[8] ?? ''),
  ]);
  api.clock.advance({ minutes: 61 });
  await rooms.demand(room);
  await after();
  expect(await listed(room)).toHaveLength(15);
  await expectCounted(room);
  // A server that is restored from an old backup does not restore recordings that were deleted here.
  for (const id of ids.slice(0, 2)) sandbox.control.loseRecording(id);
  for (const index of [0, 1, 8])
    sandbox.control.plantRecording({ meetingID: room.uuid, startTime: 1_500_000_000_000 + index, sizeBytes: 4e8 });
  await rooms.demand(room);
  await after();
  await after();
  expect(await listed(room)).toHaveLength(16);
  await expectCounted(room);
});
