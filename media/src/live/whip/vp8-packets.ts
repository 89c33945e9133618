import type { Depacketizer } from './h264-packets.ts';

export interface Vp8Frame {
  readonly timestamp: number;
  readonly isKey: boolean;
  readonly data: Buffer;
}

const maxFrameBytes = 8 * 1024 * 1024;

/** Assembles frames from RTP packets (RFC 7741). */
export function createVp8Depacketizer(onFrame: (frame: Vp8Frame) => void): Depacketizer<Vp8Frame> {
  let parts: Buffer[] = [];
  let size = 0;
  let needsKey = true;
  return {
    onFrame,
    push({ timestamp, isMarked, payload }) {
      const headerBytes = descriptorBytes(payload);
      const isStart = ((payload[0] ?? 0) & 0x17) === 0x10;
      if (isStart) [parts, size] = [[], 0];
      else if (parts.length === 0) return;
      if (payload.length <= headerBytes) return;
      parts.push(payload.subarray(headerBytes));
      size += payload.length;
      if (size > maxFrameBytes) return this.reset();
      if (!isMarked) return;
      const data = Buffer.concat(parts);
      parts = [];
      const isKey = ((data[0] ?? 1) & 1) === 0;
      if (needsKey && !isKey) return;
      needsKey = false;
      onFrame({ timestamp, isKey, data });
    },
    reset() {
      [parts, size, needsKey] = [[], 0, true];
    },
  };
}

/** The length of the payload descriptor. */
function descriptorBytes(payload: Buffer): number {
  const first = payload[0] ?? 0;
  if ((first & 0x80) === 0) return 1;
  const extension = payload[1] ?? 0;
  const pictureId = (extension & 0x80) === 0 ? 0 : ((payload[2] ?? 0) & 0x80) === 0 ? 1 : 2;
  const layer = (extension & 0x40) === 0 ? 0 : 1;
  const key = (extension & 0x30) === 0 ? 0 : 1;
  return 2 + pictureId + layer + key;
}
