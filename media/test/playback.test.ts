import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, makeClip, playbackToken, startMediaProcess } from './harness.ts';
import { type Prepared, createVideoCalls } from './video-calls.ts';

let media: MediaHarness;
let clips: string;
let video: Prepared;
const { upload, waitUntilProcessed, openSession, address } = createVideoCalls(() => media);

beforeAll(async () => {
  media = await startMediaProcess();
  clips = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
  video = await upload(await makeClip(clips));
  expect(await waitUntilProcessed(video.id)).toMatchObject({ state: 'ready' });
});
afterAll(async () => {
  await media.close();
  await rm(clips, { recursive: true, force: true });
});

test('a playback address is rejected if it is forged, expired or of another room, or if its session or viewer has ended', async () => {
  const { id, roomId } = video;
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

test('viewers cannot read or download a hidden video, also if it is hidden during playback and after a crash, and its managers see its pictures', async () => {
  const base = await address(video, ['play', 'download']);
  const images = playbackToken({ r: video.roomId, i: video.id, k: ['image'] });
  const names = ['master.m3u8', 'poster.jpg', 'download'];
  const statuses = async () => await Promise.all(names.map(async (name) => (await fetch(`${base}/${name}`)).status));
  expect(await statuses()).toEqual([200, 200, 200]);
  await media.call('PUT', `/v1/videos/${video.id}/hidden`, { hidden: true });
  expect(await statuses()).toEqual([404, 404, 404]);
  const moved = (url: string) => url.replace(/^http:\/\/[^/]+/, media.url());
  await media.restart();
  expect((await fetch(moved(`${base}/master.m3u8`))).status).toBe(404);
  expect((await fetch(`${media.url()}/play/${images}/videos/${video.id}/poster.jpg`)).status).toBe(200);
  await media.call('PUT', `/v1/videos/${video.id}/hidden`, { hidden: false });
  expect((await fetch(moved(`${base}/master.m3u8`))).status).toBe(200);
  expect((await media.call('PUT', `/v1/videos/${randomUUID()}/hidden`, { hidden: true })).status).toBe(204);
});

test('a failed video with a finished rendition is reported as not playable, and cannot be read or downloaded', async () => {
  const failed = await upload(await makeClip(clips));
  await waitUntilProcessed(failed.id);
  await media.kill();
  const file = join(media.directory, 'videos', failed.id, 'video.json');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), state: 'failed' }));
  await media.restart();
  const base = await address(failed, ['play', 'download']);
  const names = ['master.m3u8', '240/index.m3u8', 'download'];
  const statuses = await Promise.all(names.map(async (name) => (await fetch(`${base}/${name}`)).status));
  expect(statuses).toEqual([404, 404, 404]);
  expect((await media.call('GET', `/v1/videos/${failed.id}`)).json).toMatchObject({ state: 'failed', playable: false });
});

test('viewers are counted by the requests of their players, also after a crash, and reported to the platform', async () => {
  const roomId = randomUUID();
  const session = await openSession(roomId);
  const viewers = [randomUUID(), randomUUID()].toSorted();
  for (const viewer of viewers) {
    const token = playbackToken({ r: roomId, s: session, v: viewer });
    const { status } = await fetch(`${media.url()}/play/${token}/heartbeat`, { method: 'POST' });
    expect(status).toBe(204);
  }
  const idsOf = (value: unknown) => (value as { viewer_id: string }[]).map(({ viewer_id: id }) => id).toSorted();
  const stored = join(media.directory, 'sessions', `${roomId}.json`);
  await expect.poll(async () => await readFile(stored, 'utf8')).toContain(viewers[1]);
  await media.restart();
  const { json } = await media.call('GET', `/v1/sessions/${roomId}`);
  expect([json['session_id'], idsOf(json['viewers']), json['peak_viewers']]).toEqual([session, viewers, 2]);
  expect(await openSession(roomId)).toBe(session);
  // Reading the state does not count as watching.
  const token = playbackToken({ r: roomId, s: session, v: randomUUID() });
  const state = await (await fetch(`${media.url()}/play/${token}/state`)).text();
  expect(JSON.parse(state)).toMatchObject({ session: { session_id: session }, viewers: 2 });
  expect(state).not.toContain('Anna');
  await media.call('DELETE', `/v1/sessions/${roomId}?reason=test`);
  const ended = () =>
    media.platform.calls.find((call) => call['type'] === 'session.ended' && call['room_id'] === roomId);
  await expect.poll(ended).toMatchObject({ session_id: session, reason: 'test' });
  expect(idsOf(ended()?.['viewers'])).toEqual(viewers);
  expect(await openSession(roomId)).not.toBe(session);
});

test('players can request byte ranges, and files are cached privately', async () => {
  const base = await address(video, ['play', 'download']);
  const master = await (await fetch(`${base}/master.m3u8`)).text();
  const [rendition = ''] = /^\d+(?=\/index\.m3u8$)/m.exec(master) ?? [];
  const url = `${base}/${rendition}/seg_00000.m4s`;
  const whole = await fetch(url);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const etag = whole.headers.get('etag') ?? '';
  expect(whole.headers.get('cache-control')).toBe('private, max-age=86400');
  expect(whole.headers.get('access-control-allow-origin')).toBe('*');
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  expect((await head.arrayBuffer()).byteLength).toBe(0);
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const part = async (range: string) => {
    const response = await fetch(url, { headers: { range } });
    return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer())];
  };
  const size = bytes.length;
  expect(await part('bytes=10-19')).toEqual([206, `bytes 10-19/${size}`, bytes.subarray(10, 20)]);
  expect(await part('bytes=-5')).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, bytes.subarray(-5)]);
  expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`]);
  expect(await (await fetch(`${base}/sprite.vtt`)).text()).toMatch(/^WEBVTT[^]*sprite-1\.jpg#xywh=0,0,160,90/);
});

test('a download is named after the title and the container, and the name contains no path', async () => {
  const base = await address(video, ['play', 'download']);
  const nameFor = async (title: string) => {
    const response = await fetch(`${base}/download?name=${encodeURIComponent(title)}`, { method: 'HEAD' });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    return response.headers.get('content-disposition');
  };
  expect(await nameFor('Annual meeting 2026')).toBe('attachment; filename="Annual meeting 2026.mp4"');
  expect(await nameFor('日本')).toBe(`attachment; filename="??.mp4"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.mp4`);
  expect(await nameFor('../../etc/passwd\r\nx: y')).toBe('attachment; filename="etc passwd x y.mp4"');
  expect(await nameFor('')).toBe('attachment; filename=video.mp4');
  expect(await nameFor(`${'a'.repeat(149)}😀😀`)).toContain(`${'a'.repeat(149)}%F0%9F%98%80.mp4`);
});

test('requests without a recent signature by the shared secret are rejected', async () => {
  const path = `/v1/videos/${randomUUID()}`;
  expect((await fetch(`${media.url()}${path}`)).status).toBe(401);
  expect((await media.call('GET', path, undefined, { secret: 'another secret of 16' })).status).toBe(401);
  const longAgo = Math.floor(Date.now() / 1000) - 301;
  expect((await media.call('GET', path, undefined, { timestamp: longAgo })).status).toBe(401);
  expect((await media.call('GET', path, undefined, { nonce: '' })).status).toBe(401);
  expect((await media.call('GET', path)).status).toBe(404);
});

test('a signed request is accepted once, also if the media server restarts or its clock advances', async () => {
  const path = `/v1/videos/${randomUUID()}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const options = { timestamp, nonce: 'a'.repeat(32) };
  const repeated = { status: 409, json: { error: expect.objectContaining({ code: 'request-repeated' }) } };
  expect((await media.call('DELETE', path, undefined, options)).status).toBe(204);
  expect(await media.call('DELETE', path, undefined, options)).toEqual(repeated);
  await media.advance(299);
  expect(await media.call('DELETE', path, undefined, options)).toEqual(repeated);
  // The next process starts in a later second.
  await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(timestamp);
  await media.restart();
  expect(await media.call('DELETE', path, undefined, options)).toEqual(repeated);
  expect((await media.call('DELETE', path)).status).toBe(204);
});
