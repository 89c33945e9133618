import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, makeClip, playbackToken, probeUrl, startMediaProcess } from './harness.ts';

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

const tusHeaders = { 'tus-resumable': '1.0.0' };

interface Prepared {
  readonly id: string;
  readonly roomId: string;
  readonly url: string;
}

async function prepare(size: number, roomId: string = randomUUID()): Promise<Prepared> {
  const id = randomUUID();
  const { status, json } = await media.call('PUT', `/v1/videos/${id}`, {
    room_id: roomId,
    size_bytes: size,
    callback_url: media.platform.url,
    expires_at_ms: Date.now() + 3_600_000,
  });
  expect(status).toBe(200);
  return { id, roomId, url: String(json['upload_url']) };
}

async function send(url: string, bytes: Uint8Array, offset = 0): Promise<Response> {
  return await fetch(url, {
    method: 'PATCH',
    headers: { ...tusHeaders, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
    body: Buffer.from(bytes),
  });
}

async function upload(bytes: Uint8Array, roomId?: string): Promise<Prepared> {
  const prepared = await prepare(bytes.length, roomId);
  const { status } = await send(prepared.url, bytes);
  expect(status).toBe(204);
  return prepared;
}

async function stateOf(id: string): Promise<Record<string, unknown>> {
  return (await media.call('GET', `/v1/videos/${id}`)).json;
}

async function processed(id: string): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await stateOf(id))['state'], { timeout: 60_000 }).toMatch(/^(?:ready|failed)$/);
  return await stateOf(id);
}

async function openSession(roomId: string): Promise<string> {
  const { json } = await media.call('PUT', `/v1/sessions/${roomId}`, {
    service_type: 'video',
    name: 'Lecture',
    callback_url: media.platform.url,
  });
  return String(json['session_id']);
}

test('an upload is played in renditions that are never higher than the source', async () => {
  const { id, roomId } = await upload(await makeClip(clips, { size: '640x360' }));
  const video = await processed(id);
  expect(video).toMatchObject({
    state: 'ready',
    progress: 100,
    width: 640,
    height: 360,
    playable: true,
    has_poster: true,
  });
  expect(video['has_sprite']).toBe(true);
  expect((video['renditions'] as { height: number }[]).map(({ height }) => height)).toEqual([360, 240]);
  const token = playbackToken({ r: roomId, s: await openSession(roomId), v: randomUUID() });
  const { streams } = await probeUrl(`${media.url()}/play/${token}/videos/${id}/master.m3u8`);
  expect(new Set(streams.map(({ codec_type: type }) => type))).toEqual(new Set(['audio', 'video']));
  expect(Math.max(...streams.map(({ height = 0 }) => height))).toBe(360);
});

test('the platform is asked once before transcoding, and its limit of the height holds', async () => {
  media.platform.answer = () => ({ allow: true, max_height: 240 });
  const { id } = await upload(await makeClip(clips, { size: '640x360' }));
  const video = await processed(id);
  expect((video['renditions'] as { height: number }[]).map(({ height }) => height)).toEqual([240]);
  const asked = media.platform.calls.filter((call) => call['type'] === 'video.uploaded' && call['video_id'] === id);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ probe: { width: 640, height: 360, video_codec: 'h264', audio_codec: 'aac' } });
  media.platform.answer = () => ({ allow: true });
});

test('a video that the platform does not allow fails with its reason, and can be tried again', async () => {
  media.platform.answer = ({ type }) =>
    type === 'video.uploaded' ? { allow: false, code: 'limit-reached', message: 'No minutes are left.' } : {};
  const { id } = await upload(await makeClip(clips));
  expect(await processed(id)).toMatchObject({
    state: 'failed',
    failure: { code: 'limit-reached', message: 'No minutes are left.' },
    playable: false,
  });
  media.platform.answer = () => ({ allow: true });
  await media.call('POST', `/v1/videos/${id}/retry`);
  expect(await processed(id)).toMatchObject({ state: 'ready', failure: null });
});

test('an upload goes on where it stopped, also after the process was killed', async () => {
  const bytes = await makeClip(clips);
  const { id, url } = await prepare(bytes.length);
  const half = Math.floor(bytes.length / 2);
  expect((await send(url, bytes.subarray(0, half))).status).toBe(204);
  await media.restart();
  const address = `${media.url()}${new URL(url).pathname}`;
  const head = await fetch(address, { method: 'HEAD', headers: tusHeaders });
  expect(head.headers.get('upload-offset')).toBe(String(half));
  expect((await send(address, bytes.subarray(0, 10), 0)).status).toBe(409);
  expect((await send(address, bytes.subarray(half), half)).status).toBe(204);
  expect(await processed(id)).toMatchObject({ state: 'ready' });
});

test('processing that was cut off by a kill goes on after the start', async () => {
  const { id } = await upload(await makeClip(clips, { size: '1280x720', seconds: 4 }));
  await expect.poll(async () => (await stateOf(id))['state'], { timeout: 60_000 }).toBe('processing');
  await media.restart();
  const video = await processed(id);
  expect(video).toMatchObject({ state: 'ready' });
  expect((video['renditions'] as unknown[]).length).toBe(4);
  const asked = media.platform.calls.filter((call) => call['type'] === 'video.uploaded' && call['video_id'] === id);
  expect(asked).toHaveLength(1);
});

test('an upload address accepts neither another token, nor more bytes than announced, nor another length', async () => {
  const { url } = await prepare(100);
  const forged = url.replace('.100.', '.1000.');
  for (const method of ['HEAD', 'PATCH', 'POST', 'OPTIONS']) {
    expect((await fetch(forged, { method, headers: tusHeaders })).status).toBe(403);
  }
  expect((await fetch(url, { method: 'DELETE', headers: tusHeaders })).status).toBe(405);
  const post = async (length: string) =>
    await fetch(url, { method: 'POST', headers: { ...tusHeaders, 'upload-length': length } });
  expect((await post('99')).status).toBe(422);
  const created = await post('100');
  expect([created.status, created.headers.get('location')]).toEqual([201, new URL(url).pathname]);
  expect((await send(url, Buffer.alloc(101))).status).toBeGreaterThanOrEqual(400);
});

test('what is not signed with the secret, or was signed long ago, is refused', async () => {
  const path = `/v1/videos/${randomUUID()}`;
  expect((await fetch(`${media.url()}${path}`)).status).toBe(401);
  expect((await media.call('GET', path, undefined, { secret: 'another secret of 16' })).status).toBe(401);
  const longAgo = Math.floor(Date.now() / 1000) - 301;
  expect((await media.call('GET', path, undefined, { timestamp: longAgo })).status).toBe(401);
  expect((await media.call('GET', path)).status).toBe(404);
});

test('a playback address is refused when it is forged, expired, of another room, or its session or viewer is gone', async () => {
  const { id, roomId } = await upload(await makeClip(clips));
  await processed(id);
  const session = await openSession(roomId);
  const viewer = randomUUID();
  const read = async (token: string, name = 'master.m3u8') => {
    const response = await fetch(`${media.url()}/play/${token}/videos/${id}/${name}`);
    const text = await response.text();
    return response.ok ? 'ok' : (JSON.parse(text) as { error: { code: string } }).error.code;
  };
  const token = playbackToken({ r: roomId, s: session, v: viewer });
  expect(await read(token)).toBe('ok');
  expect(await read(`${token.slice(0, -2)}xx`)).toBe('token-invalid');
  expect(await read(playbackToken({ r: roomId, s: session, v: viewer }, 'another secret of 16'))).toBe('token-invalid');
  expect(await read(playbackToken({ r: roomId, s: session, v: viewer, x: 1 }))).toBe('token-expired');
  expect(await read(playbackToken({ r: randomUUID(), s: session, v: viewer }))).toBe('not-found');
  expect(await read(playbackToken({ r: roomId, s: randomUUID(), v: viewer }))).toBe('session-ended');
  const images = playbackToken({ r: roomId, i: id, k: ['image'] });
  expect([await read(images, 'poster.jpg'), await read(images)]).toEqual(['ok', 'session-ended']);
  expect(await read(token, 'download')).toBe('download-off');
  for (const name of ['..%2f..%2fvideo.json', 'source', 'video.json', '240/../source', 'sprite-1.jpg%00']) {
    expect(await read(token, name)).toBe('not-found');
  }
  await media.call('DELETE', `/v1/sessions/${roomId}/viewers/${viewer}`);
  expect(await read(token)).toBe('viewer-removed');
  const other = playbackToken({ r: roomId, s: session, v: randomUUID() });
  expect(await read(other)).toBe('ok');
  await media.call('DELETE', `/v1/sessions/${roomId}`);
  expect(await read(other)).toBe('session-ended');
});

test('viewers of a session are those whose players were heard of, also after a restart', async () => {
  const { id, roomId } = await upload(await makeClip(clips));
  await processed(id);
  const session = await openSession(roomId);
  const viewers = [randomUUID(), randomUUID()];
  for (const viewer of viewers) {
    const token = playbackToken({ r: roomId, s: session, v: viewer });
    await fetch(`${media.url()}/play/${token}/heartbeat`, { method: 'POST' });
  }
  const seen = async () => {
    const { json } = await media.call('GET', `/v1/sessions/${roomId}`);
    return (json['viewers'] as { viewer_id: string }[]).map(({ viewer_id: each }) => each).sort();
  };
  expect(await seen()).toEqual(viewers.toSorted());
  expect(await openSession(roomId)).toBe(session);
});

test('captions are converted, play with the video, and nothing but cues is kept of them', async () => {
  const { id, roomId } = await upload(await makeClip(clips));
  await processed(id);
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
