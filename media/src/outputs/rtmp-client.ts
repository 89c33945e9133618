import type { Socket } from 'node:net';
import { type FlvTag, tagNumbers } from '../live/media/flv.ts';
import { type AmfValue, decodeAmf, encodeAmf } from '../live/rtmp/amf0.ts';
import {
  createChunkReader,
  encodeMessage,
  messageTypes,
  sentChunkSize,
  type RtmpMessage,
} from '../live/rtmp/chunks.ts';
import { confirmGreeting, createGreeting, serverGreetingBytes } from '../live/rtmp/handshake.ts';
import { connectAllowed } from '../network/address-rule.ts';
import { ConnectionFailure } from '../network/connection-errors.ts';

export interface RtmpTarget {
  /** Such as `rtmps://host/app`. */
  readonly url: string;
  readonly streamKey: string;
  readonly arePrivateAddressesAllowed: boolean;
}

export interface RtmpClient {
  send(tag: FlvTag): void;
  /** Bytes that the operating system has accepted. */
  readonly sentBytes: number;
  /** Bytes that are buffered because the target is too slow. */
  readonly waitingBytes: number;
  /**
   * Whether the target has stopped acknowledging data. Operating systems buffer megabytes for a process that hangs, so
   * `sentBytes` alone would show it late.
   */
  readonly isUnacknowledged: boolean;
  close(): void;
}

/** The target refused the stream: an immediate retry does not help. */
export class TargetRefused extends ConnectionFailure {
  constructor(description: string) {
    super('target-refused', `The target refused the stream: ${description}`);
    this.name = 'TargetRefused';
  }
}

const publishTimeoutMs = 15_000;
const maxMessageBytes = 64 * 1024;
const closeTimeoutMs = 2000;
/** After this many bytes, the target is asked to send an acknowledgement (RTMP 1.0, 5.4.4). */
const windowBytes = 64 * 1024;

/**
 * Publishes to another RTMP server.
 * @param onClosed called once when the established connection ends
 */
export async function publishByRtmp(
  { url, streamKey, arePrivateAddressesAllowed }: RtmpTarget,
  onClosed: (error: Error) => void,
): Promise<RtmpClient> {
  const { host, port, isTls, app, key } = readTarget(url, streamKey);
  const socket = await connectAllowed({ host, port, isTls }, arePrivateAddressesAllowed);
  // Without the query of the address, as other encoders do. It may contain a password.
  const tcUrl = `${isTls ? 'rtmps' : 'rtmp'}://${new URL(url).host}/${app}`;
  const sentBytes = () => socket.bytesWritten - socket.writableLength;
  const acknowledgements = createAcknowledgements(sentBytes);
  await publish(socket, { app, tcUrl, streamKey: key, onAcknowledgement: acknowledgements.add });
  socket.once('close', () => onClosed(new ConnectionFailure('connection-closed', 'The target closed the connection.')));
  return {
    send({ type, timestamp, payload }) {
      const message = { type: tagNumbers[type], streamId: 1, timestamp, payload };
      if (!socket.destroyed) socket.write(encodeMessage(message, type === 'audio' ? 4 : 6));
    },
    get sentBytes() {
      return sentBytes();
    },
    get waitingBytes() {
      return socket.writableLength;
    },
    get isUnacknowledged() {
      return acknowledgements.areOverdue();
    },
    close() {
      socket.destroySoon();
      setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
    },
  };
}

/** Not every target acknowledges, and some choose the window themselves, so the window is measured. */
function createAcknowledgements(sentBytes: () => number) {
  let count = 0;
  let sentAtLastAcknowledgement = 0;
  let longestWindow = windowBytes;
  return {
    add() {
      longestWindow = Math.max(longestWindow, sentBytes() - sentAtLastAcknowledgement);
      sentAtLastAcknowledgement = sentBytes();
      count += 1;
    },
    areOverdue: () => count >= 2 && sentBytes() - sentAtLastAcknowledgement > 2 * longestWindow,
  };
}

/** Without a separate stream key, the last segment of the path is the key. */
export function readTarget(url: string, streamKey: string) {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const isTls = protocol === 'rtmps:';
  const parts = pathname.split('/').filter((part) => part !== '');
  const key = streamKey === '' ? (parts.pop() ?? '') + search : streamKey;
  const app = parts.join('/') + (streamKey === '' ? '' : search);
  return { host: hostname, port: port === '' ? (isTls ? 443 : 1935) : Number(port), isTls, app, key };
}

interface Publication {
  readonly app: string;
  readonly tcUrl: string;
  readonly streamKey: string;
  readonly onAcknowledgement: () => void;
}

async function publish(socket: Socket, { app, tcUrl, streamKey, onAcknowledgement }: Publication): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new ConnectionFailure('no-response', 'The target did not respond.')),
      publishTimeoutMs,
    );
    const send = (type: number, streamId: number, payload: Buffer) =>
      socket.write(encodeMessage({ type, streamId, timestamp: 0, payload }, type === messageTypes.command ? 3 : 2));
    const sendCommand = (streamId: number, ...values: readonly AmfValue[]) =>
      send(messageTypes.command, streamId, encodeAmf(...values));
    let greeting: Buffer | null = Buffer.alloc(0);

    const onMessage = ({ type, payload }: RtmpMessage) => {
      if (type === messageTypes.userControl && payload.length >= 6 && payload.readUInt16BE(0) === 6)
        return send(messageTypes.userControl, 0, Buffer.concat([Buffer.from([0, 7]), payload.subarray(2, 6)]));
      if (type === messageTypes.acknowledgement) return onAcknowledgement();
      if (type !== messageTypes.command) return;
      const [name, transaction, , info] = decodeAmf(payload);
      if (name === '_error') return fail(new TargetRefused(descriptionOf(info)));
      if (name === '_result' && transaction === 1) {
        sendCommand(0, 'releaseStream', 2, null, streamKey);
        sendCommand(0, 'FCPublish', 3, null, streamKey);
        sendCommand(0, 'createStream', 4, null);
      } else if (name === '_result' && transaction === 4) sendCommand(1, 'publish', 5, null, streamKey, 'live');
      else if (name === 'onStatus') {
        const status = typeof info === 'object' && info !== null ? info : {};
        if (status['code'] === 'NetStream.Publish.Start') {
          clearTimeout(timer);
          resolve();
        } else if (status['level'] === 'error') fail(new TargetRefused(descriptionOf(info)));
      }
    };
    const reader = createChunkReader(maxMessageBytes, onMessage);

    const onGreeting = (bytes: Buffer): Buffer | null => {
      if (greeting === null) return bytes;
      greeting = Buffer.concat([greeting, bytes]);
      if (greeting.length < serverGreetingBytes) return null;
      socket.write(confirmGreeting(greeting));
      const rest = greeting.subarray(serverGreetingBytes);
      greeting = null;
      send(messageTypes.setChunkSize, 0, bytesOf(sentChunkSize));
      send(messageTypes.windowSize, 0, bytesOf(windowBytes));
      sendCommand(0, 'connect', 1, { app, type: 'nonprivate', flashVer: 'FMLE/3.0 (compatible; Foyer)', tcUrl });
      return rest;
    };

    socket.on('data', (bytes: Buffer) => {
      try {
        const rest = onGreeting(bytes);
        if (rest) reader.read(rest);
      } catch (error) {
        fail(error as Error);
      }
    });
    socket.on('error', (error) => fail(error));
    socket.once('close', () => fail(new ConnectionFailure('connection-closed', 'The target closed the connection.')));
    socket.write(createGreeting());
  });
}

function bytesOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const maxDescriptionLength = 200;

function descriptionOf(info: AmfValue | undefined): string {
  const { description, code } = typeof info === 'object' && info !== null ? info : {};
  const text = typeof description === 'string' && description !== '' ? description : code;
  return typeof text === 'string' ? text.slice(0, maxDescriptionLength) : 'no reason was given';
}
