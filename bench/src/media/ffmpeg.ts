import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { locatePrograms, type Programs } from '../../../media/src/ffmpeg/locate.ts';

export async function findPrograms(): Promise<Programs> {
  return await locatePrograms({ ffmpegPath: null, ffprobePath: null });
}

/** Runs ffmpeg to its end. @throws when it fails */
export async function runFfmpeg({ ffmpeg }: Programs, args: readonly string[], directory: string): Promise<void> {
  await promisify(execFile)(ffmpeg.path, [...args], { cwd: directory, maxBuffer: 64 * 1024 * 1024 });
}

/** Arguments of ffmpeg that generate a test clip. @param videoOptions encoder options, separated by one space */
export function clipArguments(seconds: number, videoOptions: string, output: string): string[] {
  const sources = `-f lavfi -i testsrc2=size=1280x720:rate=25 -f lavfi -i sine=frequency=440:sample_rate=48000`;
  return ['-v', 'error', '-y', ...`${sources} -t ${seconds} ${videoOptions} -c:a aac -b:a 128k`.split(' '), output];
}

/** Encodes H.264 that the media server can deliver without transcoding, with a key frame every two seconds. */
export const passThroughVideoOptions =
  '-c:v libx264 -preset veryfast -pix_fmt yuv420p -b:v 3M -maxrate 3M -bufsize 3M -g 50';

export interface Encoder {
  stop(): Promise<void>;
}

/** Sends a clip to an address in a loop, in real time and without transcoding. */
export function sendClip({ ffmpeg }: Programs, clip: string, address: string): Encoder {
  const input = ['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy'];
  return encoderOf(spawn(ffmpeg.path, [...input, '-f', 'flv', address], { stdio: 'ignore' }));
}

export function encoderOf(child: ChildProcess): Encoder {
  const ended = once(child, 'exit');
  return {
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
