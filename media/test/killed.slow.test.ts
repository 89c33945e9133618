import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeClip, type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Encoder, startEncoder } from './live-harness.ts';
import { type Source, startRtspSource } from './sources.ts';
import { createVideoCalls } from './video-calls.ts';
import { type Broadcast, broadcast } from './whip-client.ts';

let media: MediaHarness;
let clips: string;
let clip: Buffer;
let encoder: Encoder;
let camera: Source;
let browser: Broadcast;

beforeAll(async () => {
  clips = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
  // Created before the encoders run, which would slow it down.
  clip = await makeClip(clips, { seconds: 12, size: '1280x720' });
  [media, camera] = await Promise.all([startMediaProcess(), startRtspSource()]);
});
afterAll(async () => {
  await Promise.all([encoder.stop(), camera.close(), browser.crash()]);
  await media.close();
  await rm(clips, { recursive: true });
});

/** All descendants of `parent`: their command lines by process id. */
async function programs(parent = media.pid()): Promise<Map<number, string>> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const pids = children.trim().split(' ').filter(Boolean).map(Number);
  const entries = await Promise.all(
    pids.map(async (pid) => [[pid, await commandOf(pid)] as const, ...(await programs(pid))]),
  );
  return new Map(entries.flat());
}

/** The command line of the process; empty if the process has ended. */
async function commandOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}

test('kill -9 of the media server leaves no ffmpeg behind', async () => {
  const live = await createLiveRoom(media, { ladder: [144] });
  encoder = await startEncoder(`${media.rtmpUrl()}/${live.key}`);
  const whip = await createLiveRoom(media);
  browser = await broadcast(`${media.url()}/whip/${whip.id}`, whip.key, { codec: 'vp8' });
  await createLiveRoom(media, { source: { url: camera.url } });
  await createVideoCalls(() => media).upload(clip);

  const ffmpegPatterns = [
    /^\S*ffmpeg .*-f flv -i pipe:0 /,
    /^\S*ffmpeg .*-f matroska /,
    /^\S*ffmpeg .*rtsp:/,
    /^\S*ffmpeg .*\.\.\/source /,
  ];
  const running = async () => {
    const commands = [...(await programs()).values()];
    return ffmpegPatterns.map((kind) => commands.some((command) => kind.test(command)));
  };
  await expect.poll(running, { timeout: 40_000, interval: 50 }).toEqual([true, true, true, true]);
  const pids = [...(await programs()).keys()];
  // Each ffmpeg also has a watchdog shell.
  expect(pids.length).toBeGreaterThan(ffmpegPatterns.length);
  await media.kill();
  await expect.poll(async () => (await Promise.all(pids.map(commandOf))).filter(Boolean)).toEqual([]);
});
