import { maximumPixels } from '../../ffmpeg/input.ts';
import type { Isolation } from '../../ffmpeg/isolation.ts';
import { type ConfinedProcess, spawnConfined } from '../../ffmpeg/spawn.ts';
import { readAvcConfig } from '../media/avc.ts';
import { createFlvReader, type FlvTag } from '../media/flv.ts';
import {
  audioTrackNumber,
  type MatroskaBlock,
  encodeMatroskaCluster,
  encodeMatroskaHeader,
  type VideoTrack,
  videoTrackNumber,
} from './matroska.ts';

export interface ConverterPrograms {
  readonly ffmpegPath: string;
  readonly isolation: Isolation;
  /** The working directory of the process. */
  readonly directory: string;
}

export interface EncodedFrame {
  readonly timestamp: number;
  readonly isKey: boolean;
  readonly data: Buffer;
}

export interface Converter {
  /** Writes a video frame, with the decoder configuration of its track. */
  writeVideo(track: VideoTrack, frame: EncodedFrame): void;
  /** Writes a packet of Opus. */
  writeSound(timestamp: number, data: Buffer): void;
  close(): void;
}

const maxWaitingBytes = 4 * 1024 * 1024;
const retryMs = 2000;
/** Times before zero would be cut off: AAC begins a little earlier than Opus. */
const leadMs = 1000;

/** Converts the media of a browser with ffmpeg: audio to AAC, and video to H.264, or copied if it is H.264 already. */
export function createConverter(
  { ffmpegPath, isolation, directory }: ConverterPrograms,
  onTag: (tag: FlvTag) => void,
): Converter {
  let program: ConfinedProcess | null = null;
  let containerSettings = '';
  let hasSound = false;
  let retryAtMs = 0;
  let isClosed = false;

  function start(track: VideoTrack, data: Buffer): void {
    stop();
    if (Date.now() < retryAtMs) return;
    const size = sizeOf(track, data);
    let started: ConfinedProcess;
    try {
      started = spawnConfined(ffmpegPath, commandOf(track, hasSound), { isolation, directory, hasInput: true });
    } catch {
      retryAtMs = Date.now() + retryMs;
      return;
    }
    started.stderr.resume();
    program = started;
    const onGone = () => {
      if (program !== started) return;
      stop();
      retryAtMs = Date.now() + retryMs;
    };
    started.child.on('error', onGone).on('exit', onGone);
    const read = createFlvReader((tag) => {
      if (program === started && tag.type !== 'data') onTag(tag);
    });
    started.stdout.on('data', (bytes: Buffer) => {
      try {
        read(bytes);
      } catch {
        onGone();
      }
    });
    started.input?.write(encodeMatroskaHeader(track, size, hasSound));
  }

  function stop(): void {
    program?.kill();
    program = null;
  }

  function write(block: MatroskaBlock): void {
    if (!program?.input) return;
    if (program.input.writableLength > maxWaitingBytes) return stop();
    program.input.write(encodeMatroskaCluster({ ...block, timestamp: block.timestamp + leadMs }));
  }

  return {
    writeVideo(track, { timestamp, isKey, data }) {
      if (isClosed) return;
      if (isKey) {
        // The settings of a container cannot change: another size or track begins another container.
        const settings = `${track.codec === 'h264' ? track.config.toString('hex') : 'vp8'} ${hasSound}`;
        if (!program || settings !== containerSettings) start(track, data);
        containerSettings = settings;
      }
      write({ track: videoTrackNumber, timestamp, isKey, data });
    },
    writeSound(timestamp, data) {
      hasSound = true;
      if (!isClosed && containerSettings.endsWith('true'))
        write({ track: audioTrackNumber, timestamp, isKey: true, data });
    },
    close() {
      isClosed = true;
      stop();
    },
  };
}

function sizeOf(track: VideoTrack, data: Buffer): { width: number; height: number } {
  if (track.codec === 'h264') return readAvcConfig(track.config);
  // The frame header of a key frame (RFC 6386, 9.1).
  return data.length < 10
    ? { width: 16, height: 16 }
    : { width: Math.max(16, data.readUInt16LE(6) & 0x3fff), height: Math.max(16, data.readUInt16LE(8) & 0x3fff) };
}

function commandOf({ codec }: VideoTrack, hasSound: boolean): string[] {
  const input = `-v error -nostdin -max_pixels ${maximumPixels} -protocol_whitelist pipe,file -fflags nobuffer -probesize 32768 -analyzeduration 0 -copyts -f matroska -i pipe:0`;
  const videoArguments =
    codec === 'h264'
      ? '-map 0:v:0 -c:v copy'
      : '-map 0:v:0 -vsync vfr -vf scale=trunc(iw/2)*2:trunc(ih/2)*2 -c:v libx264 -preset veryfast -tune zerolatency ' +
        '-pix_fmt yuv420p -sc_threshold 0 -g 600 -force_key_frames expr:if(isnan(prev_forced_t),1,gte(t,prev_forced_t+2)) ' +
        '-crf 23 -maxrate 4000k -bufsize 4000k';
  const sound = hasSound ? '-map 0:a:0 -af aresample=async=1000 -c:a aac -b:a 128k -ar 48000 -ac 2' : '-an';
  const output = '-max_interleave_delta 300000 -flvflags no_duration_filesize -flush_packets 1 -f flv pipe:1';
  return `${input} ${videoArguments} ${sound} ${output}`.split(' ');
}
