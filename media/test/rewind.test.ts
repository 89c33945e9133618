import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, startEncoder, stopEncoders } from './live-harness.ts';

let media: MediaHarness;

beforeAll(async () => {
  media = await startMediaProcess();
});
afterAll(async () => {
  await stopEncoders();
  await media.close();
});

test('segments older than the rewind window are deleted and return 404, and all segments are deleted after the broadcast', async () => {
  const room = await createLiveRoom(media, { dvr_minutes: 1 });
  const encoder = await startEncoder(`${media.rtmpUrl()}/${room.key}`, { speed: 20 });
  const sessionId = async () => (await room.state())['session_id'];
  await expect.poll(sessionId).not.toBeNull();
  const listStoredFiles = async () => await readdir(join(media.directory, 'live', String(await sessionId()), 'source'));
  const base = `${await room.play()}/live/source`;
  const status = async (file: string) => (await fetch(`${base}/${file}`)).status;
  const listSegments = async () =>
    [...(await (await fetch(`${base}/index.m3u8`)).text()).matchAll(/^(\d+)\.m4s$/gm)].map(([, number]) => number);
  await expect.poll(async () => (await listSegments())[0], { interval: 20 }).toBeDefined();
  const [first] = await listSegments();
  expect(await status(`${first}.m4s`)).toBe(200);
  await expect.poll(listStoredFiles).toContain(`${first}.m4s`);

  await encoder.ended;
  await expect.poll(listStoredFiles).not.toContain(`${first}.m4s`);
  expect([await status(`${first}.m4s`), await status(`${first}.0.m4s`)]).toEqual([404, 404]);
  const [oldest] = await listSegments();
  expect(await listStoredFiles()).toContain(`${oldest}.m4s`);
  expect(await status(`${oldest}.m4s`)).toBe(200);
  // 60 s, in segments of 2 s.
  expect((await listSegments()).length).toBe(30);
  // A player with an older playlist may request the segments of a few more seconds.
  expect((await listStoredFiles()).length).toBeLessThan(30 + 8);

  await media.call('POST', `/v1/streams/${room.id}/end`, { reason: 'done' });
  await expect.poll(async () => await readdir(join(media.directory, 'live'))).toEqual([]);
});
