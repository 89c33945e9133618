import { UnusableInput } from './frame.ts';

export interface AacConfig {
  /** The AudioSpecificConfig. */
  readonly bytes: Buffer;
  /** Such as `mp4a.40.2`. */
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
}

export const samplesPerFrame = 1024;

const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const maxConfigBytes = 64;

/** Reads an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). @throws UnusableInput */
export function readAacConfig(bytes: Buffer): AacConfig {
  const [first = 0, second = 0] = bytes;
  const objectType = first >>> 3;
  const sampleRate = sampleRates[((first & 7) << 1) | (second >>> 7)];
  const channels = (second >>> 3) & 0x0f;
  if (bytes.length < 2 || bytes.length > maxConfigBytes || sampleRate === undefined || objectType === 0)
    throw new UnusableInput('damaged', 'The description of the sound is damaged.');
  return { bytes: Buffer.from(bytes), codec: `mp4a.40.${objectType}`, sampleRate, channels: channels || 2 };
}
