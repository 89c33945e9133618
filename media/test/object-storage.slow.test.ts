import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { makeClip, type MediaHarness, startMediaProcess } from './harness.ts';
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

/** The files of the video on the disk of the media server. */
async function filesOf(id: string): Promise<string[]> {
  const entries = await readdir(join(media.directory, 'videos', id), { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Creates a clip that is larger than one part of a multipart upload. */
async function createLargeClip(): Promise<Buffer> {
  const padding = Buffer.alloc(17 * 1024 * 1024);
  padding.writeUInt32BE(padding.length, 0);
  padding.write('free', 4);
  return Buffer.concat([await makeClip(media.directory, { seconds: 1 }), padding]);
}

test('finished media is stored only in S3, plays and downloads from there in ranges, and is deleted there', async () => {
  const clip = await createLargeClip();
  const video = await videos.upload(clip);
  expect(await videos.waitUntilProcessed(video.id)).toMatchObject({ state: 'ready' });
  await expect
    .poll(async () => (await filesOf(video.id)).toSorted(), { timeout: 20_000 })
    .toEqual(['poster.jpg', 'stored-version', 'video.json']);
  expect(s3.objects.get(`media/videos/${video.id}/source`)?.equals(clip)).toBe(true);

  const address = await videos.address(video, ['play', 'download']);
  expect((await fetch(`${address}/180/index.m3u8`)).headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
  const segment = await fetch(`${address}/180/seg_00000.m4s`);
  expect([segment.status, (await segment.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
  const part = await fetch(`${address}/download`, { headers: { range: 'bytes=4-7' } });
  expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
    206,
    'ftyp',
    `bytes 4-7/${clip.length}`,
  ]);
  const head = await fetch(`${address}/download`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(clip.length)]);
  expect((await fetch(`${address.replace(/play\/[^.]+/, 'play/x')}/180/index.m3u8`)).status).toBe(403);

  s3.mode = 'fails';
  onTestFinished(() => void (s3.mode = 'works'));
  expect((await fetch(`${address}/180/index.m3u8`)).status).toBe(503);
  // The platform repeats the request.
  expect(await media.call('DELETE', `/v1/videos/${video.id}`)).toMatchObject({
    status: 503,
    json: { error: { code: 'storage-unavailable' } },
  });
  s3.mode = 'deletes-nothing';
  expect((await media.call('DELETE', `/v1/videos/${video.id}`)).status).toBe(204);
  await media.restart();
  expect([...s3.objects.keys()].some((key) => key.includes(video.id))).toBe(true);
  s3.mode = 'works';
  await expect
    .poll(() => [...s3.objects.keys()].filter((key) => key.includes(video.id)), { timeout: 20_000 })
    .toEqual([]);
  // A running deletion request would hang in the next test.
  await expect.poll(() => readdir(join(media.directory, 'storage-removals')), { timeout: 20_000 }).toEqual([]);
});

test('while S3 hangs, new videos play from the disk, and a kill then loses nothing', async () => {
  s3.mode = 'hangs';
  onTestFinished(() => void (s3.mode = 'works'));
  const clip = await makeClip(media.directory, { seconds: 1 });
  const video = await videos.upload(clip);
  expect(await videos.waitUntilProcessed(video.id)).toMatchObject({ state: 'ready' });
  const isRequested = () => s3.requests.some((request) => request.includes(video.id));
  await expect.poll(isRequested, { timeout: 20_000 }).toBe(true);
  expect((await fetch(`${await videos.address(video)}/180/index.m3u8`)).status).toBe(200);
  await media.restart();
  expect(await filesOf(video.id)).toContain('source');
  s3.mode = 'works';
  await media.restart();
  await expect.poll(() => filesOf(video.id), { timeout: 20_000 }).not.toContain('source');
  expect(s3.objects.get(`media/videos/${video.id}/source`)?.equals(clip)).toBe(true);
  expect((await fetch(`${await videos.address(video)}/180/index.m3u8`)).status).toBe(200);
});

test('the start fails with an error that names a wrong FOYER_STORAGE_URL', () => {
  const faultsOf = (env: Record<string, string>) => {
    const result = readConfig({ FOYER_MEDIA_SECRET: 'x'.repeat(16), ...env });
    return 'faults' in result ? result.faults.join(' ') : '';
  };
  expect(faultsOf({ FOYER_STORAGE_URL: 'ftp://files' })).toContain('FOYER_STORAGE_URL must be');
  expect(faultsOf({ FOYER_STORAGE_URL: 's3://bucket' })).toContain('AWS_ACCESS_KEY_ID');
  expect(faultsOf({ ...s3Keys, FOYER_STORAGE_URL: 's3://bucket?endpoint=example.com' })).toContain('endpoint');
  expect(faultsOf({ ...s3Keys, FOYER_STORAGE_URL: 's3://bucket/a/b' })).toBe('');
  const result = readConfig({ FOYER_MEDIA_SECRET: 'x'.repeat(16), FOYER_STORAGE_URL: 'file:///srv/media' });
  expect(result).toMatchObject({ config: { mediaDir: '/srv/media', s3: null } });
});
