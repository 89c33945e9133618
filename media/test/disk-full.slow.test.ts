import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isDiskFull } from '../src/storage/disk.ts';
import { ffmpeg, makeClip, type MediaHarness, playbackToken, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Json, type LiveRoom, startEncoder, stopEncoders } from './live-harness.ts';
import { tusHeaders, createVideoCalls } from './video-calls.ts';

const megabyte = 1_000_000;
const reserveBytes = 1e9;

let media: MediaHarness;
let clips: string;
const { prepare, send, upload, stateOf, waitUntilProcessed, address } = createVideoCalls(() => media);

beforeAll(async () => {
  clips = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
});
afterEach(async () => {
  await stopEncoders();
  await media.close();
});
afterAll(async () => {
  await rm(clips, { recursive: true });
});

const fillerPath = () => join(media.directory, '..', 'filler');

/** Writes a file so that only this many bytes are free. */
async function fillDisk(freeBytes: number): Promise<void> {
  await rm(fillerPath(), { force: true });
  const { bavail, bsize } = await statfs(media.directory);
  await writeFile(fillerPath(), Buffer.alloc(Math.max(0, bavail * bsize - freeBytes))).catch((error: unknown) => {
    // The server writes at the same time.
    if (!isDiskFull(error)) throw error;
  });
}

async function refusalOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test('an upload that fills the disk is rejected with disk-full, continues later, and loses nothing that was finished', async () => {
  media = await startMediaProcess({}, { diskBytes: 20 * megabyte });
  const clip = await makeClip(clips);
  const finished = await upload(clip);
  expect(await waitUntilProcessed(finished.id)).toMatchObject({ state: 'ready' });
  const bytes = Buffer.concat([clip, randomBytes(2 * megabyte)]);
  const { id, url } = await prepare(bytes.length);
  const base = new URL(await address(finished, ['play', 'download'])).pathname;
  const uploadUrl = () => `${media.url()}${new URL(url).pathname}`;
  await fillDisk(megabyte);

  expect(await refusalOf(await send(uploadUrl(), bytes))).toEqual([507, 'disk-full']);
  const { status, json } = await media.call('PUT', `/v1/videos/${randomUUID()}`, {
    room_id: randomUUID(),
    size_bytes: 10 * megabyte,
    callback_url: media.platform.url,
    expires_at_ms: Date.now() + 3_600_000,
  });
  expect([status, (json['error'] as Json)['code']]).toEqual([507, 'disk-full']);
  await fillDisk(0);
  // A request that stores only a small file is rejected, too.
  const session = { service_type: 'video', name: 'Lecture', callback_url: media.platform.url };
  expect((await media.call('PUT', `/v1/sessions/${randomUUID()}`, session)).status).toBe(507);
  await media.restart();
  expect(await stateOf(finished.id)).toMatchObject({ state: 'ready' });
  const download = await fetch(`${media.url()}${base}/download`);
  expect(Buffer.from(await download.arrayBuffer()).equals(clip)).toBe(true);

  await rm(fillerPath());
  const head = await fetch(uploadUrl(), { method: 'HEAD', headers: tusHeaders });
  const offset = Number(head.headers.get('upload-offset'));
  expect(offset).toBeGreaterThan(0);
  expect(offset).toBeLessThan(bytes.length);
  expect((await send(uploadUrl(), bytes.subarray(offset), offset)).status).toBe(204);
  expect(await waitUntilProcessed(id)).toMatchObject({ state: 'ready', received_bytes: bytes.length });
});

test('a transcode that fills the disk is repeated when there is space, and never produces a damaged rendition', async () => {
  media = await startMediaProcess({}, { diskBytes: 20 * megabyte });
  const clip = await makeClip(clips, { seconds: 8, size: '640x360', options: '-g 25' });
  const prepared = await prepare(clip.length);
  await fillDisk(clip.length + megabyte / 2);
  expect((await send(prepared.url, clip)).status).toBe(204);
  await expect.poll(async () => (await stateOf(prepared.id))['state']).toBe('processing');
  // The first attempt has removed its files.
  const files = async () => await readdir(join(media.directory, 'videos', prepared.id));
  await expect.poll(async () => (await files()).some((name) => name.startsWith('work-'))).toBe(true);
  await expect.poll(async () => (await files()).toSorted()).toEqual(['source', 'video.json']);
  expect(await stateOf(prepared.id)).toMatchObject({ state: 'processing', failure: null, renditions: [] });
  await rm(fillerPath());
  expect(await waitUntilProcessed(prepared.id)).toMatchObject({ state: 'ready', has_poster: true });
  const base = await address(prepared);
  for (const { height } of (await stateOf(prepared.id))['renditions'] as { height: number }[])
    await ffmpeg(`-xerror -i ${base}/${height}/index.m3u8 -f null -`);
});

/** Starts a broadcast that is recorded and can be rewound. */
async function broadcast(): Promise<LiveRoom> {
  const room = await createLiveRoom(media, { record: true, dvr_minutes: 5 });
  await startEncoder(`${media.rtmpUrl()}/${room.key}`, { speed: 4 });
  await expect.poll(async () => (await room.state())['recording'], { timeout: 20_000 }).not.toBeNull();
  return room;
}

async function recordingsOf({ id }: LiveRoom): Promise<Json[]> {
  return (await media.call('GET', `/v1/recordings?room_ids=${id}`)).json['recordings'] as Json[];
}

async function recordingOf(room: LiveRoom): Promise<Json> {
  const [recording = {}, ...others] = await recordingsOf(room);
  expect(others).toEqual([]);
  return recording;
}

test('a recording stops before it uses the reserve of the disk, without losing data; the broadcast continues and reports the problem', async () => {
  media = await startMediaProcess({ FOYER_MEDIA_DISK_RESERVE_GB: '1' }, { diskBytes: reserveBytes + 20 * megabyte });
  const room = await broadcast();
  const seconds = async () => Number((await recordingOf(room))['duration_seconds']);
  await expect.poll(seconds).toBeGreaterThan(2);
  await fillDisk(reserveBytes);
  const readWarnings = async () => ((await room.state())['input'] as { warnings: { code: string }[] }).warnings;
  await expect.poll(readWarnings).toContainEqual({
    code: 'recording-stopped',
    message: expect.stringMatching(/^The recording has stopped, because the disk .* is almost full\. The broadcast/),
  });
  expect(await room.state()).toMatchObject({ state: 'live', recording: null });
  await expect
    .poll(() => media.platform.calls.filter(({ type }) => type === 'recording.changed').at(-1)?.['recording'])
    .toMatchObject({ state: 'processing', problem: 'disk-full' });

  // The rewind window has no gaps: it only has the segments in memory.
  const address = `${await room.play()}/live/source`;
  const listSegments = async () => (await (await fetch(`${address}/index.m3u8`)).text()).match(/^\d+\.m4s$/gm) ?? [];
  const [first] = await listSegments();
  await expect.poll(listSegments, { timeout: 40_000 }).not.toContain(first);
  for (const name of await listSegments()) expect((await fetch(`${address}/${name}`)).status).toBe(200);
  const { bavail, bsize } = await statfs(media.directory);
  expect(bavail * bsize).toBeGreaterThan(reserveBytes - megabyte / 2);

  await media.restart();
  await rm(fillerPath());
  await expect.poll(async () => await recordingOf(room)).toMatchObject({ state: 'ready', problem: 'disk-full' });
  const id = String((await recordingOf(room))['recording_id']);
  const token = playbackToken({ r: room.id, c: id, k: ['recording'] });
  await ffmpeg(`-xerror -i ${media.url()}/play/${token}/recordings/${id}/recording.mp4 -f null -`);
});

test('a recording on a full disk ends with its last complete part; once there is space, it is converted and another one starts', async () => {
  media = await startMediaProcess({}, { diskBytes: 20 * megabyte });
  const room = await broadcast();
  await expect.poll(async () => Number((await recordingOf(room))['duration_seconds'])).toBeGreaterThan(2);
  await fillDisk(0);
  await expect.poll(async () => await room.state()).toMatchObject({ state: 'live', recording: null });
  expect((await recordingOf(room))['state']).toBe('processing');
  await rm(fillerPath());
  const first = async () => (await recordingsOf(room))[0] ?? {};
  const second = async () => (await recordingsOf(room))[1] ?? {};
  await expect.poll(first, { timeout: 20_000 }).toMatchObject({ state: 'ready', problem: 'disk-full' });
  expect(Number((await first())['duration_seconds'])).toBeGreaterThan(2);
  await expect.poll(second, { timeout: 20_000 }).toMatchObject({ state: 'recording', problem: null });
  await expect.poll(async () => Number((await second())['duration_seconds'])).toBeGreaterThan(2);
  const { recording, input } = (await room.state()) as { recording: Json; input: Json };
  expect(recording['id']).toBe((await second())['recording_id']);
  expect(JSON.stringify(input)).not.toContain('recording-stopped');
  await media.call('POST', `/v1/streams/${room.id}/end`, { reason: 'test' });
  await expect.poll(second, { timeout: 20_000 }).toMatchObject({ state: 'ready', problem: null });
  const id = String((await second())['recording_id']);
  const token = playbackToken({ r: room.id, c: id, k: ['recording'] });
  await ffmpeg(`-xerror -i ${media.url()}/play/${token}/recordings/${id}/recording.mp4 -f null -`);
});
