import type { AacConfig } from './aac.ts';
import type { AvcConfig } from './avc.ts';

export interface Tracks {
  readonly video: AvcConfig | null;
  readonly audio: AacConfig | null;
}

export interface Sample {
  readonly data: Buffer;
  /** In units of the track's time scale. */
  readonly duration: number;
  /** Composition time minus decoding time, in the same units. */
  readonly offset: number;
  readonly isKey: boolean;
}

/** Consecutive samples of one track. */
export interface Run {
  readonly trackId: number;
  /** Decoding time of the first sample, in units of the track's time scale. */
  readonly startsAt: number;
  readonly samples: readonly Sample[];
}

export const videoTrack = 1;
export const audioTrack = 2;
export const videoTimeScale = 90_000;

/** A box of ISO/IEC 14496-12. */
function box(type: string, ...content: readonly (Buffer | readonly number[])[]): Buffer {
  const parts = content.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(part)));
  const size = 8 + parts.reduce((sum, { length }) => sum + length, 0);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...parts], size);
}

function fullBox(type: string, flags: number, ...content: readonly (Buffer | readonly number[])[]): Buffer {
  return box(type, u32(flags), ...content);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2);
  return bytes;
}

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** The initialization segment, which players need before the fragments. */
export function encodeInitSegment({ video, audio }: Tracks): Buffer {
  const tracks = [...(video ? [videoTrackBox(video)] : []), ...(audio ? [audioTrackBox(audio)] : [])];
  const ids = [...(video ? [videoTrack] : []), ...(audio ? [audioTrack] : [])];
  const mvhd = fullBox('mvhd', 0, u32(0, 0, 1000, 0, 0x10000, 0x1000000, 0, 0), matrix, Buffer.alloc(24), u32(3));
  const trex = ids.map((id) => fullBox('trex', 0, u32(id, 1, 0, 0, 0)));
  return Buffer.concat([
    box('ftyp', Buffer.from('iso5'), u32(512), Buffer.from('iso5iso6mp41')),
    box('moov', mvhd, ...tracks, box('mvex', ...trex)),
  ]);
}

interface TrackBox {
  readonly id: number;
  readonly scale: number;
  readonly handler: 'vide' | 'soun';
  readonly size: readonly [number, number];
  readonly entry: Buffer;
}

function trackBox({ id, scale, handler, size: [width, height], entry }: TrackBox): Buffer {
  const isSound = handler === 'soun';
  const tkhd = fullBox(
    'tkhd',
    7,
    u32(0, 0, id, 0, 0, 0, 0),
    u16(0, 0, isSound ? 0x100 : 0, 0),
    matrix,
    u32(width * 0x10000, height * 0x10000),
  );
  const mediaHeader = isSound ? fullBox('smhd', 0, u32(0)) : fullBox('vmhd', 1, u16(0, 0, 0, 0));
  const stbl = box(
    'stbl',
    fullBox('stsd', 0, u32(1), entry),
    fullBox('stts', 0, u32(0)),
    fullBox('stsc', 0, u32(0)),
    fullBox('stsz', 0, u32(0, 0)),
    fullBox('stco', 0, u32(0)),
  );
  const mdia = box(
    'mdia',
    fullBox('mdhd', 0, u32(0, 0, scale, 0), u16(0x55c4, 0)),
    fullBox('hdlr', 0, u32(0), Buffer.from(handler), Buffer.alloc(13)),
    box('minf', mediaHeader, box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1))), stbl),
  );
  return box('trak', tkhd, mdia);
}

function videoTrackBox({ width, height, bytes }: AvcConfig): Buffer {
  const entry = box(
    'avc1',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(0x18, 0xffff),
    box('avcC', bytes),
  );
  return trackBox({ id: videoTrack, scale: videoTimeScale, handler: 'vide', size: [width, height], entry });
}

function audioTrackBox({ sampleRate, channels, bytes }: AacConfig): Buffer {
  const specific = descriptor(5, bytes);
  const decoder = descriptor(4, Buffer.concat([Buffer.from([0x40, 0x15, 0, 0, 0]), u32(0, 0), specific]));
  const esds = fullBox(
    'esds',
    0,
    descriptor(3, Buffer.concat([Buffer.from([0, 2, 0]), decoder, descriptor(6, Buffer.from([2]))])),
  );
  const entry = box(
    'mp4a',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(8),
    u16(channels, 16, 0, 0),
    u32(sampleRate > 0xffff ? 0 : sampleRate * 0x10000),
    esds,
  );
  return trackBox({ id: audioTrack, scale: sampleRate, handler: 'soun', size: [0, 0], entry });
}

/** A descriptor of ISO/IEC 14496-1 with a length below 128. */
function descriptor(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

const keySampleFlags = 0x02000000;
const deltaSampleFlags = 0x01010000;

/** Encodes a fragment: a `moof` with its `mdat`. */
export function encodeFragment(sequence: number, runs: readonly Run[]): Buffer {
  const nonEmptyRuns = runs.filter(({ samples }) => samples.length > 0);
  const data = nonEmptyRuns.flatMap(({ samples }) => samples.map((sample) => sample.data));
  const build = (offsets: readonly number[]) =>
    box(
      'moof',
      fullBox('mfhd', 0, u32(sequence)),
      ...nonEmptyRuns.map((run, index) => trackFragment(run, offsets[index] ?? 0)),
    );
  const { length } = build([]);
  let offset = length + 8;
  const offsets = nonEmptyRuns.map(({ samples }) => {
    const trackOffset = offset;
    offset += samples.reduce((sum, sample) => sum + sample.data.length, 0);
    return trackOffset;
  });
  return Buffer.concat([build(offsets), box('mdat', ...data)]);
}

function trackFragment({ trackId, startsAt, samples }: Run, dataOffset: number): Buffer {
  const rows = samples.flatMap(({ duration, data, isKey, offset }) => [
    duration,
    data.length,
    isKey ? keySampleFlags : deltaSampleFlags,
    offset,
  ]);
  const tfdt = Buffer.alloc(12);
  tfdt.writeUInt32BE(0x01000000, 0);
  tfdt.writeBigUInt64BE(BigInt(Math.max(0, Math.round(startsAt))), 4);
  return box(
    'traf',
    fullBox('tfhd', 0x020000, u32(trackId)),
    box('tfdt', tfdt),
    // Version 1: signed offsets. The data offset, and duration, size, flags and offset of each sample.
    fullBox('trun', 0x01000f01, u32(samples.length, dataOffset, ...rows)),
  );
}
