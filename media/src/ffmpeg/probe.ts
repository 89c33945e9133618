import { inputOptions } from './input.ts';
import { type Confinement, runConfined } from './run.ts';

/** The contents of a media file. */
export interface Probe {
  readonly durationSeconds: number;
  /** The file extension of the container, such as `mp4`; null if unknown. */
  readonly extension: string | null;
  readonly video: VideoStream | null;
  readonly audio: AudioStream | null;
}

export interface VideoStream {
  readonly index: number;
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly pixelFormat: string;
  readonly kbps: number | null;
}

export interface AudioStream {
  readonly index: number;
  readonly codec: string;
}

/** Why a file is rejected. */
export class UnusableFile extends Error {
  readonly code:
    | 'unsupported-format'
    | 'damaged'
    | 'too-large-picture'
    | 'too-long'
    | 'too-many-streams'
    | 'too-many-pictures'
    | 'no-media';

  constructor(code: UnusableFile['code'], message: string) {
    super(message);
    this.name = 'UnusableFile';
    this.code = code;
  }
}

const maxDurationSeconds = 12 * 3600;
const maximumStreams = 32;
const maximumFps = 240;

interface RawStream {
  readonly index?: number;
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly pix_fmt?: string;
  readonly avg_frame_rate?: string;
  readonly bit_rate?: string;
  readonly duration?: string;
  readonly nb_frames?: string;
  readonly nb_read_packets?: string;
  readonly disposition?: { readonly attached_pic?: number };
  readonly side_data_list?: readonly { readonly rotation?: number }[];
}

/**
 * Reads the whole file, because the header of a truncated file still has the full length.
 * @throws UnusableFile
 */
export async function probeFile(
  ffprobe: string,
  path: string,
  { maximumSeconds = maxDurationSeconds, ...confinement }: Confinement & { readonly maximumSeconds?: number },
): Promise<Probe> {
  const args = ['-v', 'error', ...inputOptions, '-count_packets', '-of', 'json', '-show_format', '-show_streams', path];
  const { exitCode, stdout, stderr, isTimedOut } = await runConfined(ffprobe, args, confinement);
  refuseLargePicture(stderr);
  if (isTimedOut) throw new UnusableFile('damaged', 'The file could not be read in time.');
  if (exitCode !== 0) throw new UnusableFile('unsupported-format', 'The file is not a readable video.');
  const { streams = [], format = {} } = parse(stdout);
  if (streams.length > maximumStreams) throw new UnusableFile('too-many-streams', 'The file has too many streams.');
  const video = streams.find(({ codec_type: type, disposition }) => type === 'video' && !disposition?.attached_pic);
  const audio = streams.find(({ codec_type: type }) => type === 'audio');
  if (!video && !audio) throw new UnusableFile('no-media', 'The file has neither pictures nor sound.');
  const durationSeconds = Number(format.duration ?? video?.duration ?? audio?.duration);
  if (!(durationSeconds > 0)) throw new UnusableFile('damaged', 'The length of the file is unknown.');
  const limitSeconds = Math.min(maximumSeconds, maxDurationSeconds);
  if (durationSeconds > limitSeconds)
    throw new UnusableFile('too-long', `The video is longer than ${Math.floor(limitSeconds / 60)} minutes.`);
  for (const stream of [video, audio]) if (stream) requireComplete(stream);
  if (Number(video?.nb_read_packets) > durationSeconds * maximumFps + 1000)
    throw new UnusableFile('too-many-pictures', `The video has more than ${maximumFps} pictures per second.`);
  return {
    durationSeconds,
    extension: extensionOf(format.format_name ?? ''),
    video: video ? readVideo(video) : null,
    audio: audio ? { index: audio.index ?? 0, codec: audio.codec_name ?? '' } : null,
  };
}

/** File extensions of containers whose first format name is not their extension. */
const extensions: Readonly<Record<string, string>> = {
  mov: 'mp4',
  matroska: 'mkv',
  mpegts: 'ts',
  mpeg: 'mpg',
  asf: 'wmv',
};

/** @param format the names of the container, such as `mov,mp4,m4a,3gp,3g2,mj2` */
function extensionOf(format: string): string | null {
  const [name = ''] = format.split(',');
  return name === '' ? null : (extensions[name] ?? name);
}

/** @throws UnusableFile if `-max_pixels` was exceeded */
export function refuseLargePicture(stderr: string): void {
  if (stderr.includes('exceeds specified max pixel count'))
    throw new UnusableFile('too-large-picture', 'The picture is larger than 8192 × 4320 pixels.');
}

function parse(stdout: string): {
  streams?: readonly RawStream[];
  format?: { duration?: string; format_name?: string };
} {
  try {
    return JSON.parse(stdout) as ReturnType<typeof parse>;
  } catch {
    throw new UnusableFile('damaged', 'The file could not be read.');
  }
}

/** The share of announced frames that may be missing: some encoders write fewer frames than they announce. */
const missingShare = 0.01;

/** @throws UnusableFile if the file ends early */
function requireComplete({ nb_frames: announced, nb_read_packets: read }: RawStream): void {
  const [announcedFrames, readFrames] = [Number(announced), Number(read)];
  if (!(announcedFrames > 0) || !Number.isFinite(readFrames)) return;
  if (readFrames < announcedFrames - Math.max(2, announcedFrames * missingShare))
    throw new UnusableFile('damaged', 'The file is incomplete. Upload it again.');
}

function readVideo(stream: RawStream): VideoStream {
  const { width = 0, height = 0, index = 0, codec_name: codec = '', pix_fmt: pixelFormat = '' } = stream;
  if (width <= 0 || height <= 0) throw new UnusableFile('damaged', 'The size of the picture is unknown.');
  const [frames = 0, seconds = 1] = (stream.avg_frame_rate ?? '0/1').split('/').map(Number);
  const isRotated = stream.side_data_list?.some(({ rotation }) => Math.abs(rotation ?? 0) % 180 === 90) ?? false;
  const kbps = Number(stream.bit_rate) / 1000;
  return {
    index,
    codec,
    width: isRotated ? height : width,
    height: isRotated ? width : height,
    fps: Math.min(maximumFps, seconds > 0 ? frames / seconds : 0),
    pixelFormat,
    kbps: kbps > 0 ? kbps : null,
  };
}

/** The longest time between two key frames within the first minute, in seconds; null if unknown. */
export async function measureKeyFrameInterval(
  ffprobe: string,
  path: string,
  confinement: Confinement,
): Promise<number | null> {
  const options = '-select_streams v:0 -read_intervals %+60 -of csv=p=0 -show_entries packet=pts_time,flags';
  const args = ['-v', 'error', ...inputOptions, ...options.split(' '), path];
  const { exitCode, stdout } = await runConfined(ffprobe, args, confinement);
  if (exitCode !== 0) return null;
  const packets = stdout.split('\n').flatMap((line) => {
    const [time = '', flags = ''] = line.split(',');
    return /^\d/.test(time) ? [{ seconds: Number(time), isKey: flags.startsWith('K') }] : [];
  });
  const times = packets.filter(({ isKey }) => isKey).map(({ seconds }) => seconds);
  const last = Math.max(0, ...packets.map(({ seconds }) => seconds));
  if (times.length === 0 || (times[0] ?? 1) > 0.5) return null;
  return Math.max(...[...times, last].slice(1).map((seconds, index) => seconds - (times[index] ?? 0)));
}
