import { UnusableInput } from './frame.ts';

export interface AvcConfig {
  /** As in FLV and MP4: the avcC box without its header. */
  readonly bytes: Buffer;
  /** Such as `avc1.64001f`. */
  readonly codec: string;
  readonly width: number;
  readonly height: number;
}

const maxSide = 8192;

/** Reads an AVCDecoderConfigurationRecord. @throws UnusableInput */
export function readAvcConfig(bytes: Buffer): AvcConfig {
  const damaged = () => new UnusableInput('damaged', 'The configuration of the video is damaged.');
  const length = bytes.length >= 8 ? bytes.readUInt16BE(6) : 0;
  if (bytes[0] !== 1 || ((bytes[5] ?? 0) & 0x1f) === 0 || length < 4 || bytes.length < 8 + length) throw damaged();
  const { width, height } = readSize(bytes.subarray(8, 8 + length));
  if (width < 16 || height < 16 || width > maxSide || height > maxSide) throw damaged();
  return { bytes: Buffer.from(bytes), codec: `avc1.${bytes.toString('hex', 1, 4)}`, width, height };
}

const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** The size of the video, from a sequence parameter set (ITU-T H.264, 7.3.2.1.1). */
function readSize(nal: Buffer): { width: number; height: number } {
  const bits = createBitReader(nal);
  bits.skip(8);
  const profile = bits.read(8);
  bits.skip(16);
  bits.unsigned();
  let chroma = 1;
  if (highProfiles.has(profile)) {
    chroma = bits.unsigned();
    if (chroma === 3) bits.skip(1);
    bits.unsigned();
    bits.unsigned();
    bits.skip(1);
    if (bits.read(1) === 1) skipScalingLists(bits, chroma === 3 ? 12 : 8);
  }
  bits.unsigned();
  const orderType = bits.unsigned();
  if (orderType === 0) bits.unsigned();
  else if (orderType === 1) {
    bits.skip(1);
    bits.signed();
    bits.signed();
    const count = Math.min(bits.unsigned(), 255);
    for (let index = 0; index < count; index++) bits.signed();
  }
  bits.unsigned();
  bits.skip(1);
  const widthInBlocks = bits.unsigned() + 1;
  const heightInUnits = bits.unsigned() + 1;
  const fieldFactor = bits.read(1) === 1 ? 1 : 2;
  if (fieldFactor === 2) bits.skip(1);
  bits.skip(1);
  const crop = bits.read(1) === 1 ? [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()] : [];
  const [left = 0, right = 0, top = 0, bottom = 0] = crop;
  const unitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const unitY = (chroma === 1 ? 2 : 1) * fieldFactor;
  return {
    width: widthInBlocks * 16 - (left + right) * unitX,
    height: heightInUnits * 16 * fieldFactor - (top + bottom) * unitY,
  };
}

interface BitReader {
  read(count: number): number;
  skip(count: number): void;
  /** An Exp-Golomb code, ue(v). */
  unsigned(): number;
  /** A signed Exp-Golomb code, se(v). */
  signed(): number;
}

function skipScalingLists(bits: BitReader, count: number): void {
  for (let list = 0; list < count; list++) {
    if (bits.read(1) === 0) continue;
    let [last, next] = [8, 8];
    for (let index = 0; index < (list < 6 ? 16 : 64); index++) {
      if (next !== 0) next = (last + bits.signed() + 256) % 256;
      last = next === 0 ? last : next;
    }
  }
}

/** Reads bits without the emulation prevention bytes; zeros after the end. */
function createBitReader(nal: Buffer): BitReader {
  const bytes: number[] = [];
  for (let index = 0; index < nal.length; index++) {
    if (index >= 2 && nal[index] === 3 && nal[index - 1] === 0 && nal[index - 2] === 0) continue;
    bytes.push(nal[index] ?? 0);
  }
  let at = 0;
  const bit = () => {
    const value = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
    at += 1;
    return value;
  };
  const read = (count: number) => {
    let value = 0;
    for (let index = 0; index < count; index++) value = value * 2 + bit();
    return value;
  };
  const unsigned = () => {
    let zeros = 0;
    while (zeros < 32 && bit() === 0) zeros += 1;
    return 2 ** zeros - 1 + read(zeros);
  };
  return {
    read,
    skip: (count) => void (at += count),
    unsigned,
    signed: () => {
      const value = unsigned();
      return value % 2 === 1 ? (value + 1) / 2 : -value / 2;
    },
  };
}
