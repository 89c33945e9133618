import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeClip, type MediaHarness, playbackToken, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Json, startEncoder, stopEncoders } from './live-harness.ts';

let media: MediaHarness;

beforeAll(async () => {
  media = await startMediaProcess();
});
afterAll(async () => {
  await stopEncoders();
  await media.close();
});

async function recordingsOf(roomId: string): Promise<Json[]> {
  return (await media.call('GET', `/v1/recordings?room_ids=${roomId}`)).json['recordings'] as Json[];
}

test('a recording survives a crash of the server, its session continues, and the recording becomes a video', async () => {
  const room = await createLiveRoom(media, { record: true });
  await startEncoder(`${media.rtmpUrl()}/${room.key}`);
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

  await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  expect(await room.waitForState({ state: 'live' })).toMatchObject({ session_id: sessionId });

  const size = Number(recorded?.['size_bytes']);
  const address = (rights: readonly string[], recordingId = id) =>
    `${media.url()}/play/${playbackToken({ r: room.id, c: recordingId, k: rights })}/recordings/${id}/recording.mp4`;
  const part = await fetch(address(['recording']), { headers: { range: 'bytes=4-7' } });
  expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
  expect((await fetch(address(['recording'], randomUUID()))).status).toBe(404);
  // A playback token of a recording gives no access to the live stream.
  const state = await fetch(address(['play']).replace(/recordings.*$/, 'state'));
  expect(state.status).toBe(403);

  const labels = { name: 'Concert', 'label-town': 'Ulm' };
  await media.call('PUT', `/v1/recordings/${id}`, { published: false, labels });
  await media.call('PUT', `/v1/recordings/${id}`, { labels: { 'label-town': '' } });
  expect((await media.call('GET', `/v1/recordings?ids=${id}`)).json['recordings']).toMatchObject([
    { published: false, labels: { name: 'Concert' } },
  ]);
  expect((await fetch(address(['recording']))).status).toBe(404);

  const [videoId, roomId] = [randomUUID(), randomUUID()];
  const copy = {
    room_id: roomId,
    size_bytes: size,
    callback_url: media.platform.url,
    expires_at_ms: Date.now() + 3_600_000,
    source_url: address(['copy']),
  };
  const copied = await media.call('POST', `/v1/videos/${videoId}/copy`, copy);
  expect([copied.status, copied.json['state']]).toEqual([200, 'awaiting-upload']);
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

test('a copy continues at its last byte after a crash of the server, and fails if its source is missing or has another size', async () => {
  const bytes = Buffer.concat([await makeClip(media.directory), randomBytes(2_000_000)]);
  const ranges: (string | undefined)[] = [];
  let isFirstRequest = true;
  const source = createServer(({ headers: { range }, url }, response) => {
    ranges.push(range);
    if (url !== '/file') return void response.writeHead(404).end();
    const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1]);
    response.writeHead(206, { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
    if (!isFirstRequest) return void response.end(bytes.subarray(from));
    isFirstRequest = false;
    // The first request gets only a part, and its connection stays open.
    response.write(bytes.subarray(0, 1_000_000));
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  onTestFinished(async () => {
    source.closeAllConnections();
    await new Promise((resolve) => source.close(resolve));
  });
  const start = async (path: string, size = bytes.length) => {
    const id = randomUUID();
    await media.call('POST', `/v1/videos/${id}/copy`, {
      room_id: randomUUID(),
      size_bytes: size,
      callback_url: media.platform.url,
      expires_at_ms: Date.now() + 3_600_000,
      source_url: `http://127.0.0.1:${(source.address() as AddressInfo).port}/${path}`,
    });
    return async () => (await media.call('GET', `/v1/videos/${id}`)).json;
  };
  const video = await start('file');
  await expect.poll(async () => (await video())['received_bytes'], { timeout: 10_000 }).toBeGreaterThan(900_000);
  await media.restart();
  await expect.poll(async () => (await video())['state'], { timeout: 30_000 }).toBe('ready');
  expect(ranges).toEqual(['bytes=0-', 'bytes=1000000-']);

  const withoutSource = await start('other');
  const withOtherSize = await start('file', 1000);
  for (const readVideo of [withoutSource, withOtherSize])
    await expect
      .poll(readVideo, { timeout: 10_000 })
      .toMatchObject({ state: 'failed', failure: { code: 'source-gone' }, stored_bytes: 0 });
});
