import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Encoder, type Json, type LiveRoom, startEncoder, stopEncoders } from './live-harness.ts';

let media: MediaHarness;

beforeAll(async () => {
  media = await startMediaProcess();
});
afterAll(async () => {
  await stopEncoders();
  await media.close();
});

async function broadcast(changes: Json = {}): Promise<{ room: LiveRoom; encoder: Encoder; sessionId: string }> {
  const room = await createLiveRoom(media, changes);
  const encoder = await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  const { session_id: sessionId } = await room.waitForState({ state: 'live' });
  return { room, encoder, sessionId: String(sessionId) };
}

/** The reports to the platform about the room. */
function reportsOf({ id }: LiveRoom, type: string): Json[] {
  return media.platform.calls.filter(
    (call) => call['type'] === type && ((call['stream'] as Json | undefined) ?? call)['room_id'] === id,
  );
}

/** Advances the clock, and waits until the server has checked the stream: it reports every 10 s. */
async function advance(room: LiveRoom, seconds: number): Promise<void> {
  const { length } = reportsOf(room, 'stream.changed');
  await media.advance(seconds);
  await expect.poll(() => reportsOf(room, 'stream.changed').length).toBeGreaterThan(length);
}

async function expectEnd(room: LiveRoom, sessionId: string, reason: string): Promise<void> {
  await room.waitForState({ state: 'idle', session_id: null, end_reason: reason });
  await expect.poll(() => reportsOf(room, 'session.ended')).toMatchObject([{ session_id: sessionId, reason }]);
  await expect
    .poll(() => reportsOf(room, 'stream.changed').at(-1))
    .toMatchObject({ stream: { state: 'idle', end_reason: reason } });
}

test('a broadcast whose encoder does not return within 30 s ends, and the platform is notified', async () => {
  const { room, encoder, sessionId } = await broadcast();
  const base = await room.play();
  await encoder.stop();
  await room.waitForState({ state: 'reconnecting' });
  await advance(room, 25);
  expect(await room.state()).toMatchObject({ state: 'reconnecting', session_id: sessionId });
  await media.advance(5);
  await expectEnd(room, sessionId, 'encoder-left');
  expect((await fetch(`${base}/live/master.m3u8`)).status).toBe(403);
});

test('after a restart of the media server, a broadcast whose encoder does not return within 30 s ends', async () => {
  const { room, sessionId } = await broadcast();
  await media.restart();
  expect(await room.state()).toMatchObject({ state: 'reconnecting', session_id: sessionId });
  await media.advance(30);
  await expectEnd(room, sessionId, 'encoder-left');
});

test('the time before a broadcast starts does not count against max_duration', async () => {
  const room = await createLiveRoom(media, { max_duration_minutes: 1 });
  await room.play();
  await media.advance(50);
  await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  const sessionId = String((await room.waitForState({ state: 'live' }))['session_id']);
  await advance(room, 50);
  expect(await room.state()).toMatchObject({ state: 'live', session_id: sessionId });
  await media.advance(10);
  await expectEnd(room, sessionId, 'max-duration');
});

test('a broadcast ends after max_duration with the reason max-duration, and its encoder is disconnected', async () => {
  const { room, encoder, sessionId } = await broadcast({ max_duration_minutes: 1 });
  const unlimited = await broadcast();
  await advance(room, 50);
  expect(await room.state()).toMatchObject({ state: 'live', session_id: sessionId });
  await media.advance(10);
  await expectEnd(room, sessionId, 'max-duration');
  await encoder.ended;
  expect(await unlimited.room.state()).toMatchObject({ state: 'live', session_id: unlimited.sessionId });
});
