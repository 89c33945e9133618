import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../../storage/disk.ts';
import type { FlvTag } from '../media/flv.ts';
import { createFragmenter, type Fragment } from '../media/fragmenter.ts';
import type { Tracks } from '../media/fragmented-mp4.ts';

export interface Segment {
  readonly number: number;
  readonly startedAtMs: number;
  /** The initialization segment that the segment needs. */
  readonly initNumber: number;
  /** Null once the segment is only on the disk. */
  parts: Fragment[] | null;
  partDurations: { readonly duration: number; readonly isIndependent: boolean }[];
  duration: number;
  isFinished: boolean;
  /** Whether its file can be read. */
  storage: 'pending' | 'stored' | 'failed';
}

export interface RenditionOptions {
  readonly isLowLatency: boolean;
  readonly dvrSeconds: number;
  /** The first media sequence number. Numbers of an earlier process must not be used again. */
  readonly firstNumber: number;
  /** The directory of its segments within the rewind window. */
  readonly directory: string;
  readonly disk: Pick<Disk, 'hasSpace'>;
  /** Whether a transcoder produces it, whose video arrives later than the audio. */
  readonly isTranscoded?: boolean;
  readonly onInit?: (bytes: Buffer, tracks: Tracks) => void;
  readonly onFragment?: (fragment: Fragment) => void;
}

/** One rendition of a live stream: the segments that players can read now. */
export interface Rendition {
  readonly isLowLatency: boolean;
  readonly segments: readonly Segment[];
  readonly tracks: Tracks | null;
  /** The bit rate of finished segments, in bit/s. */
  readonly peakBitrate: number;
  /** In seconds, as `longestSegment`. */
  readonly longestPart: number;
  readonly longestSegment: number;
  readonly dvrSeconds: number;
  push(tag: FlvTag): void;
  readInit(number: number): Buffer | null;
  /** The part, or with null the whole finished segment, from memory or as its path on the disk. */
  read(number: number, part: number | null): Buffer | string | null;
  /**
   * Waits until the part, or with null the finished segment, exists.
   * @returns `late` if it did not arrive in time, `far` if it is too far in the future to wait for it
   */
  wait(number: number, part: number | null): Promise<'ready' | 'late' | 'far'>;
  /** Waits for running writes. The directory can be deleted then. */
  close(): Promise<void>;
}

export const segmentSeconds = 2;
const partMs = 250;
const normalPartMs = 1000;
const waitForTrackMs = 1000;
const transcodedWaitMs = 20_000;
/** Without a key frame, a segment is cut after this time. */
const maxSegmentSeconds = 10;
/** How many finished segments stay in memory. */
const segmentsInMemory = 8;
/** How many finished segments may wait for a slow disk. */
const maxPendingSegments = 4 * segmentsInMemory;
const segmentsInPlaylist = 6;
const maxWaitMs = 6000;
const maxInits = 20;

export function createRendition(options: RenditionOptions): Rendition {
  const { isLowLatency, dvrSeconds, directory } = options;
  const segments: Segment[] = [];
  const inits = new Map<number, Buffer>();
  const waiters = new Set<() => void>();
  let writes: Promise<unknown> = Promise.resolve();
  let tracks: Tracks | null = null;
  let initNumber = options.firstNumber - 1;
  let nextNumber = options.firstNumber;
  let [peakBitrate, longestPart, longestSegment, isClosed] = [0, 0, 0, false];

  const wake = () => {
    for (const resolve of waiters) resolve();
    waiters.clear();
  };

  function finish(segment: Segment): void {
    if (segment.isFinished) return;
    segment.isFinished = true;
    longestSegment = Math.max(longestSegment, segment.duration);
    const bytes = (segment.parts ?? []).map((part) => part.bytes);
    const size = bytes.reduce((sum, { length }) => sum + length, 0);
    if (segment.duration > 0) peakBitrate = Math.max(peakBitrate, Math.round((size * 8) / segment.duration));
    if (dvrSeconds > 0) writes = writes.then(() => store(segment, Buffer.concat(bytes)));
    trim();
  }

  async function store(segment: Segment, bytes: Buffer): Promise<void> {
    const path = join(directory, `${segment.number}.m4s`);
    try {
      if (!(await options.disk.hasSpace(bytes.length))) throw new Error('ENOSPC');
      await writeFile(path, bytes);
      segment.storage = 'stored';
    } catch {
      segment.storage = 'failed';
      await rm(path, { force: true }).catch(() => {});
    }
  }

  /** Removes old segments from the playlist, then from memory and disk. */
  function trim(): void {
    const finished = segments.filter((segment) => segment.isFinished);
    if (dvrSeconds > 0)
      for (const segment of finished.slice(0, -segmentsInMemory))
        if (segment.storage === 'stored') segment.parts = null;
    let listedSeconds = 0;
    let keptCount = 0;
    for (const segment of finished.toReversed()) {
      // A playlist has no gaps: without space on the disk, the window only has the segments in memory.
      const isTooLate = segment.storage === 'failed' || keptCount >= maxPendingSegments;
      if (dvrSeconds > 0 && keptCount >= segmentsInMemory && segment.storage !== 'stored' && isTooLate) break;
      listedSeconds += segment.duration;
      keptCount += 1;
      // A player with an older playlist may still request segments that have just been removed from it.
      if (keptCount > segmentsInMemory && listedSeconds > dvrSeconds + 3 * longestSegment) break;
    }
    for (const { number } of segments.splice(0, finished.length - keptCount))
      if (dvrSeconds > 0)
        writes = writes.then(() => rm(join(directory, `${number}.m4s`), { force: true })).catch(() => {});
  }

  /** Removes the initialization segments that no segment needs. */
  function removeInits(): void {
    const needed = new Set(segments.map((segment) => segment.initNumber));
    for (const number of inits.keys()) if (number !== initNumber && !needed.has(number)) inits.delete(number);
  }

  function add(fragment: Fragment): void {
    const current = segments.at(-1);
    const isLongEnough = current !== undefined && current.duration >= segmentSeconds - 0.05;
    const isDue = current !== undefined && isLongEnough && fragment.isIndependent;
    const isTooLong = current !== undefined && current.duration >= maxSegmentSeconds;
    let target = current;
    if (!current || current.isFinished || isDue || isTooLong || current.initNumber !== initNumber) {
      if (current) finish(current);
      const startedAtMs = Date.now() - fragment.duration * 1000;
      target = {
        number: nextNumber++,
        startedAtMs,
        initNumber,
        parts: [],
        partDurations: [],
        duration: 0,
        isFinished: false,
        storage: 'pending',
      };
      segments.push(target);
    }
    if (!target?.parts) return;
    target.parts.push(fragment);
    target.partDurations.push({ duration: fragment.duration, isIndependent: fragment.isIndependent });
    target.duration += fragment.duration;
    longestPart = Math.max(longestPart, fragment.duration);
    wake();
  }

  const fragmenterOptions = {
    targetMs: isLowLatency ? partMs : normalPartMs,
    waitForTrackMs: options.isTranscoded ? transcodedWaitMs : waitForTrackMs,
  };
  const push = createFragmenter(fragmenterOptions, {
    onInit(bytes, newTracks) {
      tracks = newTracks;
      initNumber += 1;
      inits.set(initNumber, bytes);
      if (inits.size > maxInits) removeInits();
      options.onInit?.(bytes, newTracks);
    },
    onFragment(fragment) {
      add(fragment);
      options.onFragment?.(fragment);
    },
  });

  const partExists = (number: number, part: number | null) => {
    const last = segments.at(-1);
    if (!last || number < last.number) return last !== undefined;
    if (number > last.number) return false;
    return last.isFinished || (part !== null && part < last.partDurations.length);
  };

  if (dvrSeconds > 0) writes = mkdir(directory, { recursive: true }).catch(() => {});

  return {
    isLowLatency,
    dvrSeconds,
    segments,
    get tracks() {
      return tracks;
    },
    get peakBitrate() {
      return peakBitrate;
    },
    get longestPart() {
      return longestPart;
    },
    get longestSegment() {
      return longestSegment;
    },
    push,
    readInit: (number) => inits.get(number) ?? null,
    read(number, part) {
      const segment = segments.find((candidate) => candidate.number === number);
      if (!segment) return null;
      if (part !== null) return segment.parts?.[part]?.bytes ?? null;
      if (!segment.isFinished) return null;
      if (!segment.parts) return join(directory, `${number}.m4s`);
      return Buffer.concat(segment.parts.map(({ bytes }) => bytes));
    },
    async wait(number, part) {
      const last = segments.at(-1)?.number ?? options.firstNumber;
      if (number > last + 2) return 'far';
      const until = Date.now() + maxWaitMs;
      while (!partExists(number, part)) {
        const remainingMs = until - Date.now();
        if (remainingMs <= 0 || isClosed) return 'late';
        await new Promise<void>((resolve) => {
          const timer = setTimeout(() => done(), remainingMs);
          const done = () => {
            clearTimeout(timer);
            waiters.delete(done);
            resolve();
          };
          waiters.add(done);
        });
      }
      return 'ready';
    },
    async close() {
      isClosed = true;
      wake();
      await writes;
    },
  };
}

/** The segments of the playlist: the newest, or all within the rewind window. */
export function listedSegments({ segments, dvrSeconds }: Rendition): readonly Segment[] {
  const finished = segments.filter(({ isFinished }) => isFinished);
  let [count, seconds] = [0, 0];
  for (const segment of finished.toReversed()) {
    if (count >= segmentsInPlaylist && seconds + segment.duration > dvrSeconds) break;
    count += 1;
    seconds += segment.duration;
  }
  const current = segments.at(-1);
  return [...finished.slice(finished.length - count), ...(current && !current.isFinished ? [current] : [])];
}
