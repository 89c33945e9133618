import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { locatePrograms } from '../src/ffmpeg/locate.ts';
import { type MediaHarness, playbackToken, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Encoder, type LiveRoom, startEncoder, stopEncoders } from './live-harness.ts';

let media: MediaHarness;

/** A room whose encoder exceeds the maximum bitrate until the stream is ended. */
let aboveBitrate: LiveRoom;
/** A room that broadcasts while the other tests run, so that viewers can rewind. */
let rewindable: LiveRoom;

beforeAll(async () => {
  media = await startMediaProcess();
  aboveBitrate = await createLiveRoom(media, { max_bitrate_kbps: 50 });
  rewindable = await createLiveRoom(media, { dvr_minutes: 1, latency_mode: 'normal' });
  await Promise.all([publish(aboveBitrate), publish(rewindable)]);
});
afterAll(async () => {
  await stopEncoders();
  await media.close();
});

async function publish(room: LiveRoom, options = {}): Promise<Encoder> {
  return await startEncoder(`${media.rtmpUrl()}/${room.key}`, options);
}

/** Decodes the address with ffmpeg. @returns the number of frames */
async function countFrames(url: string, frames = 50): Promise<number> {
  const { path } = (await locatePrograms({ ffmpegPath: null, ffprobePath: null })).ffmpeg;
  const args = ['-v', 'error', '-nostdin', '-xerror', '-i', url, '-map', '0:v', '-frames:v', String(frames)];
  const progress = ['-f', 'null', '-progress', 'pipe:1', '-'];
  const { stdout } = await promisify(execFile)(path, [...args, ...progress], { timeout: 30_000 });
  return Number(
    stdout
      .match(/^frame=\s*(\d+)/gm)
      ?.at(-1)
      ?.split('=')[1],
  );
}

async function waitForPlaylist(base: string, rendition = 'source'): Promise<string> {
  let text = '';
  await expect
    .poll(
      async () => {
        const response = await fetch(`${base}/live/${rendition}/index.m3u8`);
        text = await response.text();
        return response.status === 200 && text.includes('#EXTINF');
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return text;
}

test('an encoder is rejected before its first frame if its key is wrong, its room is unknown, or the platform does not respond', async () => {
  const room = await createLiveRoom(media);
  const withWrongKey = await startEncoder(`${media.rtmpUrl()}/${room.id.replaceAll('-', '')}_wrong`);
  const withUnknownRoom = await startEncoder(`${media.rtmpUrl()}/${randomUUID().replaceAll('-', '')}_wrong`);
  expect((await withWrongKey.ended).code).not.toBe(0);
  expect((await withUnknownRoom.ended).code).not.toBe(0);
  room.answer = null;
  const withoutResponse = await publish(room);
  expect((await withoutResponse.ended).code).not.toBe(0);
  expect(await room.state()).toMatchObject({ state: 'idle', session_id: null });
  expect((await media.call('GET', `/v1/sessions/${room.id}`)).status).toBe(404);
});

test('a live stream is played over signed addresses, with low latency and with normal latency', async () => {
  const low = await createLiveRoom(media);
  const normal = await createLiveRoom(media, { latency_mode: 'normal' });
  await Promise.all([publish(low), publish(normal)]);
  await low.waitForState({ state: 'live' });
  await normal.waitForState({ state: 'live' });
  const [base, other] = [await low.play(), await normal.play()];
  const text = await waitForPlaylist(base);
  expect(text).toMatch(/#EXT-X-PART:DURATION=0\.\d+,URI="\d+\.0\.m4s",INDEPENDENT=YES/);
  expect(text).toMatch(/#EXT-X-PRELOAD-HINT:TYPE=PART,URI="\d+\.\d+\.m4s"/);
  expect(text).toMatch(/#EXT-X-PROGRAM-DATE-TIME:20/);
  const plain = await waitForPlaylist(other);
  expect(plain).not.toMatch(/EXT-X-PART/);
  expect(await countFrames(`${base}/live/master.m3u8`)).toBe(50);
  expect(await countFrames(`${other}/live/master.m3u8`)).toBe(50);
  const master = await (await fetch(`${base}/live/master.m3u8`)).text();
  expect(master).toMatch(/CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2",RESOLUTION=320x180/);

  const state = await low.state();
  expect(state['input']).toMatchObject({ width: 320, height: 180, keyframe_seconds: 1, warnings: [] });
  expect(state).toMatchObject({ protocol: 'rtmp', viewers: 1, end_reason: null });
  const forged = playbackToken({ r: low.id, s: String(state['session_id']), v: randomUUID() }, 'another secret');
  for (const path of ['live/master.m3u8', 'live/source/index.m3u8', 'state', 'events'])
    expect((await fetch(`${media.url()}/play/${forged}/${path}`)).status).toBe(403);
});

test('a blocking reload waits for the next part, and rejects parts that are far in the future', async () => {
  const room = await createLiveRoom(media);
  await publish(room);
  await room.waitForState({ state: 'live' });
  const base = await room.play();
  const [, hinted = '', number = '', part = ''] =
    /HINT:TYPE=PART,URI="((\d+)\.(\d+)\.m4s)"/.exec(await waitForPlaylist(base)) ?? [];
  const [reloaded, bytes] = await Promise.all([
    fetch(`${base}/live/source/index.m3u8?_HLS_msn=${number}&_HLS_part=${part}`),
    fetch(`${base}/live/source/${hinted}`),
  ]);
  expect(reloaded.status).toBe(200);
  expect(await reloaded.text()).toContain(`URI="${hinted}"`);
  expect(Buffer.from(await bytes.arrayBuffer()).toString('latin1', 4, 8)).toBe('moof');
  expect((await fetch(`${base}/live/source/index.m3u8?_HLS_msn=${Number(number) + 50}`)).status).toBe(400);
  expect((await fetch(`${base}/live/source/index.m3u8?_HLS_msn=x`)).status).toBe(400);
  expect((await fetch(`${base}/live/source/..%2f..%2fstreams`)).status).toBe(404);
});

test('a second encoder is rejected while the first is connected', async () => {
  const room = await createLiveRoom(media);
  await publish(room);
  const { session_id: sessionId } = await room.waitForState({ state: 'live' });
  const second = await publish(room);
  expect((await second.ended).code).not.toBe(0);
  expect(await room.state()).toMatchObject({ state: 'live', session_id: sessionId });
});

test('an encoder that returns continues its session, and playback continues', async () => {
  const room = await createLiveRoom(media);
  const first = await publish(room);
  const { session_id: sessionId } = await room.waitForState({ state: 'live' });
  const base = await room.play();
  await waitForPlaylist(base);
  await first.stop();
  await room.waitForState({ state: 'reconnecting' });
  expect((await fetch(`${base}/live/master.m3u8`)).status).toBe(200);
  await publish(room, { source: 'testsrc2=size=640x360:rate=25' });
  expect(await room.waitForState({ state: 'live' })).toMatchObject({ session_id: sessionId, end_reason: null });
  // The encoder reconnected with another picture size.
  await expect
    .poll(async () => await (await fetch(`${base}/live/source/index.m3u8`)).text(), { timeout: 20_000 })
    .toContain('#EXT-X-DISCONTINUITY\n#EXT-X-MAP');
  expect(await countFrames(`${base}/live/master.m3u8`)).toBe(50);
});

test('when the platform ends a stream, its encoder and viewers are disconnected at once', async () => {
  const room = await createLiveRoom(media);
  const encoder = await publish(room);
  await room.waitForState({ state: 'live' });
  const base = await room.play();
  await waitForPlaylist(base);
  expect((await media.call('POST', `/v1/streams/${room.id}/end`, { reason: 'key-rotated' })).status).toBe(204);
  expect(await room.state()).toMatchObject({ state: 'idle', session_id: null, end_reason: 'key-rotated' });
  await encoder.ended;
  await expect.poll(async () => (await fetch(`${base}/live/master.m3u8`)).status).toBe(403);
  const ended = () =>
    media.platform.calls.find((call) => call['type'] === 'session.ended' && call['room_id'] === room.id);
  await expect.poll(ended).toMatchObject({ reason: 'key-rotated' });
});

test('viewers with an open event stream are notified when the stream ends', async () => {
  const room = await createLiveRoom(media);
  await publish(room);
  await room.waitForState({ state: 'live' });
  const response = await fetch(`${await room.play()}/events`);
  await media.call('DELETE', `/v1/sessions/${room.id}?reason=suspended`);
  const text = await response.text();
  expect(text).toContain('"state":"live"');
  expect(text).toContain('event: ended');
  expect(await room.state()).toMatchObject({ state: 'idle', end_reason: 'suspended' });
});

test('a stream above its maximum bitrate is reported with a warning, and ended after 30 s with the reason max-bitrate', async () => {
  await expect.poll(async () => (await aboveBitrate.state())['end_reason'], { timeout: 60_000 }).toBe('max-bitrate');
  const reports = media.platform.calls.filter(
    ({ type, stream }) => type === 'stream.changed' && (stream as { room_id: string }).room_id === aboveBitrate.id,
  );
  expect(JSON.stringify(reports)).toContain('bitrate-above-limit');
});

test('an encoder with too few key frames gets a warning with advice', async () => {
  const room = await createLiveRoom(media);
  await publish(room, { options: '-g 1000 -sc_threshold 0' });
  await expect
    .poll(async () => JSON.stringify((await room.state())['input']), { timeout: 20_000 })
    .toMatch(/keyframe-interval.*Set the keyframe interval to 2 s/);
});

test('an encoder with a codec that browsers do not play is disconnected', async () => {
  const room = await createLiveRoom(media);
  const encoder = await publish(room, { audio: '-c:a libmp3lame' });
  await encoder.ended;
  await expect.poll(async () => (await room.state())['end_reason']).toBe('audio-codec');
});

test('viewers can rewind within the window, which is stored on disk', async () => {
  const base = await rewindable.play();
  const count = async () =>
    (await (await fetch(`${base}/live/source/index.m3u8`)).text()).match(/#EXTINF/g)?.length ?? 0;
  // More segments than are kept in memory.
  await expect.poll(count, { timeout: 40_000 }).toBeGreaterThan(11);
  const [, first = ''] = /^(\d+)\.m4s$/m.exec(await waitForPlaylist(base)) ?? [];
  const segment = await fetch(`${base}/live/source/${first}.m4s`);
  expect(Buffer.from(await segment.arrayBuffer()).toString('latin1', 4, 8)).toBe('moof');
});

test('adaptive bit rate adds lower renditions', async () => {
  const room = await createLiveRoom(media, { ladder: [144] });
  await publish(room);
  await room.waitForState({ state: 'live' });
  const base = await room.play();
  await expect
    .poll(async () => await (await fetch(`${base}/live/master.m3u8`)).text(), { timeout: 20_000 })
    .toContain('RESOLUTION=256x144');
  await waitForPlaylist(base, '144');
  expect(await countFrames(`${base}/live/144/index.m3u8`, 25)).toBe(25);
});
