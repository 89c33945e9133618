import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, makeClip, startMediaProcess } from './harness.ts';
import { tusHeaders, createVideoCalls } from './video-calls.ts';

let media: MediaHarness;
let clips: string;
const { prepare, send, waitUntilProcessed, stateOf, address } = createVideoCalls(() => media);

beforeAll(async () => {
  media = await startMediaProcess();
  clips = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
});
afterAll(async () => {
  await media.close();
  await rm(clips, { recursive: true, force: true });
});

const methods = ['HEAD', 'PATCH', 'POST', 'OPTIONS'];

async function offsetAt(url: string): Promise<number> {
  const response = await fetch(url, { method: 'HEAD', headers: tusHeaders });
  expect(response.status).toBe(200);
  return Number(response.headers.get('upload-offset'));
}

/** Announces all bytes, sends the first of them and closes the connection once they have arrived. */
async function sendAndAbort(url: string, bytes: Buffer, count: number): Promise<void> {
  const headers = { ...tusHeaders, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  const sent = request(url, { method: 'PATCH', headers: { ...headers, 'content-length': bytes.length } });
  sent.on('error', () => {});
  sent.write(bytes.subarray(0, count));
  const id = new URL(url).pathname.split('/')[2]?.split('.')[0] ?? '';
  await expect.poll(async () => (await stateOf(id))['received_bytes']).toBe(count);
  sent.destroy();
}

test('an upload continues after a lost connection and after a crash, without losing a byte', async () => {
  const bytes = await makeClip(clips);
  const prepared = await prepare(bytes.length);
  const { id, url } = prepared;
  const [third, half] = [Math.floor(bytes.length / 3), Math.floor(bytes.length / 2)];
  await sendAndAbort(url, bytes, third);
  expect(await offsetAt(url)).toBe(third);
  expect((await send(url, bytes.subarray(0, 10), 0)).status).toBe(409);
  const urlAfterRestart = () => `${media.url()}${new URL(url).pathname}`;
  const pendingRequest = request(urlAfterRestart(), {
    method: 'PATCH',
    headers: {
      ...tusHeaders,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(third),
      'content-length': bytes.length - third,
    },
  });
  pendingRequest.on('error', () => {});
  pendingRequest.write(bytes.subarray(third, half));
  await expect.poll(async () => (await stateOf(id))['received_bytes']).toBe(half);
  await media.restart();
  expect(await stateOf(id)).toMatchObject({ state: 'uploading', received_bytes: half });
  expect(await offsetAt(urlAfterRestart())).toBe(half);
  expect((await send(urlAfterRestart(), bytes.subarray(half), half)).status).toBe(204);
  expect(await waitUntilProcessed(id)).toMatchObject({ state: 'ready', failure: null });
  const download = await fetch(`${await address(prepared, ['play', 'download'])}/download`);
  const sha = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  expect(sha(Buffer.from(await download.arrayBuffer()))).toBe(sha(bytes));
  // The upload stays complete.
  expect(await offsetAt(urlAfterRestart())).toBe(bytes.length);
  expect((await send(urlAfterRestart(), bytes, 0)).status).toBe(409);
});

test('a forged upload address is rejected for every method, and pages of other sites can read why', async () => {
  const { url } = await prepare(100);
  const { url: foreign } = await prepare(100);
  const [, mac = ''] = /\.([\w-]+)$/.exec(foreign) ?? [];
  for (const forged of [url.replace('.100.', '.1000.'), url.replace(/\.[\w-]+$/, `.${mac}`)]) {
    for (const method of methods) {
      const response = await fetch(forged, { method, headers: tusHeaders });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, '*']);
    }
  }
  expect((await fetch(url, { method: 'DELETE', headers: tusHeaders })).status).toBe(405);
});

test('an expired upload address is rejected for every method', async () => {
  const { url } = await prepare(100, { expires_at_ms: Date.now() - 1 });
  for (const method of methods) expect((await fetch(url, { method, headers: tusHeaders })).status).toBe(410);
});

test('an upload whose client never stops sending ends when its video is deleted', async () => {
  const { id, url } = await prepare(1000);
  const sent = request(url, {
    method: 'PATCH',
    headers: { ...tusHeaders, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  });
  const closed = new Promise((resolve) => sent.on('close', resolve).on('error', () => {}));
  sent.write('x');
  await expect.poll(() => readdir(join(media.directory, 'uploads'))).toContain(id);
  expect((await media.call('DELETE', `/v1/videos/${id}`)).status).toBe(204);
  await closed;
  expect((await readdir(join(media.directory, 'uploads'))).filter((name) => name.startsWith(id))).toEqual([]);
  expect((await fetch(url, { method: 'HEAD', headers: tusHeaders })).status).toBe(404);
});

test('an upload accepts no more bytes than were announced', async () => {
  const { url } = await prepare(100);
  const post = async (length: string) =>
    await fetch(url, { method: 'POST', headers: { ...tusHeaders, 'upload-length': length } });
  expect((await post('99')).status).toBe(422);
  const created = await post('100');
  expect([created.status, created.headers.get('location')]).toEqual([201, new URL(url).pathname]);
  expect((await send(url, Buffer.alloc(101))).status).toBe(413);
  expect(await offsetAt(url)).toBe(0);
});

test('an upload of another size under the id of a video is rejected', async () => {
  const { id, roomId } = await prepare(100);
  const prepareAgain = async (size: unknown) =>
    await media.call('PUT', `/v1/videos/${id}`, {
      room_id: roomId,
      size_bytes: size,
      callback_url: media.platform.url,
      expires_at_ms: Date.now() + 1000,
    });
  expect((await prepareAgain(100)).status).toBe(200);
  expect((await prepareAgain(101)).status).toBe(409);
  for (const size of [0, -1, 1.5, '100', null]) expect((await prepareAgain(size)).status).toBe(422);
});

test('if the disk is almost full, new videos are rejected with a reason, and existing ones are kept', async () => {
  const full = await startMediaProcess({ FOYER_MEDIA_DISK_RESERVE_GB: '100000' });
  try {
    const { status, json } = await full.call('PUT', `/v1/videos/${randomUUID()}`, {
      room_id: randomUUID(),
      size_bytes: 10,
      callback_url: full.platform.url,
      expires_at_ms: Date.now() + 3_600_000,
    });
    expect([status, (json['error'] as { code: string }).code]).toEqual([507, 'disk-full']);
    expect((await full.call('GET', '/v1/videos')).json).toEqual({ videos: [] });
    expect((await full.call('GET', '/v1/server')).json['problem']).toMatch(/disk/);
  } finally {
    await full.close();
  }
});
