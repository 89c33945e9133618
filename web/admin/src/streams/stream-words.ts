import type { StreamRow } from '../nouns/rows.ts';

type Input = NonNullable<StreamRow['input']>;

/** The input of an encoder as names and values. */
export function inputFacts(input: Input): (readonly [string, string])[] {
  const { width, height, fps, video_kbps: video, audio_kbps: audio, keyframe_seconds: keyframes } = input;
  return [
    ['Resolution', width === null || height === null ? unknown : `${width} × ${height}`],
    ['Frames per second', fps === null ? unknown : oneDecimal(fps)],
    ['Video bitrate', video === null ? unknown : kbpsText(video)],
    ['Audio bitrate', audio === null ? unknown : audio === 0 ? 'No sound' : kbpsText(audio)],
    ['Keyframe interval', keyframes === null ? unknown : `${oneDecimal(keyframes)} s`],
  ];
}

const unknown = '–';

/** "850 kbit/s", "4.2 Mbit/s". */
export function kbpsText(kbps: number): string {
  return kbps < 1000 ? `${kbps} kbit/s` : `${oneDecimal(kbps / 1000)} Mbit/s`;
}

function oneDecimal(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 1 });
}

/** What the stream does, and what to do next. @param hasSessions whether the room has broadcast before */
export function stateSentence(stream: Pick<StreamRow, 'state' | 'source'>, hasSessions: boolean): string {
  if (stream.state === 'live')
    return stream.source === null ? 'The encoder is sending.' : 'The media server fetches the source.';
  if (stream.state === 'reconnecting')
    return 'The encoder has lost its connection. If it reconnects within 30 seconds, the session continues.';
  if (stream.source !== null) return 'The media server tries the source again until it responds.';
  return hasSessions
    ? 'The last broadcast has ended. Start the encoder to begin a new one.'
    : 'Start the encoder: the broadcast begins a few seconds later.';
}

export const stateTitles = {
  idle: 'Waiting for the encoder',
  live: 'Live',
  reconnecting: 'Reconnecting',
} as const;

/** How often to poll a stream; false if not. Health and bitrates have no events. */
export function streamPollMs(stream: Pick<StreamRow, 'state' | 'source'> | undefined): number | false {
  if (stream === undefined) return false;
  return stream.state !== 'idle' || stream.source !== null ? 2000 : false;
}
