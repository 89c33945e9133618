import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Encoder, type Json, startEncoder } from './live-harness.ts';

let media: MediaHarness;
const encoders: Encoder[] = [];

beforeAll(async () => {
  media = await startMediaProcess();
});
afterAll(async () => {
  for (const encoder of encoders) await encoder.stop();
  await media.close();
});

async function recordingsOf(roomId: string): Promise<Json[]> {
  return (await media.call('GET', `/v1/recordings?room_id=${roomId}`)).json['recordings'] as Json[];
}

test('a recording survives a kill of the server, its session goes on, and the recording becomes a video', async () => {
  const room = await createLiveRoom(media, { record: true });
  encoders.push(await startEncoder(`${media.rtmpUrl()}/${room.key}`));
  await expect.poll(async () => (await room.state())['recording'], { timeout: 20_000 }).not.toBeNull();
  const { session_id: sessionId, recording } = (await room.state()) as { session_id: string; recording: Json };
  const id = String(recording['id']);
  await expect
    .poll(async () => (await media.call('GET', `/v1/recordings/${id}`)).json['duration_seconds'], { timeout: 20_000 })
    .toBeGreaterThan(2);
  expect((await media.call('DELETE', `/v1/recordings/${id}`)).status).toBe(409);

  await media.restart();
  expect(await room.state()).toMatchObject({ state: 'reconnecting', session_id: sessionId });
  await expect.poll(async () => (await recordingsOf(room.id))[0]?.['state'], { timeout: 20_000 }).toBe('ready');
  const [recorded] = await recordingsOf(room.id);
  expect(recorded).toMatchObject({ recording_id: id, session_id: sessionId });
  expect(Number(recorded?.['duration_seconds'])).toBeGreaterThan(2);

  encoders.push(await startEncoder(`${media.rtmpUrl()}/${room.key}`));
  await expect.poll(async () => (await room.state())['state'], { timeout: 20_000 }).toBe('live');
  expect(await room.state()).toMatchObject({ session_id: sessionId });

  const [videoId, roomId] = [randomUUID(), randomUUID()];
  const copy = { video_id: videoId, room_id: roomId, callback_url: media.platform.url };
  expect((await media.call('POST', `/v1/recordings/${id}/copy-to-video`, copy)).status).toBe(200);
  await expect
    .poll(async () => (await media.call('GET', `/v1/videos/${videoId}`)).json['state'], { timeout: 30_000 })
    .toBe('ready');
  expect((await media.call('GET', `/v1/videos/${videoId}`)).json).toMatchObject({ room_id: roomId, height: 180 });

  await media.call('DELETE', `/v1/sessions/${room.id}?reason=done`);
  await expect
    .poll(async () => (await recordingsOf(room.id)).map(({ state }) => state), { timeout: 20_000 })
    .toEqual(['ready', 'ready']);
  expect((await media.call('DELETE', `/v1/recordings/${id}`)).status).toBe(204);
  expect(await recordingsOf(room.id)).toHaveLength(1);
});
