/** A unit of FLV and RTMP: one frame of video or audio, or metadata. */
export interface FlvTag {
  readonly type: 'audio' | 'video' | 'data';
  /** In milliseconds. */
  readonly timestamp: number;
  readonly payload: Buffer;
}

export const tagNumbers = { audio: 8, video: 9, data: 18 } as const;
const tagTypes: Readonly<Record<number, FlvTag['type']>> = { 8: 'audio', 9: 'video', 18: 'data' };

export const flvHeader = Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);

const maximumTagBytes = 8 * 1024 * 1024;

export function encodeFlvTag({ type, timestamp, payload }: FlvTag): Buffer {
  const tag = Buffer.alloc(11 + payload.length + 4);
  tag[0] = tagNumbers[type];
  tag.writeUIntBE(payload.length, 1, 3);
  tag.writeUIntBE(timestamp & 0xffffff, 4, 3);
  tag[7] = (timestamp >>> 24) & 0xff;
  payload.copy(tag, 11);
  tag.writeUInt32BE(11 + payload.length, 11 + payload.length);
  return tag;
}

/** Splits an FLV stream. @throws Error if it is not FLV or a tag is too large */
export function createFlvReader(onTag: (tag: FlvTag) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  /** The bytes of the header that are still to skip; -1 before the length of the header is known. */
  let skip = -1;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (skip === -1) {
      if (rest.length < 9) return;
      if (rest.toString('latin1', 0, 3) !== 'FLV') throw new Error('This is not FLV.');
      skip = rest.readUInt32BE(5) + 4;
      if (skip > 1024) throw new Error('The FLV header is too long.');
    }
    let at = 0;
    if (skip > 0) {
      if (rest.length < skip) return;
      at = skip;
      skip = 0;
    }
    while (rest.length - at >= 11) {
      const size = rest.readUIntBE(at + 1, 3);
      if (size > maximumTagBytes) throw new Error('A tag is too large.');
      if (rest.length - at < 11 + size + 4) break;
      const type = tagTypes[(rest[at] ?? 0) & 0x1f];
      const timestamp = rest.readUIntBE(at + 4, 3) + (rest[at + 7] ?? 0) * 0x1000000;
      if (type) onTag({ type, timestamp, payload: rest.subarray(at + 11, at + 11 + size) });
      at += 11 + size + 4;
    }
    rest = rest.subarray(at);
  };
}
