import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Callbacks } from '../callbacks.ts';
import type { Programs } from '../ffmpeg/locate.ts';
import { measureKeyFrameInterval, type Probe, probeFile, refuseLargePicture, UnusableFile } from '../ffmpeg/probe.ts';
import type { Isolation } from '../ffmpeg/isolation.ts';
import { type Confinement, runConfined } from '../ffmpeg/run.ts';
import { requireWholeFiles } from '../ffmpeg/whole-files.ts';
import {
  ladderCommand,
  planSprite,
  posterCommand,
  remuxCommand,
  soundOnlyCommand,
  spriteCommand,
  spriteTrack,
} from './commands.ts';
import { type Disk, saysDiskFull } from '../storage/disk.ts';
import { canRemux, firstRung, hasEnoughKeyFrames, ladderOf, type Rung } from './ladder.ts';
import { measureRendition, playlistSeconds } from './playlists.ts';
import type { Rendition, VideoRecord } from './video.ts';
import type { VideoStore } from './video-store.ts';

export interface Processing {
  readonly programs: Programs;
  readonly isolation: Isolation;
  readonly callbacks: Callbacks;
  readonly videos: VideoStore;
  readonly disk: Disk;
}

/**
 * Each run writes to its own work directory, and finished files are moved from there. ffmpeg ends shortly after a killed
 * process, and must not write into the files of the next run.
 */
const workPrefix = 'work-';
/** The uploaded file, relative to a work directory. */
const source = '../source';

/**
 * Makes a video playable: first one rendition, then the others in one pass. Finished files of an earlier run are kept.
 * @throws UnusableFile for a file that cannot be used; any other error may be temporary
 */
export async function processVideo(processing: Processing, video: VideoRecord, signal: AbortSignal): Promise<void> {
  const { programs, videos } = processing;
  const directory = videos.directoryOf(video.videoId);
  const confinement: Confinement = {
    isolation: processing.isolation,
    directory,
    signal,
    timeoutSeconds: 3600,
  };
  await removeUnfinished(directory);
  if (!(await processing.disk.hasSpace())) throw new Error('ENOSPC');
  const { maximumSeconds } = video;
  const probe = await probeFile(programs.ffprobe.path, 'source', {
    ...confinement,
    ...(maximumSeconds !== null && { maximumSeconds }),
  });
  const { durationSeconds, extension, video: picture, audio } = probe;
  await videos.change(video, {
    durationSeconds,
    extension,
    width: picture?.width ?? null,
    height: picture?.height ?? null,
    hasAudio: audio !== null,
  });
  if (video.allowed === null) await requestApproval(processing, video, probe);
  signal.throwIfAborted();
  await videos.change(video, { state: 'processing' });
  const work: Work = { processing, video, probe, directory, confinement };
  await makeFirstRendition(work);
  await makePictures(work);
  await makeLadder(work);
  const storedBytes = await videos.storedBytes(video.videoId);
  await videos.change(video, { state: 'ready', progress: 100, storedBytes, failure: null });
}

interface Work {
  readonly processing: Processing;
  readonly video: VideoRecord;
  readonly probe: Probe;
  readonly directory: string;
  readonly confinement: Confinement;
}

/** @throws NotAllowed with the code and message of the platform */
async function requestApproval({ callbacks, videos }: Processing, video: VideoRecord, probe: Probe): Promise<void> {
  const answer = await callbacks.request(video.callbackUrl, {
    type: 'video.uploaded',
    video_id: video.videoId,
    room_id: video.roomId,
    size_bytes: video.sizeBytes,
    probe: {
      duration_seconds: probe.durationSeconds,
      width: probe.video?.width ?? null,
      height: probe.video?.height ?? null,
      fps: probe.video?.fps ?? null,
      video_codec: probe.video?.codec ?? null,
      audio_codec: probe.audio?.codec ?? null,
    },
  });
  const { allow, max_height: maxHeight, code, message } = answer;
  if (allow !== true)
    throw new NotAllowed(textOr(code, 'refused'), textOr(message, 'The platform rejected the video.'));
  await videos.change(video, { allowed: { maxHeight: typeof maxHeight === 'number' ? maxHeight : null } });
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/** The platform rejected the transcoding. */
export class NotAllowed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'NotAllowed';
    this.code = code;
  }
}

/** Makes the first rendition; the video can be played from then on. */
async function makeFirstRendition(work: Work): Promise<void> {
  const { video, probe, confinement, processing } = work;
  if (video.renditions.length > 0) return;
  const { video: picture } = probe;
  if (!picture)
    return await encodeRenditions(work, [{ height: 0, width: 0 }], soundOnlyCommand(source, probe), [0, 90]);
  const maxHeight = video.allowed?.maxHeight ?? null;
  const measureInterval = () => measureKeyFrameInterval(processing.programs.ffprobe.path, 'source', confinement);
  if (canRemux(probe, maxHeight) && hasEnoughKeyFrames(await measureInterval())) {
    const size = { height: picture.height, width: picture.width };
    return await encodeRenditions(work, [size], remuxCommand(source, probe, picture.height), [0, 20]);
  }
  const rung = firstRung(ladderOf(picture, maxHeight));
  if (!rung) return;
  await encodeRenditions(
    work,
    [sizeOf(probe, rung)],
    ladderCommand(source, probe, [rung], { withSound: true }),
    [0, 40],
  );
}

/** Makes the renditions that are still missing. */
async function makeLadder(work: Work): Promise<void> {
  const { video, probe } = work;
  if (!probe.video) return;
  const renditions = new Set(video.renditions.map(({ height }) => height));
  const highest = Math.max(...renditions);
  const rungs = ladderOf(probe.video, video.allowed?.maxHeight ?? null).filter(
    // A source that is not re-encoded replaces a rendition of nearly the same height.
    ({ height }) =>
      !renditions.has(height) && !(highest > height && highest < height * 1.2 && highest === probe.video?.height),
  );
  if (rungs.length === 0) return;
  const sizes = rungs.map((rung) => sizeOf(probe, rung));
  const command = ladderCommand(source, probe, rungs, { withSound: false });
  await encodeRenditions(work, sizes, command, [Math.max(video.progress, 40), 99]);
}

/** Makes the poster and the previews. A video can be played without them. */
async function makePictures(work: Work): Promise<void> {
  const { processing, video, probe, directory, confinement } = work;
  const { ffmpeg } = processing.programs;
  const plan = planSprite(probe);
  if (!probe.video) return;
  await inWorkDirectory(directory, async (workDirectory) => {
    const limits = { ...confinement, directory: workDirectory, timeoutSeconds: 600 };
    if (!video.hasPoster) {
      const isMade = await makePicture(ffmpeg.path, posterCommand(source, probe, 'poster.jpg'), limits);
      if (isMade) {
        await rename(join(workDirectory, 'poster.jpg'), join(directory, 'poster.jpg'));
        await processing.videos.change(video, { hasPoster: true });
      }
    }
    if (video.sprite !== null || plan === null) return;
    const isMade = await makePicture(ffmpeg.path, spriteCommand(source, plan), limits);
    const sheets = (await readdir(workDirectory)).filter((name) => /^sprite-\d+\.jpg$/.test(name));
    if (!isMade || sheets.length === 0) return;
    await writeFile(join(workDirectory, 'sprite.vtt'), spriteTrack(plan));
    for (const name of [...sheets, 'sprite.vtt']) await rename(join(workDirectory, name), join(directory, name));
    await processing.videos.change(video, { sprite: plan });
  });
}

/** @returns whether ffmpeg could read a picture. @throws Error if the disk was full */
async function makePicture(path: string, command: readonly string[], limits: Confinement): Promise<boolean> {
  const { exitCode, stderr } = await runConfined(path, command, limits);
  if (saysDiskFull(stderr)) throw new Error('ENOSPC');
  await requireWholeFiles(limits.directory);
  return exitCode === 0;
}

interface Size {
  readonly height: number;
  readonly width: number;
}

/**
 * Encodes renditions in one run, and then adds them to the video.
 * @param share the range of the video's progress that this run covers, in percent
 * @throws UnusableFile
 */
async function encodeRenditions(
  work: Work,
  sizes: readonly Size[],
  command: readonly string[],
  share: readonly [number, number],
): Promise<void> {
  const { video, directory, processing } = work;
  await inWorkDirectory(directory, async (workDirectory) => {
    for (const { height } of sizes) if (height !== 0) await mkdir(join(workDirectory, String(height)));
    await mkdir(join(workDirectory, 'audio'));
    await runFfmpeg({ ...work, confinement: { ...work.confinement, directory: workDirectory } }, command, share);
    await requireWholeFiles(workDirectory);
    if (video.renditions.length === 0) await requireFullDuration(workDirectory, work.probe);
    const renditions: Rendition[] = [];
    for (const size of sizes) renditions.push(await measureRendition(join(workDirectory, directoryNameOf(size)), size));
    for (const name of new Set([...sizes.map(directoryNameOf), 'audio'])) {
      const isMade = (await readdir(join(workDirectory, name))).includes('index.m3u8');
      if (!isMade) continue;
      await rm(join(directory, name), { recursive: true, force: true });
      await rename(join(workDirectory, name), join(directory, name));
    }
    await processing.videos.change(video, { renditions: [...video.renditions, ...renditions] });
  });
}

/** The tolerated difference of the duration. A truncated file may be read without an error. */
const missingShare = 0.1;
const missingSeconds = 2;

/** @throws UnusableFile if the result is shorter than the file announces */
async function requireFullDuration(directory: string, { durationSeconds }: Probe): Promise<void> {
  const lengths = await Promise.all((await readdir(directory)).map((name) => playlistSeconds(join(directory, name))));
  if (Math.max(...lengths) < durationSeconds - Math.max(missingSeconds, durationSeconds * missingShare))
    throw new UnusableFile('damaged', 'The file is incomplete. Upload it again.');
}

function directoryNameOf({ height }: Size): string {
  return height === 0 ? 'audio' : String(height);
}

async function inWorkDirectory(directory: string, work: (workDirectory: string) => Promise<void>): Promise<void> {
  const workDirectory = join(directory, `${workPrefix}${randomUUID()}`);
  await mkdir(workDirectory);
  try {
    await work(workDirectory);
  } finally {
    await rm(workDirectory, { recursive: true, force: true });
  }
}

const maxRunSeconds = 14 * 86_400;
const stallSeconds = 120;

/** @throws UnusableFile */
async function runFfmpeg(work: Work, args: readonly string[], [from, to]: readonly [number, number]): Promise<void> {
  const { processing, video, probe, confinement } = work;
  const { durationSeconds } = probe;
  // The time limit is a hundred times the duration of the video, for very slow machines.
  const timeoutSeconds = Math.min(Math.max(600, durationSeconds * 100), maxRunSeconds);
  const onProgress = (seconds: number) => {
    const share = Math.min(1, seconds / durationSeconds);
    processing.videos.changeProgress(video, { progress: Math.round(from + (to - from) * share) });
  };
  const limits = { ...confinement, timeoutSeconds, stallSeconds };
  const { exitCode, stderr, isTimedOut } = await runConfined(processing.programs.ffmpeg.path, args, limits, onProgress);
  confinement.signal?.throwIfAborted();
  if (isTimedOut) throw new UnusableFile('damaged', 'The video could not be processed in time.');
  if (saysDiskFull(stderr)) throw new Error('ENOSPC');
  refuseLargePicture(stderr);
  if (exitCode !== 0) throw new UnusableFile('damaged', 'The video is damaged and cannot be processed.');
}

function sizeOf({ video }: Probe, { height }: Rung): Size {
  const width = video ? Math.round((height * video.width) / video.height / 2) * 2 : 0;
  return { height, width };
}

/** Removes the working directories of earlier processes. */
async function removeUnfinished(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(workPrefix)) await rm(join(directory, name), { recursive: true, force: true });
}
