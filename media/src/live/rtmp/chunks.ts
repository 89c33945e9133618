/** An RTMP message, assembled from its chunks. */
export interface RtmpMessage {
  readonly type: number;
  readonly streamId: number;
  /** In milliseconds. */
  readonly timestamp: number;
  readonly payload: Buffer;
}

export const messageTypes = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowSize: 5,
  peerBandwidth: 6,
  audio: 8,
  video: 9,
  data: 18,
  command: 20,
} as const;

interface ChunkStream {
  timestamp: number;
  delta: number;
  hasExtended: boolean;
  length: number;
  type: number;
  streamId: number;
  parts: Buffer[];
  receivedBytes: number;
}

const maxStreams = 32;
/** The limit of all incomplete messages together, as a multiple of the longest message. */
const maxPendingMessages = 2;
const defaultChunkSize = 128;
/** Marks a timestamp that follows in an extended field. */
const extended = 0xffffff;
const headerBytes = [11, 7, 3, 0] as const;

export interface ChunkReader {
  read(bytes: Buffer): void;
  /** The longest message from now on; longer ones end the connection. */
  setMaximum(bytes: number): void;
}

/** Assembles chunks (RTMP 1.0, 5.3). `read` throws if the peer violates the protocol or a limit. */
export function createChunkReader(maximum: number, onMessage: (message: RtmpMessage) => void): ChunkReader {
  const streams = new Map<number, ChunkStream>();
  let chunkSize = defaultChunkSize;
  let maximumBytes = maximum;
  let pendingBytes = 0;
  let rest: Buffer = Buffer.alloc(0);

  function streamOf(id: number, format: number): ChunkStream {
    const existing = streams.get(id);
    if (existing) return existing;
    if (format !== 0 && format !== 1) throw new Error('The first chunk of a stream has no header.');
    if (streams.size >= maxStreams) throw new Error('There are too many chunk streams.');
    const created = {
      timestamp: 0,
      delta: 0,
      hasExtended: false,
      length: 0,
      type: 0,
      streamId: 0,
      parts: [],
      receivedBytes: 0,
    };
    streams.set(id, created);
    return created;
  }

  /** @returns the number of consumed bytes; 0 if the chunk is incomplete */
  function readChunk(bytes: Buffer): number {
    const [first = 0] = bytes;
    const format = first >>> 6;
    let at = 1;
    let id = first & 0x3f;
    if (id < 2) {
      if (bytes.length < 2 + id) return 0;
      id = id === 0 ? 64 + (bytes[1] ?? 0) : 64 + (bytes[1] ?? 0) + (bytes[2] ?? 0) * 256;
      at += first & 0x3f ? 2 : 1;
    }
    const headerLength = headerBytes[format as 0 | 1 | 2 | 3];
    if (bytes.length < at + headerLength) return 0;
    const known = streams.get(id);
    const field = headerLength >= 3 ? bytes.readUIntBE(at, 3) : 0;
    const hasExtended = headerLength >= 3 ? field === extended : (known?.hasExtended ?? false);
    const bodyAt = at + headerLength + (hasExtended ? 4 : 0);
    if (bytes.length < bodyAt) return 0;
    const length = headerLength >= 7 ? bytes.readUIntBE(at + 3, 3) : (known?.length ?? 0);
    if (length > maximumBytes) throw new Error('A message is too long.');
    const isContinued = format === 3 && (known?.receivedBytes ?? 0) > 0;
    const receivedBytes = isContinued ? (known?.receivedBytes ?? 0) : 0;
    const size = Math.min(chunkSize, length - receivedBytes);
    if (bytes.length < bodyAt + size) return 0;

    const stream = streamOf(id, format);
    if (!isContinued) {
      drop(stream);
      const time = hasExtended && headerLength >= 3 ? bytes.readUInt32BE(at + headerLength) : field;
      if (format === 0) {
        stream.timestamp = time;
        stream.delta = 0;
      } else if (format !== 3) stream.delta = time;
      if (format !== 0) stream.timestamp = (stream.timestamp + stream.delta) >>> 0;
      stream.hasExtended = hasExtended;
      stream.length = length;
      if (headerLength >= 7) stream.type = bytes[at + 6] ?? 0;
      if (headerLength === 11) stream.streamId = bytes.readUInt32LE(at + 7);
    }
    if (size > 0) stream.parts.push(Buffer.from(bytes.subarray(bodyAt, bodyAt + size)));
    stream.receivedBytes += size;
    pendingBytes += size;
    if (pendingBytes > maximumBytes * maxPendingMessages) throw new Error('There are too many messages at once.');
    if (stream.receivedBytes >= stream.length) complete(stream);
    return bodyAt + size;
  }

  function drop(stream: ChunkStream): void {
    pendingBytes -= stream.receivedBytes;
    stream.parts = [];
    stream.receivedBytes = 0;
  }

  function complete(stream: ChunkStream): void {
    const { type, streamId, timestamp, parts } = stream;
    const payload = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    drop(stream);
    if (type === messageTypes.setChunkSize && payload.length >= 4) {
      chunkSize = payload.readUInt32BE(0) & 0x7fffffff;
      if (chunkSize < 1) throw new Error('The chunk size is 0.');
      // The length of a message has 24 bits, so no chunk is longer.
      chunkSize = Math.min(chunkSize, extended);
    } else if (type === messageTypes.abort && payload.length >= 4) {
      const aborted = streams.get(payload.readUInt32BE(0));
      if (aborted) drop(aborted);
    } else onMessage({ type, streamId, timestamp, payload });
  }

  return {
    read(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      let at = 0;
      while (at < rest.length) {
        const used = readChunk(rest.subarray(at));
        if (used === 0) break;
        at += used;
      }
      rest = at === rest.length ? Buffer.alloc(0) : rest.subarray(at);
    },
    setMaximum(bytes) {
      maximumBytes = bytes;
    },
  };
}

export const sentChunkSize = 60_000;

/** Encodes a message as chunks of at most `sentChunkSize`. */
export function encodeMessage({ type, streamId, timestamp, payload }: RtmpMessage, chunkStream: number): Buffer {
  const time = timestamp >>> 0;
  const isExtended = time >= extended;
  const header = Buffer.alloc(isExtended ? 16 : 12);
  header[0] = chunkStream;
  header.writeUIntBE(isExtended ? extended : time, 1, 3);
  header.writeUIntBE(payload.length, 4, 3);
  header[7] = type;
  header.writeUInt32LE(streamId, 8);
  if (isExtended) header.writeUInt32BE(time, 12);
  const parts: Buffer[] = [header];
  const continuationHeader = Buffer.concat([
    Buffer.from([0xc0 | chunkStream]),
    ...(isExtended ? [header.subarray(12)] : []),
  ]);
  for (let at = 0; at < payload.length; at += sentChunkSize) {
    if (at > 0) parts.push(continuationHeader);
    parts.push(payload.subarray(at, at + sentChunkSize));
  }
  return Buffer.concat(parts);
}
