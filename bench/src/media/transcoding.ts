import { copyFile, mkdir, readFile, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Programs } from '../../../media/src/ffmpeg/locate.ts';
import { probeFile } from '../../../media/src/ffmpeg/probe.ts';
import { findIsolation } from '../../../media/src/ffmpeg/isolation.ts';
import { ladderCommand, planSprite, posterCommand, spriteCommand } from '../../../media/src/videos/commands.ts';
import { firstRung, ladderOf, type Rung } from '../../../media/src/videos/ladder.ts';
import { runFfmpeg } from './ffmpeg.ts';
import type { MediaServer } from './media-server.ts';
import { readFigures } from './process-figures.ts';

export interface TranscodingFigures {
  /** CPU of the media server and its ffmpeg per second of the video, from the upload to the last rendition. */
  readonly cpu: number;
  /** The time from the last byte of the upload, as `readySeconds`. */
  readonly playableSeconds: number;
  readonly readySeconds: number;
}

/** Each request costs the media server CPU time, which counts as transcoding. */
const pollMs = 100;

/** Uploads a clip and waits until all its renditions are finished. */
export async function transcode(media: MediaServer, clip: string, clipSeconds: number): Promise<TranscodingFigures> {
  const bytes = await readFile(clip);
  const videoId = randomUUID();
  const before = await media.figures();
  const { upload_url: uploadUrl } = await media.call('PUT', `/v1/videos/${videoId}`, {
    room_id: randomUUID(),
    size_bytes: bytes.length,
    callback_url: media.callbackUrl,
    expires_at_ms: Date.now() + 3_600_000,
  });
  const response = await fetch(String(uploadUrl), {
    method: 'PATCH',
    headers: { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    body: bytes,
  });
  if (response.status !== 204) throw new Error(`The upload was refused: ${await response.text()}`);
  const uploadedMs = performance.now();
  let playableMs: number | null = null;
  for (;;) {
    const { state, playable } = await media.call('GET', `/v1/videos/${videoId}`);
    if (playable === true) playableMs ??= performance.now();
    if (state === 'failed') throw new Error('The clip was not processed.');
    if (state === 'ready') break;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const readySeconds = (performance.now() - uploadedMs) / 1000;
  const after = await media.figures();
  return {
    cpu: (after.cpuSeconds - before.cpuSeconds) / clipSeconds,
    playableSeconds: ((playableMs ?? Number.NaN) - uploadedMs) / 1000,
    readySeconds,
  };
}

export interface ByHandFigures {
  /** CPU of the commands that the media server runs, per second of the video. */
  readonly sequence: number;
  /** CPU of all renditions in one run, without pictures. */
  readonly oneRun: number;
}

/** Runs the commands of the media server directly, without the media server. */
export async function transcodeByHand(
  programs: Programs,
  { clip, clipSeconds, folder }: { readonly clip: string; readonly clipSeconds: number; readonly folder: string },
): Promise<ByHandFigures> {
  const directory = join(folder, randomUUID());
  await mkdir(directory);
  await copyFile(clip, join(directory, 'source'));
  const probe = await probeFile(programs.ffprobe.path, 'source', {
    isolation: findIsolation(),
    directory,
    timeoutSeconds: 60,
  });
  const ladder = ladderOf(probe.video ?? { width: 0, height: 0 }, null);
  const first = firstRung(ladder);
  const sprite = planSprite(probe);
  if (!first || !sprite) throw new Error('The clip has no pictures.');
  const otherRungs = ladder.filter((rung) => rung !== first);
  const run = async (rungs: readonly Rung[], withSound: boolean) => {
    const output = join(directory, randomUUID());
    for (const name of [...rungs.map(({ height }) => String(height)), 'audio'])
      await mkdir(join(output, name), { recursive: true });
    await runFfmpeg(programs, ladderCommand('../source', probe, rungs, { withSound }), output);
  };
  const sequence = await measureCpu(async () => {
    await run([first], true);
    await runFfmpeg(programs, posterCommand('source', probe, 'poster.jpg'), directory);
    await runFfmpeg(programs, spriteCommand('source', sprite), directory);
    await run(otherRungs, false);
  });
  const oneRun = await measureCpu(() => run(ladder, true));
  return { sequence: sequence / clipSeconds, oneRun: oneRun / clipSeconds };
}

async function measureCpu(run: () => Promise<void>): Promise<number> {
  const before = await readFigures('self');
  await run();
  const after = await readFigures('self');
  return after.childSeconds - before.childSeconds;
}

export async function megabytes(path: string): Promise<number> {
  return (await stat(path)).size / 1e6;
}
