import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCaptions } from '../src/videos/captions.ts';
import { ffmpeg, makeClip, type MediaHarness, startMediaProcess } from './harness.ts';
import { createVideoCalls } from './video-calls.ts';

let media: MediaHarness;
let files: string;
const { prepare, upload, waitUntilProcessed, address } = createVideoCalls(() => media);

beforeAll(async () => {
  media = await startMediaProcess();
  files = await mkdtemp(join(tmpdir(), 'foyer-hostile-'));
});
afterAll(async () => {
  await media.close();
  await rm(files, { recursive: true, force: true });
});

/** The number of connections to the address that the uploaded files contain. */
let connections = 0;
let trapUrl = '';
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
beforeAll(async () => {
  trap.listen(0, '127.0.0.1');
  await once(trap, 'listening');
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
});
afterAll(() => void trap.close());

async function outcomeOf(bytes: Uint8Array): Promise<{ state: unknown; code: unknown }> {
  const { id } = await upload(bytes);
  const { state, failure } = await waitUntilProcessed(id);
  return { state, code: (failure as { code?: string } | null)?.code ?? null };
}

const unsupported = { state: 'failed', code: 'unsupported-format' };
const damaged = { state: 'failed', code: 'damaged' };

test.each([
  ['a playlist that names a file', (target: string) => `#EXTM3U\n#EXTINF:1,\nfile://${target}\n#EXT-X-ENDLIST\n`],
  ['a playlist that names an address', () => `#EXTM3U\n#EXTINF:1,\n${trapUrl}/x.ts\n#EXT-X-ENDLIST\n`],
  ['a concatenation list', (target: string) => `ffconcat version 1.0\nfile ${target}\n`],
  ['a concatenation list that names an address', () => `ffconcat version 1.0\nfile ${trapUrl}/x.mp4\n`],
  ['an SVG image', () => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${trapUrl}/x.png"/></svg>`],
  ['a text file', () => 'not a video'],
  ['random bytes', () => Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251))],
])(
  '%s is rejected, even if the file that it names exists, and the server connects to no address',
  async (_kind, content) => {
    await makeClip(files, { name: 'target.mp4', seconds: 1 });
    expect(await outcomeOf(Buffer.from(content(join(files, 'target.mp4'))))).toEqual(unsupported);
    expect(connections).toBe(0);
  },
);

test('a file without its index is rejected', async () => {
  const bytes = await makeClip(files);
  expect(await outcomeOf(bytes.subarray(0, bytes.length / 2))).toEqual(unsupported);
});

test('a truncated file is detected, although its header has the full length', async () => {
  const bytes = await makeClip(files, { options: '-movflags +faststart' });
  expect(await outcomeOf(bytes.subarray(0, Math.floor(bytes.length * 0.4)))).toEqual(damaged);
});

test('a truncated file is rejected, even in a format without a frame count', async () => {
  const bytes = await makeClip(files, { name: 'cut.mkv', seconds: 8 });
  expect(await outcomeOf(bytes.subarray(0, Math.floor(bytes.length * 0.4)))).toEqual(damaged);
});

test('a damaged picture causes a failure, not a broken video', async () => {
  // Browsers do not play this pixel format, so the server has to decode the picture.
  const path = join(files, 'damaged.mp4');
  await ffmpeg('-f lavfi -i testsrc2=size=320x180:rate=25 -t 2 -c:v libx264 -pix_fmt yuv444p', path);
  const bytes = await readFile(path);
  for (let position = Math.floor(bytes.length / 3); position < bytes.length / 2; position += 97)
    bytes[position] = (bytes[position] ?? 0) ^ 0xff;
  expect(await outcomeOf(bytes)).toEqual(damaged);
});

test('a picture that is too large is rejected before it is decoded', async () => {
  const path = join(files, 'large.mkv');
  await ffmpeg('-f lavfi -i color=size=8200x4400:rate=1 -frames:v 1 -c:v mjpeg -q:v 31', path);
  expect(await outcomeOf(await readFile(path))).toEqual({ state: 'failed', code: 'too-large-picture' });
});

test('a clip of a hundred hours is rejected', async () => {
  const path = join(files, 'long.mkv');
  await ffmpeg('-f lavfi -i color=size=64x64:rate=1:duration=40 -vf setpts=PTS*9000 -vsync vfr -c:v mjpeg', path);
  expect(await outcomeOf(await readFile(path))).toEqual({ state: 'failed', code: 'too-long' });
});

test.each([
  ['a file with sound only', '-f lavfi -i sine=frequency=440:duration=2 -c:a aac', 'sound.m4a'],
  [
    'a file with pictures only',
    '-f lavfi -i testsrc2=size=320x180:rate=25:duration=2 -c:v libvpx -b:v 300k',
    'pictures.webm',
  ],
])('%s can be played', async (_case, options, name) => {
  const path = join(files, name);
  await ffmpeg(options, path);
  expect(await outcomeOf(await readFile(path))).toEqual({ state: 'ready', code: null });
});

test('compressed captions are not decompressed', async () => {
  const { id } = await prepare(10);
  const bomb = gzipSync(Buffer.from(`WEBVTT\n\n00:01.000 --> 00:02.000\n${'x'.repeat(50_000_000)}\n`));
  const path = `/v1/videos/${id}/captions/en`;
  for (const type of ['text/vtt', 'application/x-subrip', 'application/gzip'])
    expect((await media.call('PUT', path, bomb, { type })).status).toBe(422);
});

test('names that contain paths give no access to other files', async () => {
  const clip = await makeClip(files, { seconds: 1 });
  const video = await upload(clip);
  const other = await upload(clip);
  for (const { id } of [video, other]) expect(await waitUntilProcessed(id)).toMatchObject({ state: 'ready' });
  const captions = Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nx\n');
  for (const language of ['..%2F..%2Fx', '..', 'en%00', '%2e%2e%2fen', 'en%2F..%2Fx', '.'])
    expect((await media.call('PUT', `/v1/videos/${video.id}/captions/${language}`, captions)).status).not.toBe(200);
  for (const id of ['..', '..%2F..%2Fetc', `${video.id}%2F..%2F${other.id}`])
    expect((await media.call('GET', `/v1/videos/${id}`)).status).not.toBe(200);
  const base = new URL(await address(video, ['play', 'download']));
  const read = async (name: string) =>
    await new Promise<number | undefined>((resolve, reject) => {
      // Unlike `fetch`, it sends the path as it is.
      const request = get({ host: base.hostname, port: base.port, path: `${base.pathname}/${name}` });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
  expect(await read('180/index.m3u8')).toBe(200);
  for (const name of ['video.json', 'source', '../video.json', '180/../video.json', '180/..%2Fvideo.json'])
    expect([name, await read(name)]).toEqual([name, 404]);
  for (const name of [
    `../${other.id}/180/index.m3u8`,
    '..%2F..%2F..%2Fstreams',
    '/etc/passwd',
    'captions/..%2Fvideo.vtt',
  ])
    expect([name, await read(name)]).toEqual([name, 404]);
});

test('cues of a SubRip file are separate, also if the lines between them contain spaces', () => {
  const subRip = '1\r\n00:00:01,000 --> 00:00:02,000\r\nOne\r\n \t\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nTwo\r\n';
  expect(readCaptions('application/x-subrip', Buffer.from(subRip))).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nOne\n\n00:00:03.000 --> 00:00:04.000\nTwo\n',
  );
});

test('captions and posters that are too large or of another type are rejected', async () => {
  const { id } = await prepare(10);
  const put = async (bytes: Buffer) =>
    (await media.call('PUT', `/v1/videos/${id}/captions/en`, bytes, { type: 'text/vtt' })).status;
  expect(await put(Buffer.from(`WEBVTT\n\n${'x'.repeat(3_000_000)}`))).toBe(413);
  const cue = '00:01.000 --> 00:02.000\nx\n\n';
  expect(await put(Buffer.from(`WEBVTT\n\n${cue.repeat(30_000)}`))).toBe(422);
  const poster = async (bytes: Buffer, type: string) =>
    (await media.call('PUT', `/v1/videos/${id}/poster`, bytes, { type })).status;
  expect(await poster(Buffer.from('<svg/>'), 'image/svg+xml')).toBe(415);
  expect(await poster(Buffer.from('GIF89a'), 'image/png')).toBe(422);
  const picture = join(files, 'poster.png');
  await ffmpeg('-f lavfi -i color=size=64x64 -frames:v 1', picture);
  expect(await poster(await readFile(picture), 'image/png')).toBe(200);
  await ffmpeg('-f lavfi -i color=size=8200x4400 -frames:v 1 -pred none', picture);
  expect(await poster(await readFile(picture), 'image/png')).toBe(422);
});
