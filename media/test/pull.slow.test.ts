import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { locatePrograms } from '../src/ffmpeg/locate.ts';
import { type Certificate, createCertificate } from './certificate.ts';
import { type MediaHarness, probeUrl, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Json, type LiveRoom, startEncoder } from './live-harness.ts';
import { type Source, startHlsSource, startRtmpSource, startRtspSource, startSrtSource } from './sources.ts';

let media: MediaHarness;
let directory: string;
/** The media server trusts only the first one. */
let [trusted, untrusted] = [] as unknown as [Certificate, Certificate];
const running: Source[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'foyer-certificates-'));
  const create = async (name: string) => {
    await mkdir(join(directory, name));
    return await createCertificate(join(directory, name));
  };
  [trusted, untrusted] = [await create('trusted'), await create('untrusted')];
  media = await startMediaProcess({ NODE_EXTRA_CA_CERTS: trusted.cert });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(async (source) => await source.close()));
});
afterAll(async () => {
  await media.close();
  await rm(directory, { recursive: true });
});

async function closeAfterTest(source: Promise<Source>): Promise<Source> {
  running.push(await source);
  return await source;
}

/** Creates a room that pulls the source. */
async function pull(url: string, changes: Json = {}): Promise<LiveRoom> {
  return await createLiveRoom(media, { source: { url }, ...changes });
}

/** The ffmpeg of the npm package cannot read SRT. */
const isPackaged = (await locatePrograms({ ffmpegPath: null, ffprobePath: null })).ffmpeg.source === 'npm';
const protocols = [
  ['RTSP', startRtspSource],
  ['HLS over https', () => startHlsSource(trusted)],
  ...(isPackaged ? [] : ([['SRT', startSrtSource]] as const)),
] as const;

test.for(protocols)('a stream is pulled by %s, and viewers see it', async ([, startSource]) => {
  const source = await closeAfterTest(startSource());
  const room = await pull(source.url);
  await expect
    .poll(async () => await room.state(), { timeout: 30_000 })
    .toMatchObject({ state: 'live', protocol: 'pull', input: { width: 320, height: 180 } });
  const address = `${await room.play()}/live/source/index.m3u8`;
  await expect.poll(async () => await (await fetch(address)).text(), { timeout: 20_000 }).toContain('#EXTINF');
  const { streams } = await probeUrl(address);
  expect(streams.map((stream) => stream.codec_type).toSorted()).toEqual(['audio', 'video']);
});

const expectSourceError = async (room: LiveRoom, error: unknown) =>
  await expect.poll(async () => await room.state(), { timeout: 20_000 }).toMatchObject({ source_error: error });

test('neither playlists nor segments are fetched from a source with an untrusted certificate, and the stream reports the error', async () => {
  let requests = 0;
  const source = await closeAfterTest(startHlsSource(untrusted, () => (requests++, null)));
  const room = await pull(source.url);
  await expectSourceError(room, 'The certificate of the source is not trusted.');
  expect(await room.state()).toMatchObject({ state: 'idle', session_id: null });
  const segment = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${new URL('/0.ts', source.url).href}\n#EXT-X-ENDLIST\n`;
  const other = await pull((await closeAfterTest(startHlsSource(trusted, () => ({ text: segment })))).url);
  await expectSourceError(other, 'The certificate of the source is not trusted.');
  expect(requests).toBe(0);
});

test('the stream reports why its source cannot be fetched, until the source is removed or can be fetched', async () => {
  const source = await closeAfterTest(
    startHlsSource(trusted, (path) => (path.startsWith('/empty') ? { text: '' } : null)),
  );
  const room = await pull(source.url.replace('index', 'empty/index'));
  await expectSourceError(room, 'The source does not send a readable stream.');
  const absent = await pull('rtmp://127.0.0.1:9/live/nothing');
  await expectSourceError(absent, 'The source refuses connections.');
  expect(await absent.state()).toMatchObject({ source_error_code: 'connection-refused' });
  await media.call('PUT', `/v1/streams/${absent.id}`, absent.plan);
  const answer = room.answer ?? {};
  room.answer = { allow: false, code: 'stream-minutes-used-up', message: 'The stream minutes are used up.' };
  await media.call('PUT', `/v1/streams/${room.id}`, { ...room.plan, source: { url: source.url } });
  await expectSourceError(room, 'The stream minutes are used up.');
  room.answer = answer;
  await expectSourceError(room, null);
  expect(await room.state()).toMatchObject({ state: 'live' });
  await media.call('PUT', `/v1/streams/${absent.id}`, { ...absent.plan, source: null });
  await expectSourceError(absent, null);
});

test('a private source is disconnected when private addresses are no longer allowed', async () => {
  const source = await closeAfterTest(startRtmpSource());
  const room = await pull(source.url);
  await expect.poll(async () => await room.state(), { timeout: 20_000 }).toMatchObject({ state: 'live' });
  await media.call('PUT', `/v1/streams/${room.id}`, { ...room.plan, allow_private_addresses: false });
  await expect
    .poll(async () => await room.state(), { timeout: 20_000 })
    .toMatchObject({ state: 'reconnecting', source_error_code: 'private-address' });
});

test('a session ends at once when its source is removed, and one of an encoder continues', async () => {
  const source = await closeAfterTest(startRtmpSource());
  const room = await pull(source.url);
  await expect.poll(async () => await room.state(), { timeout: 20_000 }).toMatchObject({ state: 'live' });
  const { json } = await media.call('PUT', `/v1/streams/${room.id}`, { ...room.plan, source: null });
  expect(json).toMatchObject({ state: 'idle', session_id: null, end_reason: 'source-removed' });
  const other = await createLiveRoom(media);
  const encoder = await startEncoder(`${media.rtmpUrl()}/${other.key}`);
  onTestFinished(async () => await encoder.stop());
  await other.waitForState({ state: 'live' });
  for (const url of ['rtmp://127.0.0.1:9/live/nothing', null])
    await media.call('PUT', `/v1/streams/${other.id}`, { ...other.plan, source: url === null ? null : { url } });
  expect(await other.state()).toMatchObject({ state: 'live', protocol: 'rtmp' });
});

/** Counts connections and datagrams to a port of 127.0.0.1. */
async function openTrap(): Promise<{ readonly port: number; readonly count: () => number }> {
  let count = 0;
  const trap = createServer((socket) => {
    count += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  const { port } = trap.address() as AddressInfo;
  const udp = createSocket('udp4', () => (count += 1)).bind(port, '127.0.0.1');
  await once(udp, 'listening');
  onTestFinished(() => {
    trap.close();
    udp.close();
  });
  return { port, count: () => count };
}

test('a host name that resolves to a public address first and to a private one later is not connected', async () => {
  const trap = await openTrap();
  // This address range is not assigned, so that no other server gets a connection.
  const unassigned = '2e00::1';
  const protocols = ['rtmp', 'rtmps', 'rtsp', 'srt', 'https'];
  const hosts = [...protocols, 'output'].map((name) => `${name}.example.com`);
  await media.setHosts(Object.fromEntries(hosts.map((host) => [host, [unassigned, '127.0.0.1']])));
  const denied = { allow_private_addresses: false };
  for (const protocol of protocols)
    await pull(`${protocol}://${protocol}.example.com:${trap.port}/live/x.m3u8`, denied);
  const output = {
    id: randomUUID(),
    url: `rtmp://output.example.com:${trap.port}/live`,
    stream_key: 'k',
    enabled: true,
  };
  const room = await createLiveRoom(media, { ...denied, service_type: 'simulcast', outputs: [output] });
  const encoder = await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  onTestFinished(async () => await encoder.stop());

  // The media server resolved each name at least twice, and got both addresses.
  for (const host of hosts)
    await expect
      .poll(() => media.lookupsOf(host), { timeout: 40_000 })
      .toEqual(expect.arrayContaining([unassigned, '127.0.0.1']));
  await expect.poll(async () => await room.state()).toMatchObject({ outputs: [{ state: 'failed', bytes_sent: 0 }] });
  expect(trap.count()).toBe(0);
});

test('a source cannot make the server read files, use other protocols or follow an RTSP redirect', async () => {
  const trap = await openTrap();
  const segment = (address: string) => ({
    text: `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${address}\n#EXTINF:2,\n${address}\n`,
  });
  let requests = 0;
  const answers = [
    segment(`http://127.0.0.1:${trap.port}/0.ts`),
    segment(`rtmp://127.0.0.1:${trap.port}/live`),
    segment('file:///etc/passwd'),
    segment(`concat:file:///etc/passwd|https://127.0.0.1:${trap.port}/`),
    { redirect: `http://127.0.0.1:${trap.port}/index.m3u8` },
  ];
  for (const answer of answers) {
    const source = await closeAfterTest(startHlsSource(trusted, () => (requests++, answer)));
    await pull(source.url);
  }
  const camera = await closeAfterTest(startRtspSource({ redirect: `rtsp://127.0.0.1:${trap.port}/camera` }));
  await pull(camera.url);
  await expect.poll(() => requests).toBeGreaterThanOrEqual(2 * answers.length);
  expect(trap.count()).toBe(0);
});

test.for(['http://example.com/x.m3u8', 'udp://example.com:1', 'file:///etc/passwd', 'concat:https://example.com'])(
  'the source %s is rejected',
  async (url) => {
    const room = await createLiveRoom(media);
    const { status } = await media.call('PUT', `/v1/streams/${room.id}`, { ...room.plan, source: { url } });
    expect(status).toBe(422);
  },
);

test('a stream is pulled from a source after the platform has allowed it', async () => {
  const refused = await createLiveRoom(media);
  refused.answer = { allow: false, code: 'no', message: 'No.' };
  const allowed = await createLiveRoom(media);
  for (const room of [refused, allowed]) {
    const source = await closeAfterTest(startRtmpSource());
    const plan = { ...room.plan, source: { url: source.url } };
    if (room.answer?.['allow'] === true) room.answer = { ...room.answer, stream: plan };
    expect((await media.call('PUT', `/v1/streams/${room.id}`, plan)).status).toBe(200);
  }
  await expect
    .poll(async () => await allowed.state(), { timeout: 20_000 })
    .toMatchObject({ state: 'live', protocol: 'pull' });
  await expect
    .poll(() => media.platform.calls.some((call) => call['room_id'] === refused.id && call['protocol'] === 'pull'))
    .toBe(true);
  expect(await refused.state()).toMatchObject({ state: 'idle' });
});
