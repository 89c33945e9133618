import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf } from './factories.ts';
import { askToPublish, type BroadcastRoom, goLive, makeBroadcastRoom, report } from './broadcast-rooms.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';
import { makeMediaProvider } from './media-provider.ts';

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

async function keyOf({ params }: BroadcastRoom): Promise<string> {
  return (await api.admin.revealStreamKey({ params })).data.ingest.stream_key;
}

async function sync(): Promise<void> {
  await runJob(api.app.dependencies, 'sync-streams');
}

async function readMinutesUsed({ subscription }: Pick<BroadcastRoom, 'subscription'>): Promise<number | undefined> {
  const { data } = await api.admin.readSubscriptionUsage({
    params: { subscription_id: subscription.id },
    query: { limit: 0 },
  });
  return data.find(({ tag }) => tag === 'stream_minutes')?.usage.data.used;
}

async function eventsOf({ params }: BroadcastRoom): Promise<{ name: string; data: Record<string, unknown> }[]> {
  const { data: stream } = await api.admin.readStream({ params });
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${stream.id}`, limit: 100 } });
  return data.toReversed();
}

/** Reads the names of the events, except the creation of the stream and the reading of its key. */
async function readEventNames(fixture: BroadcastRoom): Promise<string[]> {
  const [created, ...names] = (await eventsOf(fixture)).map(({ name }) => name);
  expect(created).toBe('stream.created');
  return names.filter((name) => name !== 'stream.key_revealed');
}

test('an encoder with the key is admitted, and the room goes live as a meeting', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { low_latency: 'true', max_bitrate: '6000' } });
  const { params, room } = fixture;
  await api.admin.updateStream({ params, body: { latency_mode: 'low' } });
  const { answer } = await goLive(api, media, fixture, {
    viewers: 3,
    input: { width: 1280, height: 720, fps: 30, video_kbps: 2500, audio_kbps: 128, keyframe_seconds: 2, warnings: [] },
  });
  expect(answer).toMatchObject({
    allow: true,
    session: { service_type: 'live', name: room.room_name, max_viewers: 100, max_duration_minutes: null },
    stream: {
      service_type: 'live',
      latency_mode: 'low',
      dvr_minutes: 240,
      record: false,
      ladder: [],
      max_height: null,
      max_bitrate_kbps: 6000,
      max_duration_minutes: 600,
      source: null,
      outputs: [],
      has_viewers: true,
      allow_private_addresses: false,
    },
  });
  expect((await api.admin.readStream({ params })).data).toMatchObject({
    state: 'live',
    viewers: 3,
    started_at: expect.stringContaining(api.clock.now().slice(0, 19)),
    input: { width: 1280, height: 720, video_kbps: 2500, keyframe_seconds: 2 },
  });
  await runJob(api.app.dependencies, 'sync-meetings');
  const { data: meetings } = await api.admin.listRoomMeetings({ params });
  expect(meetings).toMatchObject([
    { state: 'open', started_at: expect.stringContaining(api.clock.now().slice(0, 19)) },
  ]);
  expect(await readEventNames(fixture)).toEqual(['stream.updated', 'stream.started']);
});

test('features that the subscription lacks are not sent to the media server', async () => {
  const roomWithoutFeatures = await makeBroadcastRoom(api, { media });
  const roomWithFeatures = await makeBroadcastRoom(api, {
    media,
    features: {
      adaptive_bitrate: 'true',
      max_resolution: '480',
      dvr_minutes: '30',
      recording: 'true',
      max_duration: '90',
    },
  });
  for (const { params } of [roomWithoutFeatures, roomWithFeatures])
    await api.admin.updateStream({ params, body: { record: true, latency_mode: 'low' } });
  expect((await askToPublish(api, roomWithoutFeatures, await keyOf(roomWithoutFeatures)))['stream']).toMatchObject({
    latency_mode: 'normal',
    record: false,
    ladder: [],
  });
  expect((await askToPublish(api, roomWithFeatures, await keyOf(roomWithFeatures)))['stream']).toMatchObject({
    latency_mode: 'normal',
    record: true,
    ladder: [240, 360, 480],
    max_height: 480,
    dvr_minutes: 30,
    max_duration_minutes: 90,
  });
});

test('a simulcast room has viewers if max_viewers is sold, and the media server gets its outputs', async () => {
  const roomWithViewers = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  const roomWithoutViewers = await makeBroadcastRoom(api, { media, type: 'simulcast', features: { max_viewers: '0' } });
  const { data: output } = await api.admin.createOutput({
    params: roomWithViewers.params,
    body: { name: 'Channel', platform: 'youtube', stream_key: 'abcd-efgh' },
  });
  expect((await askToPublish(api, roomWithViewers, await keyOf(roomWithViewers)))['stream']).toMatchObject({
    has_viewers: true,
    outputs: [{ id: output.uuid, url: 'rtmps://a.rtmps.youtube.com/live2', stream_key: 'abcd-efgh', enabled: true }],
  });
  expect((await askToPublish(api, roomWithoutViewers, await keyOf(roomWithoutViewers)))['stream']).toMatchObject({
    has_viewers: false,
  });
});

test('a wrong, rotated or foreign key is rejected', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const other = await makeBroadcastRoom(api, { media });
  const former = await keyOf(fixture);
  await api.admin.rotateStreamKey({ params: fixture.params });
  const key = await keyOf(fixture);
  for (const wrong of [former, await keyOf(other), '', `${key}x`, key.slice(0, -1), key.toUpperCase(), '********'])
    expect(await askToPublish(api, fixture, wrong)).toMatchObject({ allow: false, code: 'stream-key-wrong' });
  const unknownRoom = { ...fixture, room: { ...fixture.room, uuid: 'nonsense' } };
  expect(await askToPublish(api, unknownRoom, key)).toMatchObject({ allow: false, code: 'stream-key-wrong' });
  expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: true });
});

test('no encoder is admitted if the room, account, subscription or customer cannot be used', async () => {
  const { admin } = api;
  const fixture = await makeBroadcastRoom(api, { media });
  const key = await keyOf(fixture);
  const expectRejection = async (code: string) =>
    expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: false, code });
  await admin.updateRoom({ params: fixture.params, body: { status: 'inactive' } });
  await expectRejection('room-inactive');
  await admin.updateRoom({ params: fixture.params, body: { status: 'active' } });
  const account = { account_id: fixture.account.id };
  await admin.updateAccount({ params: account, body: { status: 'inactive' } });
  await expectRejection('account-not-usable');
  await admin.updateAccount({ params: account, body: { status: 'active' } });
  const customer = { customer_id: fixture.customer.id };
  await admin.updateCustomer({ params: customer, body: { status: 'inactive' } });
  await expectRejection('customer-not-usable');
  await admin.updateCustomer({ params: customer, body: { status: 'active' } });
  const subscription = { subscription_id: fixture.subscription.id };
  await admin.updateSubscription({ params: subscription, body: { status: 'suspended' } });
  await expectRejection('entry-subscription-not-usable');
  await admin.updateSubscription({ params: subscription, body: { status: 'active' } });
  expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: true });
});

test.each([
  ['max_duration', { max_duration: '0' }, 'limit-is-zero'],
  ['max_concurrent_meetings', { max_concurrent_meetings: '0' }, 'limit-is-zero'],
  ['max_bitrate', { max_bitrate: '0' }, 'limit-is-zero'],
  ['max_resolution', { max_resolution: '0' }, 'limit-is-zero'],
  ['stream_minutes', { stream_minutes: '0' }, 'limit-is-zero'],
  ['viewer_minutes', { viewer_minutes: '0' }, 'participant-minutes-used-up'],
])('a limit of 0 for %s admits no encoder', async (_tag, features, code) => {
  const fixture = await makeBroadcastRoom(api, { media, features });
  expect(await askToPublish(api, fixture, await keyOf(fixture))).toMatchObject({ allow: false, code });
});

test('an encoder that is rejected because of a limit of 0 is told which one, and a viewer is told of no meeting', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { max_duration: '0' } });
  const { message } = await askToPublish(api, fixture, await keyOf(fixture));
  expect(message).toBe("The limit max_duration is 0, so the room can't broadcast.");
  const refusal = await refusalOf(api.admin.joinRoom({ params: fixture.params, body: { name: 'Vera' } }));
  expect(refusal.message).toMatch(/^You can't enter this room: one of its limits is 0\./);
});

test('a media server that the subscription does not have admits no encoder', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const provider = await makeMediaProvider(api, media, 'live');
  expect(await askToPublish(api, { ...fixture, provider }, await keyOf(fixture))).toMatchObject({
    allow: false,
    code: 'no-usable-provider',
  });
});

test('with a limit of one meeting, one of two rooms that go live concurrently is rejected', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { max_concurrent_meetings: '1' } });
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Second', account_id: fixture.account.id } });
  const second = { ...fixture, room, params: { room_id: room.id } };
  const keys = [await keyOf(fixture), await keyOf(second)] as const;
  const answers = await Promise.all([askToPublish(api, fixture, keys[0]), askToPublish(api, second, keys[1])]);
  expect(answers.filter(({ allow }) => allow === true)).toHaveLength(1);
  expect(answers.find(({ allow }) => allow === false)).toMatchObject({ code: 'concurrent-meetings-reached' });
});

test('a second encoder is rejected while the first is connected, and admitted after the first has disconnected', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const { key } = await goLive(api, media, fixture);
  expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: false, code: 'stream-busy' });
  // The media server has noticed the disconnect, but its report has not arrived yet.
  media.changeStream(fixture.room.uuid, { state: 'reconnecting' });
  expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: true });
  await report(api, fixture, media.changeStream(fixture.room.uuid, { state: 'live' }));
  expect(await readEventNames(fixture)).toEqual(['stream.started', 'stream.updated', 'stream.updated']);
});

test('reports of the media server can arrive twice and in any order, and the newest one applies', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await goLive(api, media, fixture);
  const { uuid } = fixture.room;
  const older = { ...media.changeStream(uuid, { viewers: 4 }) };
  const newer = { ...media.changeStream(uuid, { viewers: 9 }) };
  for (const state of [newer, older, newer, older]) await report(api, fixture, state);
  expect((await api.admin.readStream({ params: fixture.params })).data.viewers).toBe(9);
  expect(await readEventNames(fixture)).toEqual(['stream.started']);
});

test('each started minute of a session is charged once, whether a report or the job charges it', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await goLive(api, media, fixture);
  const { uuid } = fixture.room;
  expect(await readMinutesUsed(fixture)).toBe(1);
  api.clock.advance({ seconds: 59 });
  await sync();
  await sync();
  expect(await readMinutesUsed(fixture)).toBe(1);
  api.clock.advance({ seconds: 2 });
  await sync();
  await report(api, fixture, media.changeStream(uuid, { viewers: 1 }));
  await sync();
  expect(await readMinutesUsed(fixture)).toBe(2);
  // The platform is down for an hour, while the stream continues.
  api.clock.advance({ hours: 1 });
  await sync();
  expect(await readMinutesUsed(fixture)).toBe(62);
  await report(api, fixture, media.changeStream(uuid, { state: 'idle', session_id: null, end_reason: 'encoder-left' }));
  await sync();
  expect(await readMinutesUsed(fixture)).toBe(62);
  expect(await readEventNames(fixture)).toEqual(['stream.started', 'stream.ended']);
  expect((await eventsOf(fixture)).at(-1)?.data).toMatchObject({ state: 'idle', reason: 'encoder-left' });
});

test.each([
  ['max-resolution', 5, 0],
  ['max-resolution', 61, 2],
  ['stream-minutes-used-up', 61, 1],
])('a session that ends with %s after %i s is charged %i minutes', async (reason, seconds, used) => {
  const fixture = await makeBroadcastRoom(api, { media });
  await goLive(api, media, fixture);
  expect(await readMinutesUsed(fixture)).toBe(1);
  api.clock.advance({ seconds });
  const end = { state: 'idle', session_id: null, end_reason: reason, ended_at_ms: api.clock.nowMs() };
  await report(api, fixture, media.changeStream(fixture.room.uuid, end));
  expect(await readMinutesUsed(fixture)).toBe(used);
});

test('a session that ended during an outage of the platform is charged to its end', async () => {
  const reported = await makeBroadcastRoom(api, { media });
  const unreported = await makeBroadcastRoom(api, { media });
  for (const fixture of [reported, unreported]) await goLive(api, media, fixture);
  api.clock.advance({ minutes: 5, seconds: 30 });
  await sync();
  media.changeStream(reported.room.uuid, { state: 'idle', session_id: null, ended_at_ms: api.clock.nowMs() + 60_000 });
  media.forgetStream(unreported.room.uuid);
  api.clock.advance({ hours: 3 });
  await sync();
  expect([await readMinutesUsed(reported), await readMinutesUsed(unreported)]).toEqual([7, 6]);
});

test('minutes that one session has started are not available to another', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { stream_minutes: '2' } });
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Second', account_id: fixture.account.id } });
  const { data: third } = await api.admin.createRoom({ body: { room_name: 'Third', account_id: fixture.account.id } });
  const rooms = [
    fixture,
    ...[room, third].map((otherRoom) => ({ ...fixture, room: otherRoom, params: { room_id: otherRoom.id } })),
  ];
  const keys = await Promise.all(rooms.map(keyOf));
  const answers = await Promise.all(
    rooms.map((broadcastRoom, index) => askToPublish(api, broadcastRoom, keys[index] ?? '')),
  );
  expect(answers.filter(({ allow }) => allow === true)).toHaveLength(2);
  expect(answers.find(({ allow }) => allow === false)).toMatchObject({ code: 'stream-minutes-used-up' });
});

test('a stream ends when its minutes are used up, and none begins after that', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { stream_minutes: '3' } });
  const { key, answer } = await goLive(api, media, fixture);
  expect(answer['stream']).toMatchObject({ max_duration_minutes: 3 });
  api.clock.advance({ minutes: 2, seconds: 58 });
  await sync();
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('live');
  api.clock.advance({ seconds: 1.5 });
  await sync();
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('idle');
  expect((await eventsOf(fixture)).at(-1)).toMatchObject({
    name: 'stream.ended',
    data: { reason: 'stream-minutes-used-up' },
  });
  expect(await readMinutesUsed(fixture)).toBe(3);
  expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: false, code: 'stream-minutes-used-up' });
});

test('sessions that share the last minutes end one after the other, each at the end of its own minute', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { stream_minutes: '3' } });
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Second', account_id: fixture.account.id } });
  const second = { ...fixture, room, params: { room_id: room.id } };
  const states = async () =>
    await Promise.all([fixture, second].map(async ({ params }) => (await api.admin.readStream({ params })).data.state));
  await goLive(api, media, fixture);
  api.clock.advance({ seconds: 30 });
  await goLive(api, media, second);
  // The second minute of the first session uses the remaining one.
  api.clock.advance({ seconds: 29.5 });
  await sync();
  expect(await states()).toEqual(['live', 'live']);
  api.clock.advance({ seconds: 30 });
  await sync();
  expect(await states()).toEqual(['live', 'idle']);
  api.clock.advance({ seconds: 30 });
  await sync();
  expect(await states()).toEqual(['idle', 'idle']);
  expect(await readMinutesUsed(fixture)).toBe(3);
});

test('minutes of a resold subscription are also charged to the subscription above it, and its streams end when they are used up', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { stream_minutes: '4' } });
  const { admin } = api;
  await admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { is_reseller: true } });
  const customer = await makeCustomer(api, { parent_customer_id: fixture.customer.id });
  const { data: subscription } = await admin.createSubscription({
    body: {
      package_id: fixture.servicePackage.id,
      subscriber_id: customer.id,
      parent_subscription_id: fixture.subscription.id,
      features: {
        max_outputs: 1,
        max_rooms: 1,
        max_accounts: 1,
        stream_minutes: 4,
        max_viewers: 10,
        viewer_minutes: 10,
      },
    },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Below', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({ body: { room_name: 'Below', account_id: account.id } });
  const child = { ...fixture, subscription, customer, account, room, params: { room_id: room.id } };
  await goLive(api, media, fixture);
  await goLive(api, media, child);
  api.clock.advance({ seconds: 61 });
  await sync();
  expect([await readMinutesUsed(child), await readMinutesUsed(fixture)]).toEqual([2, 4]);
  api.clock.advance({ seconds: 58.5 });
  await sync();
  expect((await admin.readStream({ params: child.params })).data.state).toBe('idle');
  expect([await readMinutesUsed(child), await readMinutesUsed(fixture)]).toEqual([2, 4]);
  expect(await askToPublish(api, child, await keyOf(child))).toMatchObject({ code: 'stream-minutes-used-up' });
});

test('of two media servers, only the one to which viewers are connected admits the encoder', async () => {
  const other = await startFakeMediaServer(() => api.clock.nowMs());
  onTestFinished(() => other.close());
  const fixture = await makeBroadcastRoom(api, { media });
  const { admin } = api;
  const pool = { pool: 'studio' };
  await admin.updateServiceProvider({ params: { service_provider_id: fixture.provider.id }, body: pool });
  const second = await makeMediaProvider(api, other, 'live');
  await admin.updateServiceProvider({ params: { service_provider_id: second.id }, body: pool });
  const urls = [media.url, other.url];
  const whip = (await admin.readStream({ params: fixture.params })).data.ingest.whip_url ?? '';
  const [chosen, unchosen] = whip.startsWith(media.url) ? [media, other] : [other, media];
  const providers = chosen === media ? [fixture.provider, second] : [second, fixture.provider];
  expect(urls.some((url) => whip.startsWith(url))).toBe(true);
  await admin.joinRoom({ params: fixture.params, body: { name: 'Ada', role: 'attendee' } });
  expect([chosen.sessions.has(fixture.room.uuid), unchosen.sessions.has(fixture.room.uuid)]).toEqual([true, false]);
  const key = await keyOf(fixture);
  const [chosenProvider, otherProvider] = providers;
  if (!chosenProvider || !otherProvider) throw new Error('There must be two providers.');
  expect(await askToPublish(api, { ...fixture, provider: otherProvider }, key)).toMatchObject({
    code: 'stream-elsewhere',
  });
  expect(await askToPublish(api, { ...fixture, provider: chosenProvider }, key)).toMatchObject({ allow: true });
});

test.each([
  [
    'rotating the key',
    'key-rotated',
    (fixture: BroadcastRoom) => api.admin.rotateStreamKey({ params: fixture.params }),
  ],
  [
    'ending the stream',
    'ended-by-request',
    (fixture: BroadcastRoom) => api.admin.endStream({ params: fixture.params }),
  ],
])('%s ends the running session on the media server', async (_case, reason, action) => {
  const fixture = await makeBroadcastRoom(api, { media });
  await goLive(api, media, fixture);
  await action(fixture);
  await sync();
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('idle');
  expect((await eventsOf(fixture)).at(-1)?.data).toMatchObject({ reason });
});

test('the request to a media server that does not respond is repeated until the session has ended', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await goLive(api, media, fixture);
  media.fail = 'drop';
  await api.admin.endStream({ params: fixture.params });
  await sync();
  media.fail = null;
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('live');
  api.clock.advance({ seconds: 60 });
  await sync();
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('idle');
});

test('a deleted room is charged up to its deletion, and its stream is removed from the media server', async () => {
  const fixture = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  await api.admin.createOutput({ params: fixture.params, body: { name: 'Channel', platform: 'twitch' } });
  await goLive(api, media, fixture);
  api.clock.advance({ minutes: 4, seconds: 1 });
  await api.admin.deleteRoom({ params: fixture.params });
  expect(await readMinutesUsed(fixture)).toBe(5);
  await sync();
  expect(media.streams.has(fixture.room.uuid)).toBe(false);
});

test('a suspended subscription ends the stream on the media server', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await goLive(api, media, fixture);
  await runJob(api.app.dependencies, 'sync-meetings');
  await api.admin.updateSubscription({
    params: { subscription_id: fixture.subscription.id },
    body: { status: 'suspended' },
  });
  api.clock.advance({ minutes: 16 });
  await runJob(api.app.dependencies, 'end-meetings');
  await sync();
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('idle');
});

test('a room that is set to inactive ends its stream, with the reason on its meeting', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const { params } = fixture;
  await goLive(api, media, fixture);
  await runJob(api.app.dependencies, 'sync-meetings');
  await api.admin.updateRoom({ params, body: { status: 'inactive' } });
  api.clock.advance({ seconds: 1 });
  await runJob(api.app.dependencies, 'end-meetings');
  await sync();
  expect((await api.admin.readStream({ params })).data.state).toBe('idle');
  const { data: meetings } = await api.admin.listRoomMeetings({ params });
  expect(meetings).toMatchObject([{ state: 'ended', end_reason: 'room-inactive' }]);
});

test('the meeting of a broadcast has the reason for which the broadcast ended', async () => {
  const endReasonsOf = async ({ params }: BroadcastRoom) =>
    (await api.admin.listRoomMeetings({ params })).data.map(({ state, end_reason: reason }) => ({ state, reason }));
  const endLike = async (fixture: BroadcastRoom, reason: string) => {
    await report(
      api,
      fixture,
      media.changeStream(fixture.room.uuid, { state: 'idle', session_id: null, end_reason: reason }),
    );
    media.closeSession(fixture.room.uuid);
    await runJob(api.app.dependencies, 'sync-meetings');
  };
  const observed = await makeBroadcastRoom(api, { media });
  await goLive(api, media, observed);
  await runJob(api.app.dependencies, 'sync-meetings');
  await endLike(observed, 'max-bitrate');
  expect(await endReasonsOf(observed)).toEqual([{ state: 'ended', reason: 'max-bitrate' }]);
  const rejected = await makeBroadcastRoom(api, { media });
  await goLive(api, media, rejected);
  await endLike(rejected, 'max-resolution');
  expect(await endReasonsOf(rejected)).toEqual([{ state: 'ended', reason: 'max-resolution' }]);
  const left = await makeBroadcastRoom(api, { media });
  await goLive(api, media, left);
  await runJob(api.app.dependencies, 'sync-meetings');
  await endLike(left, 'encoder-left');
  expect(await endReasonsOf(left)).toEqual([{ state: 'ended', reason: 'ended' }]);
  // The end of the meeting is observed before that of the broadcast.
  const requested = await makeBroadcastRoom(api, { media });
  await goLive(api, media, requested);
  await runJob(api.app.dependencies, 'sync-meetings');
  media.closeSession(requested.room.uuid);
  await runJob(api.app.dependencies, 'sync-meetings');
  expect(await endReasonsOf(requested)).toEqual([{ state: 'ended', reason: 'ended' }]);
  await api.admin.endStream({ params: requested.params });
  await sync();
  expect(await endReasonsOf(requested)).toEqual([{ state: 'ended', reason: 'ended-by-request' }]);
});

test('without viewer minutes, a broadcast without viewers is admitted, and does not end', async () => {
  const fixture = await makeBroadcastRoom(api, {
    media,
    type: 'simulcast',
    features: { max_viewers: '0', viewer_minutes: '0' },
  });
  await goLive(api, media, fixture);
  await runJob(api.app.dependencies, 'sync-meetings');
  await runJob(api.app.dependencies, 'end-meetings');
  await sync();
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('live');
});

test('the status of a room is active while a viewer or an encoder is connected', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const { params, room } = fixture;
  const status = async () => (await api.admin.readRoomStatus({ params })).data;
  await api.admin.joinRoom({ params, body: { name: 'Mona', role: 'attendee' } });
  expect(await status()).toMatchObject({ status: 'inactive', running: false, participant_count: 0 });
  const session = media.sessions.get(room.uuid) ?? {};
  session['viewers'] = [{ viewer_id: 'one', name: 'Mona', role: 'attendee' }];
  expect(await status()).toMatchObject({ status: 'active', running: true, participant_count: 1 });
  session['viewers'] = [];
  session['live_since_ms'] = api.clock.nowMs();
  expect(await status()).toMatchObject({ status: 'active', running: true, participant_count: 0 });
});

test('a source is fetched again after its stream was ended by a request, and after a suspension of its subscription', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const { params, room } = fixture;
  await api.admin.updateStream({ params, body: { source: { url: 'rtmp://192.0.1.1/live/one' } } });
  await sync();
  const registration = `PUT /v1/streams/${room.uuid}`;
  const requests = async (action: () => Promise<unknown>) => {
    media.requests.length = 0;
    await action();
    await sync();
    return media.requests.filter((request) => request === registration || request.startsWith('POST '));
  };
  const fetchSource = async () => {
    const answer = await askToPublish(api, fixture, '', 'pull');
    const session = media.openSession(room.uuid, answer['session'] as Record<string, unknown>);
    const live = { state: 'live', session_id: session['session_id'], started_at_ms: api.clock.nowMs() };
    await report(api, fixture, media.changeStream(room.uuid, { ...live, ended_at_ms: null, end_reason: null }));
  };
  await fetchSource();
  expect(await requests(() => api.admin.endStream({ params }))).toEqual([
    `POST /v1/streams/${room.uuid}/end`,
    registration,
  ]);
  await fetchSource();
  const subscription = { subscription_id: fixture.subscription.id };
  await api.admin.updateSubscription({ params: subscription, body: { status: 'suspended' } });
  api.clock.advance({ minutes: 1 });
  expect(await requests(() => runJob(api.app.dependencies, 'end-meetings'))).toEqual([]);
  expect((await api.admin.readStream({ params })).data.state).toBe('idle');
  await api.admin.updateSubscription({ params: subscription, body: { status: 'active' } });
  expect(await requests(async () => {})).toEqual([registration]);
  // After an end because of a limit on the picture, the source is not fetched again until the stream is changed.
  await fetchSource();
  await report(
    api,
    fixture,
    media.changeStream(room.uuid, { state: 'idle', session_id: null, end_reason: 'max-bitrate' }),
  );
  expect(await requests(async () => {})).toEqual([]);
});

test('the media server disconnects private sources and outputs of running broadcasts when the setting no longer allows them', async () => {
  const fixture = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  const idle = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  await api.admin.updateSettings({ body: { media_allow_private_addresses: true } });
  await api.admin.readStream({ params: idle.params });
  await goLive(api, media, fixture);
  const output = { name: 'Archive', platform: 'custom', url: 'rtmp://127.0.0.1/live', stream_key: 'one' } as const;
  await api.admin.createOutput({ params: fixture.params, body: output });
  await sync();
  expect(media.streams.get(fixture.room.uuid)?.body).toMatchObject({ allow_private_addresses: true });
  media.requests.length = 0;
  await api.admin.updateSettings({ body: { media_allow_private_addresses: false } });
  api.clock.advance({ seconds: 3 });
  await sync();
  expect(media.streams.get(fixture.room.uuid)?.body).toMatchObject({ allow_private_addresses: false });
  expect(media.requests).not.toContain(`PUT /v1/streams/${idle.room.uuid}`);
});

test('the media server requests permission before it fetches a source, and no encoder is admitted during the fetch', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await api.admin.readStream({ params: fixture.params });
  const key = await keyOf(fixture);
  expect(await askToPublish(api, fixture, '', 'pull')).toMatchObject({ allow: false, code: 'no-source' });
  await api.admin.updateStream({ params: fixture.params, body: { source: { url: 'rtmp://192.0.1.1/live/one' } } });
  await sync();
  expect(media.streams.get(fixture.room.uuid)?.body).toMatchObject({ source: { url: 'rtmp://192.0.1.1/live/one' } });
  expect(await askToPublish(api, fixture, key)).toMatchObject({ allow: false, code: 'source-set' });
  expect(await askToPublish(api, fixture, '', 'pull')).toMatchObject({ allow: true });
  // The stream shows why the source cannot be fetched, until the source is changed.
  const error = { source_error: 'The source refuses connections.', source_error_code: 'connection-refused' };
  await report(api, fixture, media.changeStream(fixture.room.uuid, error));
  expect((await api.admin.readStream({ params: fixture.params })).data).toMatchObject({ state: 'idle', ...error });
  const source = { url: 'rtmp://192.0.1.1/live/two' };
  expect((await api.admin.updateStream({ params: fixture.params, body: { source } })).data.source_error).toBe(null);
  await api.admin.updateStream({ params: fixture.params, body: { source: { url: 'rtmp://192.0.1.1/live/one' } } });
  // A media server that lost its data gets the stream again.
  media.forgetStream(fixture.room.uuid);
  await sync();
  expect(media.streams.get(fixture.room.uuid)?.body).toMatchObject({ source: { url: 'rtmp://192.0.1.1/live/one' } });
});

test('a session that was not admitted is ended', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await api.admin.readStream({ params: fixture.params });
  const { uuid } = fixture.room;
  const state = media.changeStream(uuid, { state: 'live', session_id: 'unknown', started_at_ms: api.clock.nowMs() });
  await report(api, fixture, state);
  await sync();
  expect(media.streams.get(uuid)?.state).toMatchObject({ state: 'idle', end_reason: 'not-admitted' });
  expect((await api.admin.readStream({ params: fixture.params })).data.state).toBe('idle');
  expect(await readMinutesUsed(fixture)).toBe(0);
});
