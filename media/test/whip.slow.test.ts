import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { locatePrograms } from '../src/ffmpeg/locate.ts';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, type LiveRoom, startEncoder } from './live-harness.ts';
import { type Broadcast, broadcast, type BroadcastOptions } from './whip-client.ts';

let media: MediaHarness;
const running: Broadcast[] = [];

beforeAll(async () => {
  media = await startMediaProcess({ FOYER_MEDIA_WEBRTC_PORTS: '41000-41099' });
});
afterAll(async () => {
  for (const one of running.splice(0)) await one.crash();
  await media.close();
});

async function publish(room: LiveRoom, options: BroadcastOptions = {}, key = room.key): Promise<Broadcast> {
  const started = await broadcast(`${media.url()}/whip/${room.id}`, key, options);
  running.push(started);
  return started;
}

async function countFrames(base: string): Promise<{ pictures: number; sounds: number }> {
  const playlist = async () => await (await fetch(`${base}/live/source/index.m3u8`)).text();
  await expect.poll(playlist, { timeout: 20_000 }).toContain('#EXTINF');
  const { path } = (await locatePrograms({ ffmpegPath: null, ffprobePath: null })).ffmpeg;
  const args = `-v error -nostdin -xerror -i ${base}/live/master.m3u8 -map 0:v -map 0:a -t 2 -f framemd5 -`.split(' ');
  const { stdout } = await promisify(execFile)(path, args, { timeout: 30_000 });
  return { pictures: stdout.match(/^0,/gm)?.length ?? 0, sounds: stdout.match(/^1,/gm)?.length ?? 0 };
}

const offerHead =
  'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n';
const offerMedia = 'a=fingerprint:sha-256 00:11\r\nm=video 9 UDP/TLS/RTP/SAVPF 98\r\n';
const offerVideo = `${offerMedia}a=rtpmap:98 H264/90000\r\n`;

async function post(room: LiveRoom, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${media.url()}/whip/${room.id}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/sdp', authorization: `Bearer ${room.key}`, ...headers },
  });
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test('the H.264 stream of a browser can be watched, also with lost packets', async () => {
  const room = await createLiveRoom(media, { record: true });
  const started = await publish(room, { dropEvery: 200 });
  expect(started).toMatchObject({ status: 201, location: expect.stringMatching(/^\/whip\/.+\/.+/) as string });
  expect(started.answer).toMatch(/^a=ice-lite/m);
  expect(started.answer).toMatch(/^a=candidate:.* 127\.0\.0\.1 41\d{3} typ host/m);
  await room.waitForState({ state: 'live' });
  const { pictures, sounds } = await countFrames(await room.play());
  expect(pictures).toBeGreaterThan(5);
  expect(sounds).toBeGreaterThan(20);
  await expect
    .poll(async () => (await room.state())['input'], { timeout: 20_000 })
    .toMatchObject({
      width: 320,
      height: 180,
      video_codec: expect.stringMatching(/^avc1/) as string,
      audio_codec: 'mp4a.40.2',
    });
  expect(await room.state()).toMatchObject({ protocol: 'whip', recording: { id: expect.any(String) as string } });
});

test('the VP8 stream of a browser is re-encoded and can be watched', async () => {
  const room = await createLiveRoom(media);
  await publish(room, { codec: 'vp8' });
  await room.waitForState({ state: 'live' });
  const { pictures, sounds } = await countFrames(await room.play());
  expect(pictures).toBeGreaterThan(5);
  expect(sounds).toBeGreaterThan(20);
});

test('an ended WebRTC broadcast closes its connection, and a new one continues the session with another picture size', async () => {
  const room = await createLiveRoom(media);
  const first = await publish(room);
  const { session_id: sessionId } = await room.waitForState({ state: 'live' });
  await countFrames(await room.play());
  const resource = `${media.url()}${first.location}`;
  const other = await fetch(resource.replace(/[^/]+$/, randomUUID()), { method: 'DELETE' });
  expect(other.status).toBe(404);
  expect((await fetch(resource, { method: 'DELETE' })).status).toBe(200);
  await room.waitForState({ state: 'reconnecting' });
  expect((await fetch(resource, { method: 'DELETE' })).status).toBe(404);
  await publish(room, { size: '480x270' });
  expect((await room.waitForState({ state: 'live' }))['session_id']).toBe(sessionId);
  await expect
    .poll(async () => (await room.state())['input'], { timeout: 20_000 })
    .toMatchObject({ width: 480, height: 270 });
});

test('if the connection to the browser is lost, the stream waits for it to reconnect', async () => {
  const room = await createLiveRoom(media);
  const first = await publish(room);
  await room.waitForState({ state: 'live' });
  await first.crash();
  running.splice(running.indexOf(first), 1);
  await room.waitForState({ state: 'reconnecting' });
});

test('a wrong key, a missing key and a platform that does not respond are rejected, each with its reason', async () => {
  const room = await createLiveRoom(media);
  const other = await createLiveRoom(media);
  const reason = async (key: string) => {
    const { status, answer } = await publish(room, {}, key);
    return [status, (JSON.parse(answer) as { error: { code: string } }).error.code];
  };
  expect(await reason(`${room.key}x`)).toEqual([401, 'stream-key-wrong']);
  expect(await reason(other.key)).toEqual([401, 'stream-key-wrong']);
  expect(await post(room, 'v=0', { authorization: '' })).toEqual([401, 'stream-key-wrong']);
  room.answer = null;
  expect(await reason(room.key)).toEqual([503, 'platform-unavailable']);
  room.answer = { allow: false, code: 'stream-minutes-used-up', message: 'The minutes are used up.' };
  expect(await reason(room.key)).toEqual([403, 'stream-minutes-used-up']);
  expect(await room.state()).toMatchObject({ state: 'idle', session_id: null });
});

test('an encoder that keeps trying causes few requests to the platform, and is accepted within seconds once it is allowed to broadcast', async () => {
  const refused = await createLiveRoom(media);
  const attempts = async (room: LiveRoom, keyOf: (attempt: number) => string) => {
    const callCount = media.platform.calls.length;
    const reasons = [];
    for (let attempt = 0; attempt < 20; attempt += 1)
      reasons.push(await post(room, `${offerHead}${offerVideo}`, { authorization: `Bearer ${keyOf(attempt)}` }));
    const isOfRoom = ({ room_id: id }: { readonly room_id?: unknown }) => id === room.id;
    return { reasons, requests: media.platform.calls.slice(callCount).filter(isOfRoom).length };
  };
  const { answer } = refused;
  refused.answer = { allow: false, code: 'stream-minutes-used-up', message: 'The minutes are used up.' };
  const { reasons, requests } = await attempts(refused, () => refused.key);
  expect(new Set(reasons.map(String))).toEqual(new Set(['403,stream-minutes-used-up']));
  expect(requests).toBeLessThan(20);
  refused.answer = answer;

  const guessed = await createLiveRoom(media);
  const guesses = await attempts(guessed, (attempt) => `${guessed.key}${attempt}`);
  expect(new Set(guesses.reasons.map(String))).toEqual(new Set(['401,stream-key-wrong', '429,too-many-attempts']));
  expect(guesses.requests).toBeLessThan(20);

  await media.advance(3);
  for (const room of [refused, guessed]) expect(await publish(room)).toMatchObject({ status: 201 });
});

test('only one browser or RTMP encoder can be live with a key at a time', async () => {
  const room = await createLiveRoom(media);
  await publish(room);
  await room.waitForState({ state: 'live' });
  expect(await publish(room)).toMatchObject({ status: 409 });
  const encoder = await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  expect((await encoder.ended).code).not.toBe(0);
  expect(await room.state()).toMatchObject({ state: 'live', protocol: 'whip' });
});

test('an offer that is damaged, huge, without a usable codec or of another type is rejected without a request to the platform', async () => {
  const room = await createLiveRoom(media);
  const callCount = media.platform.calls.length;
  expect(await post(room, 'hello')).toEqual([400, 'offer-damaged']);
  expect(await post(room, offerHead)).toEqual([400, 'offer-damaged']);
  expect(await post(room, `${offerHead}${offerMedia}a=rtpmap:98 AV1/90000\r\n`)).toEqual([422, 'video-codec']);
  expect(await post(room, `${offerHead}${offerMedia}${offerVideo}`)).toEqual([422, 'too-many-tracks']);
  expect(await post(room, 'v'.repeat(100_000))).toEqual([413, 'too-large']);
  expect(await post(room, offerHead, { 'content-type': 'application/json' })).toEqual([415, 'offer-damaged']);
  expect(media.platform.calls.slice(callCount).filter(({ room_id: id }) => id === room.id)).toEqual([]);
});

test('an offer that cannot be answered leaves no broadcast behind', async () => {
  const room = await createLiveRoom(media);
  const [status] = await post(room, `${offerHead}${offerVideo}a=mid:\r\na=setup:nonsense\r\nm=audio x y z\r\n`);
  expect(status).toBe(400);
  expect((await room.state())['state']).not.toBe('live');
});

test('pages of every origin may broadcast, and trickled ICE candidates are rejected', async () => {
  const room = await createLiveRoom(media);
  const url = `${media.url()}/whip/${room.id}`;
  const preflight = await fetch(url, { method: 'OPTIONS' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  const patch = await fetch(`${url}/${randomUUID()}`, { method: 'PATCH', body: 'a=candidate:1' });
  expect(patch.status).toBe(405);
});
