import type { FlvTag } from './flv.ts';

export type Frame =
  | { readonly kind: 'video-config' | 'audio-config'; readonly config: Buffer }
  | {
      readonly kind: 'video';
      readonly isKey: boolean;
      /** Presentation minus decoding time, in milliseconds. */
      readonly offset: number;
      readonly data: Buffer;
    }
  | { readonly kind: 'audio'; readonly data: Buffer }
  | { readonly kind: 'other' };

/** Why an encoder is disconnected: a code and a sentence for its user. */
export class UnusableInput extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnusableInput';
    this.code = code;
  }
}

const other: Frame = { kind: 'other' };

/** Parses a tag. @throws UnusableInput for codecs that some browsers cannot play */
export function readFrame({ type, payload }: FlvTag): Frame {
  const [first = 0, packetType = 0] = payload;
  if (payload.length < 2) return other;
  if (type === 'video') {
    // Enhanced RTMP has a FourCC for the codec.
    if ((first & 0x80) !== 0) throw unsupportedCodec(payload.toString('latin1', 1, 5));
    if ((first & 0x0f) !== 7) throw unsupportedCodec((first & 0x0f) === 12 ? 'hvc1' : `video codec ${first & 0x0f}`);
    if (payload.length < 5) return other;
    const data = payload.subarray(5);
    if (packetType === 0) return { kind: 'video-config', config: data };
    if (packetType !== 1 || data.length === 0) return other;
    return { kind: 'video', isKey: first >>> 4 === 1, offset: payload.readIntBE(2, 3), data };
  }
  if (type === 'audio') {
    if (first >>> 4 !== 10)
      throw new UnusableInput('audio-codec', 'The sound is not AAC. Set the audio encoder to AAC.');
    const data = payload.subarray(2);
    // ffmpeg sends an empty header until it knows the settings of a source.
    if (data.length === 0) return other;
    return packetType === 0 ? { kind: 'audio-config', config: data } : { kind: 'audio', data };
  }
  return other;
}

const codecNames: Readonly<Record<string, string>> = { hvc1: 'HEVC', av01: 'AV1', vp09: 'VP9', vp08: 'VP8' };

function unsupportedCodec(codec: string): UnusableInput {
  const name = codecNames[codec] ?? 'this codec';
  return new UnusableInput(
    'video-codec',
    `The picture is sent as ${name}, which is not supported. Set the video encoder to H.264.`,
  );
}
