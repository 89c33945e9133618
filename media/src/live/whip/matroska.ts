/** Writes a live Matroska stream for a pipe (RFC 9559): one segment and clusters, all of unknown length. */

export type VideoTrack = { readonly codec: 'h264'; readonly config: Buffer } | { readonly codec: 'vp8' };

export const videoTrackNumber = 1;
export const audioTrackNumber = 2;

const ids = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  track: 0xae,
  number: 0xd7,
  uid: 0x73c5,
  type: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;

const unknownLength = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

function encodeNumber(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

function element(id: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.alloc(8);
  length.writeUInt32BE(0x01000000);
  length.writeUInt32BE(body.length, 4);
  return Buffer.concat([encodeNumber(id), length, body]);
}

const encodeText = (value: string) => Buffer.from(value, 'latin1');

/** @param size of the video, in pixels */
export function encodeMatroskaHeader(
  video: VideoTrack,
  size: { readonly width: number; readonly height: number },
  hasAudio: boolean,
): Buffer {
  const ebml = element(
    ids.ebml,
    element(ids.docType, encodeText('matroska')),
    element(ids.docTypeVersion, encodeNumber(4)),
    element(ids.docTypeReadVersion, encodeNumber(2)),
  );
  const info = element(
    ids.info,
    element(ids.timestampScale, encodeNumber(1_000_000)),
    element(ids.muxingApp, encodeText('foyer')),
    element(ids.writingApp, encodeText('foyer')),
  );
  const videoTrack = element(
    ids.track,
    ...trackHead(videoTrackNumber, 1),
    element(ids.codec, encodeText(video.codec === 'h264' ? 'V_MPEG4/ISO/AVC' : 'V_VP8')),
    ...(video.codec === 'h264' ? [element(ids.codecPrivate, video.config)] : []),
    element(ids.video, element(ids.width, encodeNumber(size.width)), element(ids.height, encodeNumber(size.height))),
  );
  const rate = Buffer.alloc(8);
  rate.writeDoubleBE(48_000);
  const sound = element(
    ids.track,
    ...trackHead(audioTrackNumber, 2),
    element(ids.codec, encodeText('A_OPUS')),
    element(ids.codecPrivate, opusHead()),
    element(ids.audio, element(ids.rate, rate), element(ids.channels, encodeNumber(2))),
  );
  const tracks = element(ids.tracks, videoTrack, ...(hasAudio ? [sound] : []));
  return Buffer.concat([ebml, encodeNumber(ids.segment), unknownLength, info, tracks]);
}

function trackHead(track: number, type: number): Buffer[] {
  return [
    element(ids.number, encodeNumber(track)),
    element(ids.uid, encodeNumber(track)),
    element(ids.type, encodeNumber(type)),
  ];
}

/** The identification header of Ogg Opus (RFC 7845, 5.1). */
function opusHead(): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head[8] = 1;
  head[9] = 2;
  head.writeUInt32LE(48_000, 12);
  return head;
}

export interface MatroskaBlock {
  readonly track: number;
  /** In milliseconds. */
  readonly timestamp: number;
  readonly isKey: boolean;
  readonly data: Buffer;
}

/** Encodes the block as a cluster of its own, so that no length has to be known in advance. */
export function encodeMatroskaCluster({ track, timestamp, isKey, data }: MatroskaBlock): Buffer {
  const head = Buffer.from([0x80 | track, 0, 0, isKey ? 0x80 : 0]);
  return element(ids.cluster, element(ids.timestamp, encodeNumber(timestamp)), element(ids.simpleBlock, head, data));
}
