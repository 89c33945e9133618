import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ffmpeg, makeClip, type MediaHarness, playbackToken, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Json, startEncoder } from './live-harness.ts';
import { s3Keys, type S3Server, startS3, storageUrl } from './s3-server.ts';
import { createVideoCalls } from './video-calls.ts';

let s3: S3Server;
let media: MediaHarness;
const videos = createVideoCalls(() => media);

beforeAll(async () => {
  s3 = await startS3();
  media = await startMediaProcess({ ...s3Keys, FOYER_STORAGE_URL: storageUrl(s3) });
});
afterAll(async () => {
  await media.close();
  await s3.close();
});

async function loseDisk(): Promise<void> {
  await media.kill();
  await rm(media.directory, { recursive: true });
  await media.restart();
}

const keysOf = (id: string) => [...s3.objects.keys()].filter((key) => key.includes(id));
const isStored = (id: string, record: string) => () => s3.objects.has(`media/records/${record.replace('*', id)}`);
const cue = (text: string) => Buffer.from(`WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`);

test('after kill -9 and a lost disk, videos play from S3 with poster, previews and captions, change, and are deleted', async () => {
  const clip = await makeClip(media.directory, { seconds: 3 });
  const [video, deleted, another] = [await videos.upload(clip), await videos.upload(clip), await videos.upload(clip)];
  for (const { id } of [video, deleted, another])
    expect(await videos.waitUntilProcessed(id)).toMatchObject({ state: 'ready' });
  const captions = (language: string, text: string) =>
    media.call('PUT', `/v1/videos/${video.id}/captions/${language}?label=x`, cue(text), { type: 'text/vtt' });
  await captions('en', 'First');
  await captions('de', 'Zuerst');
  for (const { id } of [video, deleted, another])
    await expect.poll(isStored(id, 'videos/*/video.json'), { timeout: 20_000 }).toBe(true);
  const stored = (language: string) => s3.objects.get(`media/videos/${video.id}/captions/${language}.vtt`)?.toString();
  await expect.poll(() => stored('en'), { timeout: 20_000 }).toContain('First');
  // Later changes are stored again.
  await captions('en', 'Second');
  await media.call('DELETE', `/v1/videos/${video.id}/captions/de`);
  await media.call('DELETE', `/v1/videos/${deleted.id}`);
  await expect.poll(() => stored('en'), { timeout: 20_000 }).toContain('Second');
  await expect.poll(() => stored('de'), { timeout: 20_000 }).toBeUndefined();
  await expect.poll(() => keysOf(deleted.id), { timeout: 20_000 }).toEqual([]);
  const before = await videos.stateOf(video.id);

  await loseDisk();
  expect(await videos.stateOf(video.id)).toEqual(before);
  expect((await media.call('GET', `/v1/videos/${deleted.id}`)).status).toBe(404);
  const base = await videos.address(video, ['play', 'download']);
  await ffmpeg(`-xerror -i ${base}/180/index.m3u8 -f null -`);
  const [sheet = ''] = /^sprite-\d+\.jpg/m.exec(await (await fetch(`${base}/sprite.vtt`)).text()) ?? [];
  for (const [name, type] of [
    ['poster.jpg', 'image/jpeg'],
    ['sprite.vtt', 'text/vtt; charset=utf-8'],
    [sheet, 'image/jpeg'],
    ['captions/en.vtt', 'text/vtt; charset=utf-8'],
  ] as const) {
    const response = await fetch(`${base}/${name}`);
    expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 200, type]);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(20);
  }
  expect(Buffer.from(await (await fetch(`${base}/download`)).arrayBuffer()).equals(clip)).toBe(true);

  await captions('en', 'Third');
  expect(await (await fetch(`${base}/captions/en.vtt`)).text()).toContain('Third');
  await expect.poll(() => stored('en'), { timeout: 20_000 }).toContain('Third');
  expect((await media.call('DELETE', `/v1/videos/${video.id}`)).status).toBe(204);
  await expect.poll(() => keysOf(video.id), { timeout: 20_000 }).toEqual([]);
});

test('after kill -9 and a lost disk, recordings play from S3 with the same state and name', async () => {
  const room = await createLiveRoom(media, { record: true });
  const encoder = await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  const recording = async () =>
    ((await media.call('GET', `/v1/recordings?room_ids=${room.id}`)).json['recordings'] as Json[])[0] ?? {};
  await expect
    .poll(async () => Number((await recording())['duration_seconds']), { timeout: 20_000 })
    .toBeGreaterThan(1);
  await media.call('POST', `/v1/streams/${room.id}/end`, { reason: 'test' });
  await encoder.stop();
  await expect.poll(async () => (await recording())['state'], { timeout: 20_000 }).toBe('ready');
  const id = String((await recording())['recording_id']);
  await expect.poll(isStored(id, 'recordings/*/recording.json'), { timeout: 20_000 }).toBe(true);
  await media.call('PUT', `/v1/recordings/${id}`, { labels: { name: 'Concert' } });
  const record = () => s3.objects.get(`media/records/recordings/${id}/recording.json`)?.toString();
  await expect.poll(record, { timeout: 20_000 }).toContain('Concert');
  const before = await recording();

  await loseDisk();
  expect(await recording()).toEqual(before);
  const token = playbackToken({ r: room.id, c: id, k: ['recording'] });
  const url = `${media.url()}/play/${token}/recordings/${id}/recording.mp4`;
  await ffmpeg(`-xerror -i ${url} -f null -`);
  const part = await fetch(url, { headers: { range: 'bytes=4-7' } });
  expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
  expect((await media.call('DELETE', `/v1/recordings/${id}`)).status).toBe(204);
  await expect.poll(() => keysOf(id), { timeout: 20_000 }).toEqual([]);
});

test('a video whose deletion was acknowledged stays deleted, also if the disk is lost before S3 has deleted it', async () => {
  const [kept, deleted] = [
    await videos.upload(await makeClip(media.directory, { seconds: 1 })),
    await videos.upload(await makeClip(media.directory, { seconds: 1 })),
  ];
  for (const { id } of [kept, deleted]) {
    expect(await videos.waitUntilProcessed(id)).toMatchObject({ state: 'ready' });
    await expect.poll(isStored(id, 'videos/*/video.json'), { timeout: 20_000 }).toBe(true);
  }
  s3.mode = 'deletes-nothing';
  expect((await media.call('DELETE', `/v1/videos/${deleted.id}`)).status).toBe(204);
  await loseDisk();
  expect((await media.call('GET', `/v1/videos/${deleted.id}`)).status).toBe(404);
  expect(await videos.stateOf(kept.id)).toMatchObject({ state: 'ready' });
  expect(keysOf(deleted.id)).not.toEqual([]);
  s3.mode = 'works';
  await expect.poll(() => keysOf(deleted.id), { timeout: 20_000 }).toEqual([]);
});

test('a server that lost its disk does not start while S3 does not respond, so that no media is treated as deleted', async () => {
  const { id } = await videos.upload(await makeClip(media.directory, { seconds: 1 }));
  expect(await videos.waitUntilProcessed(id)).toMatchObject({ state: 'ready' });
  await expect.poll(isStored(id, 'videos/*/video.json'), { timeout: 20_000 }).toBe(true);
  s3.mode = 'fails';
  await expect(loseDisk()).rejects.toThrow('The media server did not start.');
  s3.mode = 'works';
  await media.restart();
  expect(await videos.stateOf(id)).toMatchObject({ state: 'ready' });
});
