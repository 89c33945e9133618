import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf } from './factories.ts';
import { type BroadcastRoom, goLive, makeBroadcastRoom, report } from './broadcast-rooms.ts';
import { absentMediaServer, type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';

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

async function makeSimulcastRoom(features: Readonly<Record<string, string>> = {}) {
  return await makeBroadcastRoom(api, { media, type: 'simulcast', features });
}

async function readUsedOutputs({ subscription }: Pick<BroadcastRoom, 'subscription'>): Promise<number | undefined> {
  const { data } = await api.admin.readSubscriptionUsage({
    params: { subscription_id: subscription.id },
    query: { limit: 0 },
  });
  return data.find(({ tag }) => tag === 'max_outputs')?.usage.data.used;
}

async function listEventNames(id: string): Promise<string[]> {
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${id}`, limit: 100 } });
  return data.toReversed().map(({ name }) => name);
}

test.each([
  ['youtube', 'rtmps://a.rtmps.youtube.com/live2'],
  ['facebook', 'rtmps://live-api-s.facebook.com:443/rtmp'],
  ['twitch', 'rtmps://ingest.global-contribute.live-video.net:443/app'],
] as const)('an output to %s without an address gets the default address of the platform', async (platform, url) => {
  const { params } = await makeSimulcastRoom();
  const { data } = await api.admin.createOutput({ params, body: { name: 'Channel', platform, stream_key: 'a-b-c' } });
  expect(data).toMatchObject({
    object: 'Output',
    name: 'Channel',
    platform,
    url,
    stream_key: '********',
    enabled: true,
    state: 'idle',
    since: null,
    kbps: 0,
    bytes_sent: 0,
    last_error: null,
    last_error_code: null,
  });
  expect(data.id).toMatch(/^out_/);
});

test.each(['linkedin', 'custom'] as const)('an output to %s needs an address', async (platform) => {
  const { params } = await makeSimulcastRoom();
  const refusal = await refusalOf(api.admin.createOutput({ params, body: { name: 'Channel', platform } }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['url']]);
});

test.each([
  ['https://192.0.1.1/live', 'must begin with'],
  ['srt://192.0.1.1:9000', 'must begin with'],
  ['rtmp://user:secret@192.0.1.1/live', 'user name or password'],
  ['rtmp://127.0.0.1/live', 'not public'],
  ['rtmps://10.1.2.3/live', 'not public'],
  ['rtmp://169.254.169.254/latest', 'not public'],
  ['rtmp://0177.0.0.1/live', 'not public'],
  ['rtmp://[fd00::1]/live', 'not public'],
  ['rtmp://media.localhost/live', 'not public'],
  ['rtmp://192.0.1.1/live|[f=flv]/tmp/x', 'not a valid address'],
])('the address %s is rejected for an output', async (url, sentence) => {
  const { params } = await makeSimulcastRoom();
  const body = { name: 'Channel', platform: 'custom', url } as const;
  const refusal = await refusalOf(api.admin.createOutput({ params, body }));
  expect([refusal.status, refusal.errors['url']?.[0]]).toEqual([422, expect.stringContaining(sentence)]);
});

test('a stream key is masked everywhere, kept if its mask is written, and replaced or removed by another value', async () => {
  const { params } = await makeSimulcastRoom();
  const { data: output } = await api.admin.createOutput({
    params,
    body: { name: 'Channel', platform: 'twitch', stream_key: 'live_first_secret' },
  });
  const outputParams = { ...params, output_id: output.id };
  const readSealedKey = async () => {
    const { rows } = await api.app.connection.pool.query<{ stream_key_sealed: string | null }>(
      'select stream_key_sealed from outputs where id = $1',
      [output.uuid],
    );
    return rows[0]?.stream_key_sealed ?? null;
  };
  const keyBefore = await readSealedKey();
  await api.admin.updateOutput({ params: outputParams, body: { stream_key: output.stream_key, name: 'Renamed' } });
  expect(await readSealedKey()).toBe(keyBefore);
  await api.admin.updateOutput({ params: outputParams, body: { stream_key: 'live_second_secret' } });
  expect(await readSealedKey()).not.toBe(keyBefore);
  expect(
    (await api.admin.updateOutput({ params: outputParams, body: { stream_key: null } })).data.stream_key,
  ).toBeNull();
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${output.id}` } });
  const { rows } = await api.app.connection.pool.query('select * from audit_entries');
  const printed = JSON.stringify([events, rows, api.log(), await api.admin.listOutputs({ params })]);
  for (const key of ['live_first_secret', 'live_second_secret']) expect(printed).not.toContain(key);
});

test.each(['********', 'with blank', 'käse'])('the stream key %s is rejected', async (key) => {
  const { params } = await makeSimulcastRoom();
  const body = { name: 'Channel', platform: 'twitch', stream_key: key } as const;
  expect(Object.keys((await refusalOf(api.admin.createOutput({ params, body }))).errors)).toEqual(['stream_key']);
});

test('changing the platform sets the default address of the new platform, and the address null restores the default', async () => {
  const { params } = await makeSimulcastRoom();
  const { data: output } = await api.admin.createOutput({ params, body: { name: 'Channel', platform: 'youtube' } });
  const outputParams = { ...params, output_id: output.id };
  const changed = await api.admin.updateOutput({ params: outputParams, body: { platform: 'twitch' } });
  expect(changed.data.url).toContain('live-video.net');
  await api.admin.updateOutput({ params: outputParams, body: { url: 'rtmp://192.0.1.1/app' } });
  const restored = await api.admin.updateOutput({ params: outputParams, body: { url: null } });
  expect(restored.data.url).toContain('live-video.net');
  const refusal = await refusalOf(api.admin.updateOutput({ params: outputParams, body: { platform: 'custom' } }));
  expect(Object.keys(refusal.errors)).toEqual(['url']);
});

test('only simulcast rooms have outputs, and an output is found only in its own room', async () => {
  const live = await makeBroadcastRoom(api, { media });
  const body = { name: 'Channel', platform: 'twitch' } as const;
  expect(await refusalOf(api.admin.createOutput({ params: live.params, body }))).toMatchObject({
    status: 409,
    code: 'not-a-simulcast-room',
  });
  const firstRoom = await makeSimulcastRoom();
  const otherRoom = await makeSimulcastRoom();
  const { data: output } = await api.admin.createOutput({ params: firstRoom.params, body });
  const foreignParams = { ...otherRoom.params, output_id: output.id };
  expect((await refusalOf(api.admin.readOutput({ params: foreignParams }))).status).toBe(404);
  expect((await refusalOf(api.admin.updateOutput({ params: foreignParams, body: { enabled: false } }))).status).toBe(
    404,
  );
  expect((await refusalOf(api.admin.deleteOutput({ params: foreignParams }))).status).toBe(404);
  expect((await api.admin.listOutputs({ params: otherRoom.params })).data).toEqual([]);
});

test('of twenty concurrent requests for the last output of a subscription one succeeds; deleting an output makes it available again', async () => {
  const fixture = await makeSimulcastRoom({ max_outputs: '3' });
  const { params } = fixture;
  const create = () => api.admin.request('createOutput', { params, body: { name: 'Channel', platform: 'twitch' } });
  await create();
  await create();
  const answers = await Promise.all(Array.from({ length: 20 }, create));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, body } of answers.filter(({ status }) => status !== 201))
    expect([status, body]).toMatchObject([422, { code: 'feature-limit-reached' }]);
  const { data: outputs } = await api.admin.listOutputs({ params });
  expect([outputs.length, await readUsedOutputs(fixture)]).toEqual([3, 3]);
  await api.admin.deleteOutput({ params: { ...params, output_id: outputs[0]?.id ?? '' } });
  expect([(await create()).status, (await create()).status]).toEqual([201, 422]);
});

test('a room can have a lower limit of outputs than its subscription', async () => {
  const fixture = await makeSimulcastRoom({ max_outputs: '3' });
  const { params } = fixture;
  await api.admin.updateRoom({ params, body: { room_features: { max_outputs: 1 } } });
  const create = () => api.admin.createOutput({ params, body: { name: 'Channel', platform: 'twitch' } });
  await create();
  expect(await refusalOf(create())).toMatchObject({
    status: 422,
    code: 'feature-limit-reached',
    errors: { max_outputs: ['The limit of outputs of this room is reached: 1.'] },
  });
  expect(await readUsedOutputs(fixture)).toBe(1);
  await api.admin.updateRoom({ params, body: { room_features: { max_outputs: 9 } } });
  await create();
});

test('with max_outputs 0 no output can be created, and a reseller cannot use the outputs that it resold', async () => {
  const roomWithoutOutputs = await makeSimulcastRoom({ max_outputs: '0' });
  const body = { name: 'Channel', platform: 'twitch' } as const;
  expect(await refusalOf(api.admin.createOutput({ params: roomWithoutOutputs.params, body }))).toMatchObject({
    code: 'feature-limit-reached',
  });
  const fixture = await makeSimulcastRoom({ max_outputs: '3' });
  const { admin } = api;
  await admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { is_reseller: true } });
  const childCustomer = await makeCustomer(api, { parent_customer_id: fixture.customer.id });
  await admin.createSubscription({
    body: {
      package_id: fixture.servicePackage.id,
      subscriber_id: childCustomer.id,
      parent_subscription_id: fixture.subscription.id,
      features: {
        max_outputs: 2,
        max_rooms: 1,
        max_accounts: 1,
        stream_minutes: 10,
        max_viewers: 10,
        viewer_minutes: 10,
      },
    },
  });
  await admin.createOutput({ params: fixture.params, body });
  expect(await refusalOf(admin.createOutput({ params: fixture.params, body }))).toMatchObject({
    code: 'feature-limit-reached',
  });
});

test('deleting a room releases its outputs, each with an event; wrong usage is corrected by reconciliation', async () => {
  const fixture = await makeSimulcastRoom();
  const { params } = fixture;
  const { data: firstOutput } = await api.admin.createOutput({ params, body: { name: 'One', platform: 'twitch' } });
  await api.admin.createOutput({ params, body: { name: 'Two', platform: 'youtube' } });
  await api.app.connection.pool.query(
    `update subscription_usages set used = 9 from subscription_features feature
     where feature.id = subscription_feature_id and tag = 'max_outputs' and feature.subscription_id = $1`,
    [fixture.subscription.uuid],
  );
  await runJob(api.app.dependencies, 'reconcile-usage');
  expect(await readUsedOutputs(fixture)).toBe(2);
  await api.admin.deleteRoom({ params });
  expect(await readUsedOutputs(fixture)).toBe(0);
  expect(await listEventNames(firstOutput.id)).toEqual(['output.created', 'output.deleted']);
});

test('outputs are added, changed and removed while the room is live', async () => {
  const fixture = await makeSimulcastRoom();
  const { params, room } = fixture;
  await goLive(api, media, fixture);
  const { data: output } = await api.admin.createOutput({
    params,
    body: { name: 'Channel', platform: 'custom', url: 'rtmp://192.0.1.1/app', stream_key: 'abc' },
  });
  const sentOutputs = async () => {
    await runJob(api.app.dependencies, 'sync-streams');
    return (media.streams.get(room.uuid)?.body?.['outputs'] ?? null) as unknown;
  };
  const plan = { id: output.uuid, url: 'rtmp://192.0.1.1/app', stream_key: 'abc', enabled: true };
  expect(await sentOutputs()).toEqual([plan]);
  const outputParams = { ...params, output_id: output.id };
  await api.admin.updateOutput({ params: outputParams, body: { enabled: false } });
  expect(await sentOutputs()).toEqual([{ ...plan, enabled: false }]);
  await api.admin.deleteOutput({ params: outputParams });
  expect(await sentOutputs()).toEqual([]);
});

test('the media server reports the state of each output, and failures and recoveries have events', async () => {
  const fixture = await makeSimulcastRoom();
  const { params, room } = fixture;
  const body = { platform: 'custom', url: 'rtmp://192.0.1.1/app' } as const;
  const { data: firstOutput } = await api.admin.createOutput({ params, body: { ...body, name: 'One' } });
  const { data: secondOutput } = await api.admin.createOutput({ params, body: { ...body, name: 'Two' } });
  await goLive(api, media, fixture);
  const state = (id: string, members: object) => ({
    id,
    state: 'live',
    since_ms: api.clock.nowMs(),
    kbps: 3000,
    bytes_sent: 1_000_000,
    last_error: null,
    last_error_code: null,
    ...members,
  });
  const reportOutputs = async (...outputs: object[]) =>
    await report(api, fixture, media.changeStream(room.uuid, { outputs }));
  await reportOutputs(state(firstOutput.uuid, {}), state(secondOutput.uuid, { state: 'connecting' }));
  const refusedState = {
    state: 'reconnecting',
    kbps: 0,
    last_error: 'The platform refused the stream key.',
    last_error_code: 'target-refused',
  };
  await reportOutputs(state(firstOutput.uuid, {}), state(secondOutput.uuid, refusedState));
  await reportOutputs(
    state(firstOutput.uuid, { bytes_sent: 5_000_000_000 }),
    state(secondOutput.uuid, { ...refusedState, state: 'connecting' }),
  );
  await reportOutputs(
    state(firstOutput.uuid, { bytes_sent: 5_000_000_000 }),
    state(secondOutput.uuid, { ...refusedState, state: 'failed' }),
  );
  const { data: failed } = await api.admin.listOutputs({ params, query: { orderBy: 'name' } });
  expect(failed).toMatchObject([
    { name: 'One', state: 'live', kbps: 3000, bytes_sent: 5_000_000_000, last_error: null },
    { name: 'Two', state: 'failed', kbps: 0, last_error: refusedState.last_error, last_error_code: 'target-refused' },
  ]);
  await reportOutputs(state(firstOutput.uuid, {}), state(secondOutput.uuid, {}));
  await report(api, fixture, media.changeStream(room.uuid, { state: 'idle', session_id: null, outputs: [] }));
  const { data: ended } = await api.admin.listOutputs({ params });
  expect(ended.map((output) => output.state)).toEqual(['idle', 'idle']);
  expect(await listEventNames(firstOutput.id)).toEqual(['output.created']);
  expect(await listEventNames(secondOutput.id)).toEqual(['output.created', 'output.failed', 'output.recovered']);
});

test('outputs can be changed while the media server does not respond', async () => {
  const { params } = await makeBroadcastRoom(api, { media: absentMediaServer, type: 'simulcast' });
  const { data } = await api.admin.createOutput({ params, body: { name: 'Channel', platform: 'twitch' } });
  await api.admin.deleteOutput({ params: { ...params, output_id: data.id } });
  expect((await api.admin.readStream({ params })).data.ingest.rtmp_url).toBeNull();
});

test('users need manage-outputs to change outputs, and read-room to see them', async () => {
  const { params, customer } = await makeSimulcastRoom();
  const password = 'a long enough password';
  const { data: user } = await api.admin.createUser({
    body: { email: 'sender@example.com', first_name: 'S', last_name: 'T', password },
  });
  const membership = { customer_id: customer.id };
  await api.admin.createCustomerUser({ params: membership, body: { user_id: user.id, permissions: ['read-room'] } });
  const client = api.clientWith(
    (await api.anyone.loginUser({ body: { username: user.email, password } })).access_token,
  );
  const body = { name: 'Channel', platform: 'twitch' } as const;
  expect((await client.listOutputs({ params })).data).toEqual([]);
  expect((await refusalOf(client.createOutput({ params, body }))).status).toBe(403);
  await api.admin.updateCustomerUser({
    params: { ...membership, user_id: user.id },
    body: { permissions: ['read-room', 'manage-outputs'] },
  });
  expect((await client.createOutput({ params, body })).data.name).toBe('Channel');
});
