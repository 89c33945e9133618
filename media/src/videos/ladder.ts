import type { Probe } from '../ffmpeg/probe.ts';

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Resolutions are named by the shorter side: 1080 × 1920 is also 1080p. */
export function shorterSide({ width, height }: PictureSize): number {
  return Math.min(width, height);
}

/** The encoding of a rendition. */
export interface Rung {
  /** In pixels. */
  readonly height: number;
  readonly kbps: number;
}

/** The heights are the shorter sides of pictures. */
const rungs: readonly Rung[] = [
  { height: 240, kbps: 400 },
  { height: 360, kbps: 800 },
  { height: 480, kbps: 1400 },
  { height: 720, kbps: 2800 },
  { height: 1080, kbps: 5000 },
  { height: 1440, kbps: 9000 },
  { height: 2160, kbps: 16_000 },
];

/**
 * The renditions of a video: at least one, none larger than the source or the limit.
 * @param maxResolution the longest shorter side, in pixels
 */
export function ladderOf(source: PictureSize, maxResolution: number | null): Rung[] {
  const side = shorterSide(source);
  return resolutionsOf(Math.min(side, maxResolution ?? Infinity)).map(({ height, kbps }) => ({
    height: roundToEven((height * source.height) / side),
    kbps,
  }));
}

function resolutionsOf(maximum: number): Rung[] {
  const fitting = rungs.filter(({ height }) => height <= maximum);
  const top = fitting.at(-1);
  // A source between two rungs keeps its own height, unless the next rung is almost as high.
  if (!top) return [{ height: roundToEven(maximum), kbps: 400 }];
  return maximum > top.height * 1.2
    ? [...fitting, { height: roundToEven(maximum), kbps: interpolateKbps(maximum) }]
    : fitting;
}

const maxFirstKbps = 1400;

/** The first rendition, so that the video plays soon: 480p, or the largest below. */
export function firstRung(ladder: readonly Rung[]): Rung | undefined {
  return ladder.filter(({ kbps }) => kbps <= maxFirstKbps).at(-1) ?? ladder[0];
}

/** Whether the source can be delivered without re-encoding, if it has enough key frames. */
export function canRemux({ video, audio }: Probe, maxResolution: number | null): boolean {
  if (!video || video.codec !== 'h264' || !['yuv420p', 'yuvj420p'].includes(video.pixelFormat)) return false;
  if (audio && audio.codec !== 'aac') return false;
  if (maxResolution !== null && shorterSide(video) > maxResolution) return false;
  return (video.kbps ?? Infinity) <= interpolateKbps(shorterSide(video)) * 2;
}

const maxKeyFrameSeconds = 6;

/** Players can only start at key frames. @param seconds the longest time between two key frames; null if unknown */
export function hasEnoughKeyFrames(seconds: number | null): boolean {
  return seconds !== null && seconds <= maxKeyFrameSeconds;
}

function interpolateKbps(height: number): number {
  const upper = rungs.find((rung) => rung.height >= height) ?? rungs.at(-1);
  const lower = rungs.findLast((rung) => rung.height <= height) ?? rungs[0];
  if (!upper || !lower || upper.height === lower.height) return upper?.kbps ?? 400;
  const share = (height - lower.height) / (upper.height - lower.height);
  return Math.round(lower.kbps + share * (upper.kbps - lower.kbps));
}

/** 4:2:0 needs even sizes. */
function roundToEven(size: number): number {
  return Math.max(2, Math.floor(size / 2) * 2);
}
