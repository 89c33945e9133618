import { maximumPixels } from '../../ffmpeg/input.ts';
import type { Isolation } from '../../ffmpeg/isolation.ts';
import { type ConfinedProcess, firstOutput, spawnConfined } from '../../ffmpeg/spawn.ts';
import { createFlvReader, encodeFlvTag, flvHeader, type FlvTag } from '../media/flv.ts';
import { readFrame } from '../media/frame.ts';
import type { StreamHeaders } from '../stream-headers.ts';

export interface TranscoderPrograms {
  readonly ffmpegPath: string;
  readonly isolation: Isolation;
  /** The working directory of the process. */
  readonly directory: string;
}

export interface Target {
  /** The length of the shorter side, in pixels. */
  readonly height: number;
  readonly push: (tag: FlvTag) => void;
}

export interface Transcoder {
  push(tag: FlvTag): void;
  /** Called when another encoder starts, maybe with other settings. */
  restart(): void;
  close(): void;
}

const maxWaitingBytes = 8 * 1024 * 1024;
const retryMs = 5000;
const kbpsOf = (height: number) => Math.max(200, Math.round((height * height * (16 / 9) * 0.002) / 50) * 50 + 150);

/**
 * Encodes the lower renditions of a live stream, all in one process. If it falls behind, frames are dropped.
 * @param listTargets returns the renditions to encode, each time the process starts
 */
export function createTranscoder(
  { ffmpegPath, isolation, directory }: TranscoderPrograms,
  headers: StreamHeaders,
  listTargets: () => readonly Target[],
): Transcoder {
  let program: ConfinedProcess | null = null;
  let hasKey = false;
  let retryAtMs = 0;
  let isClosed = false;

  function start(timestamp: number): void {
    const targets = listTargets();
    if (targets.length === 0) return;
    let started: ConfinedProcess;
    try {
      started = spawnConfined(ffmpegPath, commandOf(targets, headers), {
        isolation,
        directory,
        hasInput: true,
        outputCount: targets.length,
      });
    } catch {
      // The source is still delivered.
      retryAtMs = Date.now() + retryMs;
      return;
    }
    for (const unread of [started.stdout, started.stderr]) unread.resume();
    program = started;
    const handleExit = () => {
      if (program !== started) return;
      stop();
      retryAtMs = Date.now() + retryMs;
    };
    started.child.on('error', handleExit).on('exit', handleExit);
    for (const [index, { push }] of targets.entries()) {
      const read = createFlvReader(push);
      started.outputs[index]?.on('data', (bytes: Buffer) => {
        // Drops frames of the program before a restart: they would follow the new settings.
        if (program !== started) return;
        try {
          read(bytes);
        } catch {
          handleExit();
        }
      });
    }
    started.input?.write(flvHeader);
    for (const header of headers.tags(timestamp).slice(1)) started.input?.write(encodeFlvTag(header));
  }

  function stop(): void {
    program?.kill();
    program = null;
    hasKey = false;
  }

  return {
    push(tag) {
      const frame = readFrame(tag);
      if (isClosed || frame.kind === 'other') return;
      if (frame.kind === 'video-config' || frame.kind === 'audio-config') return;
      const isKey = frame.kind === 'video' && frame.isKey;
      if (!program && isKey && Date.now() >= retryAtMs) start(tag.timestamp);
      if (!program?.input) return;
      if (program.input.writableLength > maxWaitingBytes) hasKey = false;
      else if (isKey) hasKey = true;
      if (hasKey) program.input.write(encodeFlvTag(tag));
    },
    restart: stop,
    close() {
      isClosed = true;
      stop();
    },
  };
}

function commandOf(targets: readonly Target[], { audio }: StreamHeaders): string[] {
  const input = `-v error -nostdin -max_pixels ${maximumPixels} -protocol_whitelist pipe,file -fflags nobuffer -probesize 200000 -copyts -f flv -i pipe:0`;
  const names = targets.map((_target, index) => `[v${index}]`);
  const scales = targets.map(
    ({ height }, index) => `[s${index}]scale='if(gt(iw,ih),-2,${height})':'if(gt(iw,ih),${height},-2)'[v${index}]`,
  );
  const splits = `[0:v]split=${targets.length}${targets.map((_target, index) => `[s${index}]`).join('')}`;
  return [
    ...input.split(' '),
    '-filter_complex',
    [splits, ...scales].join(';'),
    ...targets.flatMap(({ height }, index) => [
      '-map',
      names[index] ?? '',
      ...(audio ? '-map 0:a:0 -c:a copy' : '-an').split(' '),
      ...`-c:v libx264 -preset veryfast -tune zerolatency -pix_fmt yuv420p -sc_threshold 0 -g 600`.split(' '),
      '-force_key_frames',
      'expr:if(isnan(prev_forced_t),1,gte(t,prev_forced_t+2))',
      ...`-maxrate ${kbpsOf(height)}k -bufsize ${kbpsOf(height) * 2}k -crf 25 -flush_packets 1 -f flv pipe:${index + firstOutput}`.split(
        ' ',
      ),
    ]),
  ];
}
