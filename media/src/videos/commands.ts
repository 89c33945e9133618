import { inputOptions, maximumPixels } from '../ffmpeg/input.ts';
import type { Probe } from '../ffmpeg/probe.ts';
import type { Rung } from './ladder.ts';

const segmentSeconds = 4;

const commonArgs = ['-hide_banner', '-nostdin', '-v', 'error', '-xerror', '-y'];
/** Splits arguments that contain no spaces. */
function splitArgs(text: string): string[] {
  return text.split(' ');
}

const progressArgs = ['-progress', 'pipe:1', '-nostats'];

function inputArgs(source: string): string[] {
  return [...inputOptions, '-i', source];
}

/** Arguments for a rendition in its own directory: `index.m3u8`, `init.mp4` and segments. Paths are relative to the directory of the run. */
function hlsArgs(directory: string): string[] {
  return [
    ...splitArgs(`-f hls -hls_time ${segmentSeconds} -hls_playlist_type vod -hls_segment_type fmp4`),
    ...splitArgs(`-hls_fmp4_init_filename init.mp4 -hls_segment_filename ${directory}/seg_%05d.m4s`),
    ...splitArgs(`-map_metadata -1 ${directory}/index.m3u8`),
  ];
}

function soundArgs({ audio }: Probe, isCopied: boolean): string[] {
  if (!audio) return [];
  const codec = isCopied ? ['-c:a', 'copy'] : ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000'];
  return ['-map', `0:${audio.index}`, ...codec, ...hlsArgs('audio')];
}

/** Copies video and audio. */
export function remuxCommand(source: string, probe: Probe, height: number): string[] {
  const video = ['-map', `0:${probe.video?.index ?? 0}`, '-c:v', 'copy', '-tag:v', 'avc1', ...hlsArgs(String(height))];
  return [...commonArgs, ...progressArgs, ...inputArgs(source), ...video, ...soundArgs(probe, true)];
}

export function soundOnlyCommand(source: string, probe: Probe): string[] {
  return [...commonArgs, ...progressArgs, ...inputArgs(source), ...soundArgs(probe, probe.audio?.codec === 'aac')];
}

/** Higher frame rates cost time and traffic, and few screens show them. */
const maxFps = 60;

/** All renditions in one pass, so that the source is decoded once. */
export function ladderCommand(
  source: string,
  probe: Probe,
  rungs: readonly Rung[],
  { withSound }: { readonly withSound: boolean },
): string[] {
  const index = probe.video?.index ?? 0;
  const names = rungs.map((_, position) => `v${position}`);
  const fpsFilter = (probe.video?.fps ?? 0) > maxFps ? `fps=${maxFps},` : '';
  const split = `[0:${index}]${fpsFilter}split=${rungs.length}${names.map((name) => `[s${name}]`).join('')}`;
  const scales = rungs.map(
    ({ height }, position) =>
      `[s${names[position] ?? ''}]scale=-2:${height}:flags=bicubic,setsar=1,format=yuv420p[${names[position] ?? ''}]`,
  );
  const outputs = rungs.flatMap(({ height, kbps }, position) => [
    ...splitArgs(`-map [${names[position] ?? ''}] -c:v libx264 -preset veryfast -profile:v high`),
    ...splitArgs(`-crf 23 -maxrate ${kbps}k -bufsize ${kbps * 2}k -sc_threshold 0`),
    ...splitArgs(`-force_key_frames expr:gte(t,n_forced*${segmentSeconds})`),
    ...hlsArgs(String(height)),
  ]);
  return [
    ...commonArgs,
    ...progressArgs,
    ...inputArgs(source),
    '-filter_complex',
    [split, ...scales].join(';'),
    ...outputs,
    ...(withSound ? soundArgs(probe, false) : []),
  ];
}

/** One frame, at ten percent of the video, at most at ten seconds. */
export function posterCommand(source: string, { durationSeconds }: Probe, output: string): string[] {
  const at = Math.min(10, durationSeconds / 10).toFixed(2);
  return [...commonArgs, '-ss', at, ...inputArgs(source), '-frames:v', '1', '-vf', posterScale, '-q:v', '4', output];
}

/** Re-encodes an uploaded picture, so that only its pixels are kept. */
export function ownPosterCommand(source: string, demuxer: string, output: string): string[] {
  const pictureInput = [
    '-protocol_whitelist',
    'file,pipe',
    '-max_pixels',
    String(maximumPixels),
    '-f',
    demuxer,
    '-i',
    source,
  ];
  return [...commonArgs, ...pictureInput, '-frames:v', '1', '-vf', posterScale, '-q:v', '4', output];
}

const posterScale = "scale='min(1280,iw)':-2,format=yuvj420p";

export interface SpritePlan {
  /** Seconds between two pictures. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
}

export const spritesPerRow = 10;

export function planSprite({ durationSeconds, video }: Probe): SpritePlan | null {
  if (!video) return null;
  const seconds = Math.max(1, Math.ceil(durationSeconds / 200));
  const width = 160;
  const height = Math.max(2, Math.min(320, Math.round((width * video.height) / video.width / 2) * 2));
  return { seconds, width, height, count: Math.max(1, Math.ceil(durationSeconds / seconds)) };
}

/** Sprite sheets of small pictures, from key frames only. */
export function spriteCommand(source: string, { seconds, width, height }: SpritePlan): string[] {
  const filter = `fps=1/${seconds}:round=up,scale=${width}:${height},tile=${spritesPerRow}x${spritesPerRow}`;
  return [
    ...commonArgs,
    '-skip_frame',
    'nokey',
    ...inputArgs(source),
    '-an',
    '-vf',
    filter,
    '-q:v',
    '6',
    'sprite-%d.jpg',
  ];
}

/** The WebVTT that maps times to the pictures of the sprite sheets. */
export function spriteTrack({ seconds, width, height, count }: SpritePlan): string {
  const cues = Array.from({ length: count }, (_, index) => {
    const cell = index % spritesPerRow ** 2;
    const [x, y] = [(cell % spritesPerRow) * width, Math.floor(cell / spritesPerRow) * height];
    const sheet = Math.floor(index / spritesPerRow ** 2) + 1;
    return `${formatTime(index * seconds)} --> ${formatTime((index + 1) * seconds)}\nsprite-${sheet}.jpg#xywh=${x},${y},${width},${height}`;
  });
  return `WEBVTT\n\n${cues.join('\n\n')}\n`;
}

function formatTime(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}.000`;
}
