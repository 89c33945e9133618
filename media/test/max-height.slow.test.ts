import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ffmpeg, type MediaHarness, playbackToken, probeUrl, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Encoder, type Json, type LiveRoom, startEncoder, stopEncoders } from './live-harness.ts';

let media: MediaHarness;

beforeAll(async () => {
  media = await startMediaProcess();
});
afterAll(async () => {
  await stopEncoders();
  await media.close();
});

/** Starts an encoder, by default with a picture of 180 lines. */
async function publish(room: LiveRoom, options = {}): Promise<Encoder> {
  return await startEncoder(`${media.rtmpUrl()}/${room.key}`, options);
}

test('without lower renditions, a picture above the maximum resolution ends the broadcast with the reason max-resolution', async () => {
  const room = await createLiveRoom(media, { max_height: 144 });
  const encoder = await publish(room);
  await encoder.ended;
  await expect
    .poll(() => room.state(), { timeout: 20_000 })
    .toMatchObject({ state: 'idle', end_reason: 'max-resolution' });
  const allowed = await createLiveRoom(media, { max_height: 180 });
  await publish(allowed);
  const base = await waitUntilPlayable(allowed);
  expect(await (await fetch(`${base}/live/master.m3u8`)).text()).toContain('RESOLUTION=320x180');
});

test('with lower renditions, viewers, outputs and the recording get none above the maximum resolution', async () => {
  const target = await createLiveRoom(media);
  const output = { id: randomUUID(), url: media.rtmpUrl(), stream_key: target.key, enabled: true };
  const room = await createLiveRoom(media, { max_height: 150, ladder: [360, 144], record: true, outputs: [output] });
  const encoder = await publish(room);
  const base = await waitUntilPlayable(room);
  const master = await (await fetch(`${base}/live/master.m3u8`)).text();
  expect(master.match(/RESOLUTION=\w+/g)).toEqual(['RESOLUTION=256x144']);
  expect((await fetch(`${base}/live/360/index.m3u8`)).status).toBe(404);
  const { input } = (await room.state()) as { input: { height: number; warnings: Json[] } };
  expect(input.height).toBe(180);
  expect(input.warnings).toContainEqual({
    code: 'resolution-above-limit',
    message: expect.stringMatching(/^The shorter side of the picture has 180 pixels; viewers get at most 150\./),
  });
  await expect
    .poll(async () => await target.state(), { timeout: 20_000 })
    .toMatchObject({ state: 'live', input: { width: 256, height: 144 } });

  const recording = async () =>
    ((await media.call('GET', `/v1/recordings?room_ids=${room.id}`)).json['recordings'] as Json[])[0] ?? {};
  await expect
    .poll(async () => Number((await recording())['duration_seconds']), { timeout: 20_000 })
    .toBeGreaterThan(1);
  await encoder.stop();
  await media.call('POST', `/v1/streams/${room.id}/end`, { reason: 'test' });
  await expect.poll(async () => (await recording())['state'], { timeout: 20_000 }).toBe('ready');
  const id = String((await recording())['recording_id']);
  const token = playbackToken({ r: room.id, c: id, k: ['recording'] });
  const { streams } = await probeUrl(`${media.url()}/play/${token}/recordings/${id}/recording.mp4`);
  expect(streams.find((stream) => stream.codec_type === 'video')).toMatchObject({ width: 256, height: 144 });
});

test('a portrait picture is measured by its shorter side, also in its lower renditions', async () => {
  const room = await createLiveRoom(media, { max_height: 180, ladder: [144] });
  await publish(room, { source: 'testsrc2=size=180x320:rate=25' });
  const base = await waitUntilPlayable(room);
  const sizes = async () =>
    (await (await fetch(`${base}/live/master.m3u8`)).text()).match(/RESOLUTION=\w+/g)?.toSorted();
  await expect.poll(sizes, { timeout: 20_000 }).toEqual(['RESOLUTION=144x256', 'RESOLUTION=180x320']);
});

test('an encoder that changes its picture, also above the maximum resolution, breaks no playback address and no recording', async () => {
  const room = await createLiveRoom(media, { max_height: 180, ladder: [144], record: true });
  const ready = async () => {
    const { json } = await media.call('GET', `/v1/recordings?room_ids=${room.id}`);
    return (json['recordings'] as Json[]).filter(({ state }) => state === 'ready');
  };
  let encoder = await publish(room);
  const base = await waitUntilPlayable(room);
  const newestSegment = async (name: string) => {
    const response = await fetch(`${base}/live/${name}/index.m3u8`);
    expect([name, response.status]).toEqual([name, 200]);
    return Number((await response.text()).match(/\d+(?=\.m4s$)/gm)?.at(-1) ?? 0);
  };
  const sizes = async () => (await (await fetch(`${base}/live/master.m3u8`)).text()).match(/RESOLUTION=\w+/g);
  await expect.poll(sizes, { timeout: 20_000 }).toEqual(['RESOLUTION=320x180', 'RESOLUTION=256x144']);
  for (const [source, size] of [
    ['testsrc2=size=640x360:rate=25', 'RESOLUTION=256x144'],
    ['testsrc2=size=160x120:rate=25', 'RESOLUTION=160x120'],
  ] as const) {
    await encoder.stop();
    await room.waitForState({ state: 'reconnecting' });
    const before = { source: await newestSegment('source'), 144: await newestSegment('144') };
    encoder = await publish(room, { source });
    await expect.poll(sizes, { timeout: 20_000 }).toEqual([size]);
    for (const [name, number] of Object.entries(before))
      await expect.poll(() => newestSegment(name), { timeout: 20_000 }).toBeGreaterThan(number + 1);
  }
  await encoder.stop();
  await media.call('POST', `/v1/streams/${room.id}/end`, { reason: 'test' });
  await expect.poll(async () => (await ready()).length, { timeout: 20_000 }).toBe(3);
  const heights: unknown[] = [];
  const sorted = (await ready()).toSorted((a, b) => Number(a['started_at_ms']) - Number(b['started_at_ms']));
  for (const { recording_id: id } of sorted) {
    const token = playbackToken({ r: room.id, c: String(id), k: ['recording'] });
    const url = `${media.url()}/play/${token}/recordings/${String(id)}/recording.mp4`;
    await ffmpeg(`-xerror -i ${url} -f null -`);
    const { streams } = await probeUrl(url);
    heights.push(streams.find((stream) => stream.codec_type === 'video')?.height);
  }
  expect(heights).toEqual([180, 144, 120]);
});

async function waitUntilPlayable(room: LiveRoom): Promise<string> {
  await expect.poll(async () => (await room.state())['state'], { timeout: 20_000 }).toBe('live');
  const base = await room.play();
  await expect.poll(async () => (await fetch(`${base}/live/master.m3u8`)).status, { timeout: 20_000 }).toBe(200);
  return base;
}
