import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf } from './factories.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';

let api: TestApi;
let media: FakeMediaServer;

beforeAll(async () => {
  api = await startApi();
  media = await startFakeMediaServer(() => api.clock.nowMs());
});
afterAll(async () => {
  await media.close();
  await api.close();
});

test('a live room has one stream, with the address for encoders and a masked key', async () => {
  const { params, room } = await makeBroadcastRoom(api, { media });
  const { data: stream } = await api.admin.readStream({ params });
  expect(stream).toMatchObject({
    object: 'Stream',
    room_id: room.id,
    state: 'idle',
    ingest: {
      rtmp_url: 'rtmp://media.example/live',
      stream_key: '********',
      whip_url: `${media.url}/whip/${room.uuid}`,
    },
    playback: { url: room.url },
    started_at: null,
    viewers: 0,
    input: null,
    record: false,
    latency_mode: 'normal',
    source: null,
    source_error: null,
    source_error_code: null,
  });
  expect(stream.id).toMatch(/^stream_[0-9a-z]{26}$/);
  expect((await api.admin.readStream({ params })).data).toEqual(stream);
});

test('the stream key contains the id of its room, and is only in the answers that reveal or rotate it', async () => {
  const { params, room } = await makeBroadcastRoom(api, { media });
  const { data: revealed } = await api.admin.revealStreamKey({ params });
  const key = revealed.ingest.stream_key;
  expect(key).toMatch(new RegExp(`^${room.uuid.replaceAll('-', '')}_[A-Za-z0-9_-]{32}$`));
  // An encoder can send now, since the media server knows the stream.
  await runJob(api.app.dependencies, 'sync-streams');
  expect(media.streams.has(room.uuid)).toBe(true);
  const { data: rotated } = await api.admin.rotateStreamKey({ params });
  expect(rotated.ingest.stream_key).not.toBe(key);
  expect((await api.admin.revealStreamKey({ params })).data.ingest.stream_key).toBe(rotated.ingest.stream_key);
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${revealed.id}` } });
  expect(events.map(({ name }) => name)).toEqual([
    'stream.key_revealed',
    'stream.key_rotated',
    'stream.key_revealed',
    'stream.created',
  ]);
  const { rows } = await api.app.connection.pool.query('select * from audit_entries');
  const output = JSON.stringify([events, rows, api.log()]);
  for (const secret of [key, rotated.ingest.stream_key]) expect(output).not.toContain(secret.slice(33));
});

test('rooms of other types have no stream', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  for (const call of [api.admin.readStream, api.admin.revealStreamKey, api.admin.rotateStreamKey, api.admin.endStream])
    expect(await refusalOf(call({ params }))).toMatchObject({ status: 409, code: 'not-a-live-room' });
  expect(await refusalOf(api.admin.updateStream({ params, body: { record: true } }))).toMatchObject({
    code: 'not-a-live-room',
  });
});

test('record, latency and source can be changed, and a source is returned with its passwords masked', async () => {
  const { params, room } = await makeBroadcastRoom(api, { media });
  const url = 'rtsp://camera:0pen-sesame@192.0.1.1:8554/cam?token=abc';
  const { data } = await api.admin.updateStream({
    params,
    body: { record: true, latency_mode: 'low', source: { url } },
  });
  const masked = 'rtsp://camera:********@192.0.1.1:8554/cam?token=********';
  expect(data).toMatchObject({ record: true, latency_mode: 'low', source: { url: masked } });
  await runJob(api.app.dependencies, 'sync-streams');
  await api.admin.readStream({ params });
  await api.admin.updateStream({ params, body: { source: { url: masked }, record: false } });
  await runJob(api.app.dependencies, 'sync-streams');
  expect(media.streams.get(room.uuid)?.body).toMatchObject({ source: { url } });
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${data.id}` } });
  expect(JSON.stringify(events)).not.toContain('0pen-sesame');
  await api.admin.updateStream({ params, body: { source: null } });
  await runJob(api.app.dependencies, 'sync-streams');
  expect(media.streams.get(room.uuid)?.body).toMatchObject({ source: null });
});

test.each([
  ['ftp://192.0.1.1/x', 'must begin with'],
  ['file:///etc/passwd', 'must begin with'],
  ['http://192.0.1.1/x.m3u8', 'must begin with'],
  ['concat:https://one.example', 'must begin with'],
  ['rtmp://127.0.0.1/live', 'not public'],
  ['rtmp://127.1/live', 'not public'],
  ['rtmp://2130706433/live', 'not public'],
  ['rtmp://0x7f.0.0.1/live', 'not public'],
  ['rtmp://localhost/live', 'not public'],
  ['rtsp://10.0.0.4/cam', 'not public'],
  ['srt://169.254.169.254:9000', 'not public'],
  ['rtmp://[::1]/live', 'not public'],
  ['rtmp://[fe80::1]/live', 'not public'],
  ['rtmp://[::ffff:10.0.0.1]/live', 'not public'],
  ['https://192.168.1.4/live.m3u8', 'not public'],
  ['rtmp://one.example\\@127.0.0.1/live', 'not a valid address'],
  ['rtmp://one.example/live bad', 'not a valid address'],
  ['rtmp:///live', 'has no host'],
])('the source %s is rejected', async (url, sentence) => {
  const { params } = await readSharedRoom();
  const refusal = await refusalOf(api.admin.updateStream({ params, body: { source: { url } } }));
  expect([refusal.status, refusal.errors['source.url']?.[0]]).toEqual([422, expect.stringContaining(sentence)]);
});

let sharedRoom: ReturnType<typeof makeBroadcastRoom> | null = null;

/** Returns one room for all tests that do not change it. */
async function readSharedRoom() {
  sharedRoom ??= makeBroadcastRoom(api, { media });
  return await sharedRoom;
}

test('private addresses are accepted if the setting allows them', async () => {
  const { params } = await makeBroadcastRoom(api, { media });
  await api.admin.updateSettings({ body: { media_allow_private_addresses: true } });
  const source = { url: 'rtmp://127.0.0.1/live/one' };
  expect((await api.admin.updateStream({ params, body: { source } })).data.source).toEqual(source);
  await api.admin.updateSettings({ body: { media_allow_private_addresses: false } });
});

test('users of a customer read the stream with read-room, and need manage-stream for its key and changes', async () => {
  const { params, customer } = await makeBroadcastRoom(api, { media });
  const password = 'a long enough password';
  const { data: user } = await api.admin.createUser({
    body: { email: 'viewer@example.com', first_name: 'V', last_name: 'W', password },
  });
  const membership = { customer_id: customer.id };
  await api.admin.createCustomerUser({ params: membership, body: { user_id: user.id, permissions: ['read-room'] } });
  const { access_token: token } = await api.anyone.loginUser({ body: { username: user.email, password } });
  const client = api.clientWith(token);
  expect((await client.readStream({ params })).data.ingest.stream_key).toBe('********');
  for (const call of [client.revealStreamKey, client.rotateStreamKey, client.endStream])
    expect((await refusalOf(call({ params }))).status).toBe(403);
  await api.admin.updateCustomerUser({
    params: { ...membership, user_id: user.id },
    body: { permissions: ['read-room', 'manage-stream'] },
  });
  expect((await client.revealStreamKey({ params })).data.ingest.stream_key).not.toContain('*');
  expect((await client.updateStream({ params, body: { record: true } })).data.record).toBe(true);
});
