import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, secret, startMediaProcess } from '../../media/test/harness.ts';
import { type Encoder, startEncoder } from '../../media/test/live-harness.ts';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf } from './factories.ts';
import { type BroadcastRoom, makeBroadcastRoom } from './broadcast-rooms.ts';
import { usageOf, makeVideoRoom } from './video-rooms.ts';

let api: TestApi;
let [live, vod] = [] as unknown as [MediaHarness, MediaHarness];
/** The callback receiver of the media servers. It can be set to accept only `stream.publish`. */
let callbacks: { readonly url: string; acceptsOnlyPublish: boolean; close(): Promise<void> };
const encoders: Encoder[] = [];

beforeAll(async () => {
  api = await startApi({ now: new Date().toISOString() });
  [live, vod] = [await startMediaProcess(), await startMediaProcess()];
  callbacks = await startCallbacks();
  await api.admin.updateSettings({ body: { public_url: callbacks.url } });
});
afterAll(async () => {
  for (const encoder of encoders) await encoder.stop();
  await Promise.all([live.close(), vod.close()]);
  await callbacks.close();
  await api.close();
});

async function startCallbacks() {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      if (receiver.acceptsOnlyPublish && !body.includes('stream.publish')) return void request.socket.destroy();
      const answer = await fetch(`${api.url}${request.url}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-foyer-timestamp': String(request.headers['x-foyer-timestamp']),
          'x-foyer-signature': String(request.headers['x-foyer-signature']),
        },
        body,
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    acceptsOnlyPublish: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

async function makeLiveRoom(features: Readonly<Record<string, string>> = {}): Promise<BroadcastRoom> {
  const fixture = await makeBroadcastRoom(api, {
    media: { url: live.url(), secret },
    features: { recording: 'true', max_recordings: '10', max_storage: '1', ...features },
  });
  await api.admin.readStream({ params: fixture.params });
  await api.admin.updateStream({ params: fixture.params, body: { record: true } });
  return fixture;
}

async function startBroadcast({ params }: BroadcastRoom): Promise<Encoder> {
  const { data: stream } = await api.admin.revealStreamKey({ params });
  await runJob(api.app.dependencies, 'sync-streams');
  const encoder = await startEncoder(`${live.rtmpUrl()}/${stream.ingest.stream_key}`);
  encoders.push(encoder);
  return encoder;
}

async function recordingsOf({ params }: BroadcastRoom) {
  return (await api.admin.listRoomRecordings({ params })).data;
}

/** Seconds of the broadcast that the media server has recorded. */
async function recordedSeconds({ room }: BroadcastRoom): Promise<number> {
  const { json } = await live.call('GET', `/v1/recordings?room_ids=${room.uuid}`);
  return (json['recordings'] as { duration_seconds: number }[])[0]?.duration_seconds ?? 0;
}

async function makeRecording(fixture: BroadcastRoom) {
  const encoder = await startBroadcast(fixture);
  await expect.poll(() => recordedSeconds(fixture), { timeout: 20_000 }).toBeGreaterThan(1);
  await api.admin.endStream({ params: fixture.params });
  await runJob(api.app.dependencies, 'sync-streams');
  await encoder.stop();
  const states = async () => (await recordingsOf(fixture)).map(({ state }) => state);
  await expect.poll(states, { timeout: 20_000 }).toEqual(['published']);
  const [recording] = await recordingsOf(fixture);
  if (!recording) throw new Error('There is no recording.');
  return recording;
}

test('a recorded broadcast becomes a recording that can be watched, renamed, unpublished, copied to a video room and deleted', async () => {
  const fixture = await makeLiveRoom();
  const encoder = await startBroadcast(fixture);
  const states = async () => (await recordingsOf(fixture)).map(({ state }) => state);
  await expect.poll(states, { timeout: 20_000 }).toEqual(['processing']);
  const [processing] = await recordingsOf(fixture);
  const params = { recording_id: processing?.id ?? '' };
  const target = await makeVideoRoom(api, { url: vod.url(), secret }, { customer: fixture.customer });
  const copy = { params, body: { room_id: target.room.id } };
  expect(await refusalOf(api.admin.copyRecordingToRoom(copy))).toMatchObject({
    status: 409,
    code: 'recording-not-ready',
  });

  await expect.poll(() => recordedSeconds(fixture), { timeout: 20_000 }).toBeGreaterThan(1);
  await api.admin.endStream({ params: fixture.params });
  await runJob(api.app.dependencies, 'sync-streams');
  await encoder.stop();
  await expect.poll(states, { timeout: 20_000 }).toEqual(['published']);
  const { data: recording } = await api.admin.readRecording({ params });
  const { data: meetings } = await api.admin.listRoomMeetings({ params: fixture.params });
  expect(recording).toMatchObject({
    room_id: fixture.room.id,
    meeting_id: meetings[0]?.id,
    name: fixture.room.room_name,
    published: true,
    changes_pending: false,
    size_estimated: false,
    playback: [{ type: 'video' }],
  });
  expect(recording.size_bytes).toBeGreaterThan(10_000);
  expect(await usageOf(api, fixture.subscription.id, 'max_storage')).toBe(1);
  expect(await usageOf(api, fixture.subscription.id, 'max_recordings')).toBe(1);
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${recording.id}` } });
  expect(events.map(({ name }) => name)).toContain('recording.ready');

  const opened = await fetch(
    new URL(
      new URL(recording.playback[0]?.url ?? '').pathname + new URL(recording.playback[0]?.url ?? '').search,
      api.url,
    ),
    {
      redirect: 'manual',
    },
  );
  expect(opened.status).toBe(302);
  const file = await fetch(opened.headers.get('location') ?? '', { headers: { range: 'bytes=4-7' } });
  expect([file.status, await file.text(), file.headers.get('content-type')]).toEqual([206, 'ftyp', 'video/mp4']);
  expect((await api.admin.readRecording({ params })).data.plays).toBe(1);

  await api.admin.updateRecording({
    params,
    body: { name: 'Opening night', published: false, recording_metadata: { town: 'Ulm' } },
  });
  expect((await live.call('GET', `/v1/recordings?room_ids=${fixture.room.uuid}`)).json).toMatchObject({
    recordings: [{ published: false, labels: { name: 'Opening night', 'label-town': 'Ulm' } }],
  });
  expect((await fetch(opened.headers.get('location') ?? '')).status).toBe(404);
  await runJob(api.app.dependencies, 'sync-recordings');
  expect((await api.admin.readRecording({ params })).data).toMatchObject({
    name: 'Opening night',
    state: 'unpublished',
    changes_pending: false,
  });

  const { data: video } = await api.admin.copyRecordingToRoom(copy);
  expect(video).toMatchObject({
    room_id: target.room.id,
    name: 'Opening night',
    published: false,
    size_bytes: recording.size_bytes,
    upload: null,
  });
  expect(await usageOf(api, target.subscription.id, 'max_storage')).toBe(1);
  const state = async () => (await api.admin.readVideo({ params: { video_id: video.id } })).data.state;
  await expect.poll(state, { timeout: 30_000 }).toBe('ready');
  expect((await api.admin.readVideo({ params: { video_id: video.id } })).data).toMatchObject({
    height: 180,
    renditions: [{ height: 180 }],
  });
  expect(await usageOf(api, target.subscription.id, 'transcoding_minutes')).toBe(1);

  await api.admin.deleteRecording({ params });
  expect((await live.call('GET', `/v1/recordings?room_ids=${fixture.room.uuid}`)).json).toEqual({ recordings: [] });
  expect(await usageOf(api, fixture.subscription.id, 'max_storage')).toBe(0);
});

test('a broadcast whose callbacks were lost is recorded, also if the media server is killed', async () => {
  const fixture = await makeLiveRoom();
  callbacks.acceptsOnlyPublish = true;
  const encoder = await startBroadcast(fixture);
  await expect.poll(() => recordedSeconds(fixture), { timeout: 20_000 }).toBeGreaterThan(1);
  await encoder.stop();
  await live.restart();
  await api.admin.updateServiceProvider({
    params: { service_provider_id: fixture.provider.id },
    body: { properties: { host_url: live.url(), secret } },
  });
  const mediaStates = async () => {
    const { json } = await live.call('GET', `/v1/recordings?room_ids=${fixture.room.uuid}`);
    return (json['recordings'] as { state: string }[]).map(({ state }) => state);
  };
  await expect.poll(mediaStates, { timeout: 20_000 }).toEqual(['ready']);
  await live.call('DELETE', `/v1/sessions/${fixture.room.uuid}?reason=test`);
  expect(await recordingsOf(fixture)).toEqual([]);
  callbacks.acceptsOnlyPublish = false;
  api.clock.advance({ minutes: 2 });
  await runJob(api.app.dependencies, 'sync-meetings');
  await runJob(api.app.dependencies, 'sync-recordings');
  expect(await recordingsOf(fixture)).toMatchObject([{ state: 'published', room_id: fixture.room.id }]);
});

test('only users who may read a recording and manage the videos of the room can copy it', async () => {
  const fixture = await makeLiveRoom();
  const recording = await makeRecording(fixture);
  const params = { recording_id: recording.id };
  const options = { customer: fixture.customer, features: { max_videos: '1' } };
  const target = await makeVideoRoom(api, { url: vod.url(), secret }, options);
  const roomOfOtherCustomer = await makeVideoRoom(api, { url: vod.url(), secret });
  const refusalFor = async (roomId: string) =>
    await refusalOf(api.admin.copyRecordingToRoom({ params, body: { room_id: roomId } }));
  expect(await refusalFor(roomOfOtherCustomer.room.id)).toMatchObject({
    status: 422,
    errors: { room_id: expect.any(Array) },
  });
  expect(await refusalFor(fixture.room.id)).toMatchObject({ status: 409, code: 'not-a-video-room' });

  const password = 'a password of a member';
  const email = 'member@broadcast.example.com';
  const stranger = await makeCustomer(api, { email, password });
  expect(stranger.id).not.toBe(fixture.customer.id);
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  const user = api.clientWith(token);
  const body = { room_id: target.room.id };
  expect(await refusalOf(user.copyRecordingToRoom({ params, body }))).toMatchObject({ status: 404 });
  const { data: self } = await user.readCallingUser();
  const member = { ...target.params, user_id: self.id };
  await api.admin.createRoomUser({
    params: fixture.params,
    body: { user_id: self.id, permissions: ['read-room', 'read-recordings'] },
  });
  expect(await refusalOf(user.copyRecordingToRoom({ params, body }))).toMatchObject({
    status: 422,
    errors: { room_id: expect.any(Array) },
  });
  await api.admin.createRoomUser({
    params: target.params,
    body: { user_id: self.id, permissions: ['read-room'] },
  });
  expect(await refusalOf(user.copyRecordingToRoom({ params, body }))).toMatchObject({ status: 403 });
  await api.admin.updateRoomUser({ params: member, body: { permissions: ['read-room', 'manage-videos'] } });

  const copies = await Promise.allSettled([
    user.copyRecordingToRoom({ params, body }),
    user.copyRecordingToRoom({ params, body }),
  ]);
  expect(copies.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await refusalOf(user.copyRecordingToRoom({ params, body }))).toMatchObject({
    status: 422,
    code: 'feature-limit-reached',
  });
  expect(await usageOf(api, target.subscription.id, 'max_videos')).toBe(1);
});
