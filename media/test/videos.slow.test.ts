import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, makeClip, playbackToken, probeUrl, startMediaProcess } from './harness.ts';
import { createVideoCalls } from './video-calls.ts';

let media: MediaHarness;
let clips: string;

beforeAll(async () => {
  media = await startMediaProcess();
  clips = join(tmpdir(), `foyer-clips-${process.pid}`);
  await mkdir(clips, { recursive: true });
});
afterAll(async () => {
  await media.close();
});

const { upload, stateOf, waitUntilProcessed, openSession } = createVideoCalls(() => media);

test('an upload is played in renditions that are never higher than the source', async () => {
  const { id, roomId } = await upload(await makeClip(clips, { size: '640x360' }));
  const video = await waitUntilProcessed(id);
  expect(video).toMatchObject({
    state: 'ready',
    progress: 100,
    width: 640,
    height: 360,
    playable: true,
    has_poster: true,
  });
  expect(video['has_sprite']).toBe(true);
  const reported = () =>
    media.platform.calls.flatMap((call) => {
      const state = call['video'] as { video_id: string; state: string; playable: boolean } | undefined;
      return state?.video_id === id ? [`${state.state}${state.playable ? ', playable' : ''}`] : [];
    });
  await expect.poll(reported).toContain('ready, playable');
  const states = reported();
  expect(states.indexOf('processing, playable')).toBeGreaterThan(states.indexOf('processing'));
  expect(states.indexOf('ready, playable')).toBeGreaterThan(states.indexOf('processing, playable'));
  expect((video['renditions'] as { height: number }[]).map(({ height }) => height)).toEqual([360, 240]);
  const token = playbackToken({ r: roomId, s: await openSession(roomId), v: randomUUID() });
  const { streams } = await probeUrl(`${media.url()}/play/${token}/videos/${id}/master.m3u8`);
  expect(new Set(streams.map(({ codec_type: type }) => type))).toEqual(new Set(['audio', 'video']));
  expect(Math.max(...streams.map(({ height = 0 }) => height))).toBe(360);
});

test('the platform gets one request before transcoding, and its height limit applies', async () => {
  media.platform.answer = () => ({ allow: true, max_height: 240 });
  const { id } = await upload(await makeClip(clips, { size: '640x360' }));
  const video = await waitUntilProcessed(id);
  expect((video['renditions'] as { height: number }[]).map(({ height }) => height)).toEqual([240]);
  const reports = media.platform.calls.filter((call) => call['type'] === 'video.uploaded' && call['video_id'] === id);
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatchObject({ probe: { width: 640, height: 360, video_codec: 'h264', audio_codec: 'aac' } });
  media.platform.answer = () => ({ allow: true });
});

test('a portrait video has the same resolutions as the landscape one, measured by the shorter side', async () => {
  media.platform.answer = () => ({ allow: true, max_height: 360 });
  const sizes = async (size: string) => {
    const { id } = await upload(await makeClip(clips, { size }));
    return ((await waitUntilProcessed(id))['renditions'] as { height: number }[]).map(({ height }) => height);
  };
  expect(await sizes('360x640')).toEqual([640, 426]);
  expect(await sizes('480x854')).toEqual([640, 426]);
  media.platform.answer = () => ({ allow: true });
});

test('a video that the platform refuses fails with the reason, and can be retried', async () => {
  media.platform.answer = ({ type }) =>
    type === 'video.uploaded' ? { allow: false, code: 'limit-reached', message: 'No minutes are left.' } : {};
  const { id } = await upload(await makeClip(clips));
  expect(await waitUntilProcessed(id)).toMatchObject({
    state: 'failed',
    failure: { code: 'limit-reached', message: 'No minutes are left.' },
    playable: false,
  });
  media.platform.answer = () => ({ allow: true });
  await media.call('POST', `/v1/videos/${id}/retry`);
  expect(await waitUntilProcessed(id)).toMatchObject({ state: 'ready', failure: null });
});

test('processing that a crash interrupted continues after a restart', async () => {
  const { id } = await upload(await makeClip(clips, { size: '1280x720', seconds: 4 }));
  await expect.poll(async () => (await stateOf(id))['state'], { timeout: 60_000 }).toBe('processing');
  await media.restart();
  const video = await waitUntilProcessed(id);
  expect(video).toMatchObject({ state: 'ready' });
  expect((video['renditions'] as unknown[]).length).toBe(4);
  const reports = media.platform.calls.filter((call) => call['type'] === 'video.uploaded' && call['video_id'] === id);
  expect(reports).toHaveLength(1);
});

test('captions are converted and play with the video; only their cues are kept', async () => {
  const { id, roomId } = await upload(await makeClip(clips));
  await waitUntilProcessed(id);
  const subrip = '1\r\n00:00:00,500 --> 00:00:01,500\r\n<script>x</script> Hello <i>there</i>\r\n';
  const put = async (language: string, text: string, type: string) =>
    await media.call('PUT', `/v1/videos/${id}/captions/${language}?label=English`, Buffer.from(text), { type });
  expect((await put('en', subrip, 'application/x-subrip')).json['captions']).toEqual([
    { language: 'en', label: 'English' },
  ]);
  const token = playbackToken({ r: roomId, s: await openSession(roomId), v: randomUUID() });
  const read = async (name: string) => await (await fetch(`${media.url()}/play/${token}/videos/${id}/${name}`)).text();
  expect(await read('captions/en.vtt')).toBe(
    'WEBVTT\n\n00:00:00.500 --> 00:00:01.500\n&lt;script>x&lt;/script> Hello <i>there</i>\n',
  );
  expect(await read('master.m3u8')).toContain('LANGUAGE="en"');
  const spoken = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna><c.loud>Hello</c> <00:01.500>there</v>\n';
  await put('en', spoken, 'text/vtt');
  expect(await read('captions/en.vtt')).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello there\n');
  expect((await put('..%2f..%2fx', subrip, 'text/vtt')).status).toBe(422);
  expect((await put('de', 'no captions', 'text/vtt')).status).toBe(422);
  expect((await put('de', subrip, 'text/vtt')).status).toBe(422);
  await media.call('DELETE', `/v1/videos/${id}/captions/en`);
  expect(await read('master.m3u8')).not.toContain('LANGUAGE');
});

test('a removed video leaves no file behind', async () => {
  const { id, roomId } = await upload(await makeClip(clips));
  const token = playbackToken({ r: roomId, s: await openSession(roomId), v: randomUUID() });
  expect((await media.call('DELETE', `/v1/videos/${id}`)).status).toBe(204);
  expect((await media.call('GET', `/v1/videos/${id}`)).status).toBe(404);
  expect((await fetch(`${media.url()}/play/${token}/videos/${id}/master.m3u8`)).status).toBe(404);
  expect((await media.call('DELETE', `/v1/videos/${id}`)).status).toBe(204);
});

test('if the platform does not respond, the request is repeated before anything is transcoded', async () => {
  let isDown = true;
  media.platform.answer = ({ type }) => (isDown && type === 'video.uploaded' ? null : { allow: true });
  const { id } = await upload(await makeClip(clips));
  const reports = () =>
    media.platform.calls.filter((call) => call['type'] === 'video.uploaded' && call['video_id'] === id).length;
  await expect.poll(reports).toBe(1);
  expect(await stateOf(id)).toMatchObject({ state: 'queued', renditions: [] });
  isDown = false;
  expect(await waitUntilProcessed(id)).toMatchObject({ state: 'ready' });
  expect(reports()).toBe(2);
});

test('a video that is longer than the platform accepts is rejected', async () => {
  const { id } = await upload(await makeClip(clips), { max_duration_seconds: 2 });
  expect(await waitUntilProcessed(id)).toMatchObject({
    state: 'failed',
    failure: { code: 'too-long' },
    renditions: [],
  });
});

test('a room with many uploads does not delay another room', async () => {
  const bytes = await makeClip(clips);
  const busy: string = randomUUID();
  const other: string = randomUUID();
  // The others wait while this one is processed.
  const uploads = [await upload(await makeClip(clips, { size: '640x360', seconds: 4 }), { room_id: busy })];
  for (const roomId of [busy, busy, other]) uploads.push(await upload(bytes, { room_id: roomId }));
  for (const { id } of uploads) expect(await waitUntilProcessed(id)).toMatchObject({ state: 'ready' });
  const order = media.platform.calls
    .filter((call) => call['type'] === 'video.uploaded')
    .map((call) => String(call['room_id']))
    .filter((roomId) => roomId === busy || roomId === other);
  expect(order).toEqual([busy, other, busy, busy]);
});
