import type { MediaPacket } from './reorder-buffer.ts';

/** A frame as NAL units. */
export interface AccessUnit {
  readonly timestamp: number;
  readonly isKey: boolean;
  readonly sps: Buffer | null;
  readonly pps: Buffer | null;
  /** Each NAL unit after its length in 4 bytes, as in MP4. */
  readonly data: Buffer;
}

export interface Depacketizer<Frame> {
  push(packet: MediaPacket): void;
  /** Called when packets are missing. Drops the frames until the next key frame, since they cannot be decoded. */
  reset(): void;
  readonly onFrame: (frame: Frame) => void;
}

const nalTypes = { idr: 5, sps: 7, pps: 8, delimiter: 9, stapA: 24, fuA: 28 } as const;
const maxFrameBytes = 8 * 1024 * 1024;

/** Assembles frames from RTP packets (RFC 6184, packetization modes 0 and 1). */
export function createH264Depacketizer(onFrame: (frame: AccessUnit) => void): Depacketizer<AccessUnit> {
  let units: Buffer[] = [];
  let fragments: Buffer[] = [];
  let timestamp = 0;
  let size = 0;
  let needsKey = true;
  /**
   * The timestamp of the frame to drop; `next` for the frame of the next packet. After a loss, the rest of the frame is
   * dropped, since one slice alone would look complete.
   */
  let droppedFrame: number | 'next' | null = null;

  function finish(): void {
    const complete = units;
    units = [];
    fragments = [];
    size = 0;
    const typeOf = (unit: Buffer) => (unit[0] ?? 0) & 0x1f;
    const find = (type: number) => complete.find((unit) => typeOf(unit) === type) ?? null;
    const isKey = find(nalTypes.idr) !== null;
    const frameUnits = complete.filter((unit) => typeOf(unit) >= 1 && typeOf(unit) < nalTypes.sps);
    if (frameUnits.length === 0 || (needsKey && !isKey)) return;
    needsKey = false;
    const data = Buffer.concat(frameUnits.flatMap((unit) => [encodeLength(unit), unit]));
    onFrame({ timestamp, isKey, sps: find(nalTypes.sps), pps: find(nalTypes.pps), data });
  }

  function add(payload: Buffer): void {
    const header = payload[0] ?? 0;
    const type = header & 0x1f;
    if (type >= 1 && type <= 23) return void units.push(payload);
    if (type === nalTypes.stapA) {
      for (let at = 1; at + 2 < payload.length;) {
        const end = at + 2 + payload.readUInt16BE(at);
        if (end > payload.length) return;
        if (end > at + 2) units.push(payload.subarray(at + 2, end));
        at = end;
      }
    }
    if (type !== nalTypes.fuA || payload.length < 3) return;
    const flags = payload[1] ?? 0;
    if ((flags & 0x80) !== 0) fragments = [Buffer.from([(header & 0xe0) | (flags & 0x1f)])];
    if (fragments.length === 0) return;
    fragments.push(payload.subarray(2));
    if ((flags & 0x40) === 0) return;
    units.push(Buffer.concat(fragments));
    fragments = [];
  }

  return {
    onFrame,
    push(packet) {
      if (droppedFrame === 'next') droppedFrame = packet.timestamp;
      if (droppedFrame === packet.timestamp) {
        if (packet.isMarked) droppedFrame = null;
        return;
      }
      droppedFrame = null;
      if (packet.timestamp !== timestamp && units.length > 0) finish();
      timestamp = packet.timestamp;
      size += packet.payload.length;
      if (size > maxFrameBytes) this.reset();
      add(packet.payload);
      if (packet.isMarked) finish();
    },
    reset() {
      [units, fragments, size, needsKey, droppedFrame] = [[], [], 0, true, 'next'];
    },
  };
}

function encodeLength(unit: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(unit.length);
  return bytes;
}

/** An AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.2.4.1). */
export function avcConfigOf(sps: Buffer, pps: Buffer): Buffer {
  const size = (unit: Buffer) => Buffer.from([unit.length >>> 8, unit.length & 0xff]);
  const profile = [sps[1] ?? 0, sps[2] ?? 0, sps[3] ?? 0];
  return Buffer.concat([Buffer.from([1, ...profile, 0xff, 0xe1]), size(sps), sps, Buffer.from([1]), size(pps), pps]);
}
