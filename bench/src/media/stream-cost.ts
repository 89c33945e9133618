import { randomUUID } from 'node:crypto';
import type { Programs } from '../../../media/src/ffmpeg/locate.ts';
import { type Encoder, sendClip } from './ffmpeg.ts';
import type { MediaServer } from './media-server.ts';

/** Cost for the media server of one more stream, or of one more output. */
export interface Cost {
  /** Share of one core. */
  readonly cpu: number;
  /** Resident memory. */
  readonly bytes: number;
}

export interface StreamCosts {
  readonly perStream: Cost;
  readonly perOutput: Cost;
}

const streams = 4;
const outputs = 4;

/** @param sink receives the streams of the outputs */
export async function measureStreams(
  { media, sink, programs, clip }: StreamBenchOptions,
  seconds: number,
): Promise<StreamCosts> {
  const encoders: Encoder[] = [];
  try {
    const idle = await measure(media, seconds);
    for (let count = 0; count < streams; count++) {
      const { address, roomId } = await media.createStream();
      encoders.push(sendClip(programs, clip, address));
      await waitUntilLive(media, roomId);
    }
    const live = await measure(media, seconds);
    const targets = await Promise.all(Array.from({ length: outputs }, () => sink.createStream()));
    const { address, roomId } = await media.createStream({
      service_type: 'simulcast',
      has_viewers: false,
      outputs: targets.map(({ key }) => ({ id: randomUUID(), url: sink.rtmpUrl, stream_key: key, enabled: true })),
    });
    encoders.push(sendClip(programs, clip, address));
    await waitUntilLive(media, roomId);
    for (const target of targets) await waitUntilLive(sink, target.roomId);
    const sending = await measure(media, seconds);
    const perStream = { cpu: (live.cpu - idle.cpu) / streams, bytes: (live.bytes - idle.bytes) / streams };
    const perOutput = {
      cpu: (sending.cpu - live.cpu - perStream.cpu) / outputs,
      bytes: Math.max(0, (sending.bytes - live.bytes - perStream.bytes) / outputs),
    };
    return { perStream, perOutput };
  } finally {
    for (const encoder of encoders) await encoder.stop();
  }
}

export interface StreamBenchOptions {
  readonly media: MediaServer;
  readonly sink: MediaServer;
  readonly programs: Programs;
  /** A file with one minute of 720p at 3 Mbit/s. */
  readonly clip: string;
}

async function waitUntilLive(media: MediaServer, roomId: string): Promise<void> {
  for (const until = Date.now() + 20_000; Date.now() < until;) {
    const { state } = await media.call('GET', `/v1/streams/${roomId}`);
    if (state === 'live') return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The stream did not become live.');
}

async function measure(media: MediaServer, seconds: number): Promise<Cost> {
  const before = await media.figures();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = await media.figures();
  return { cpu: (after.cpuSeconds - before.cpuSeconds) / seconds, bytes: after.rssBytes };
}
