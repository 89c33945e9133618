import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { EncoderInput, OpenInput } from '../input.ts';
import type { FlvTag } from '../media/flv.ts';
import { UnusableInput } from '../media/frame.ts';
import { type AmfValue, decodeAmf, encodeAmf } from './amf0.ts';
import { createChunkReader, encodeMessage, messageTypes, sentChunkSize, type RtmpMessage } from './chunks.ts';
import { answerGreeting, clientGreetingBytes, handshakeBytes } from './handshake.ts';

/** The time from connecting to publishing. */
const publishTimeoutMs = 10_000;
/** An encoder that sends nothing for this long is disconnected. */
const maxIdleMs = 15_000;
const maximumConnections = 2000;
const maxConnectionsWithoutStream = 200;
/** The longest message before publication, and of commands. */
const maxCommandBytes = 64 * 1024;
const maxFrameBytes = 8 * 1024 * 1024;
const windowBytes = 2_500_000;
const minWindowBytes = 16 * 1024;
const application = 'live';

export interface TlsFiles {
  /** In PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Receives streams of encoders by RTMP, or RTMPS with certificates. No frames are read before `open` has accepted the
 * stream key; if it fails, the encoder is rejected.
 */
export function createRtmpServer(open: OpenInput, tls: TlsFiles | null = null): Server {
  let connectionsWithoutStream = 0;
  const serve = (socket: Socket) => {
    if (connectionsWithoutStream >= maxConnectionsWithoutStream) return void socket.destroy();
    connectionsWithoutStream += 1;
    let isCounted = true;
    const uncount = () => {
      if (isCounted) connectionsWithoutStream -= 1;
      isCounted = false;
    };
    socket.once('close', uncount);
    serveEncoder(socket, open, uncount);
  };
  const server = tls
    ? createTlsServer({ ...tls, noDelay: true, minVersion: 'TLSv1.2', handshakeTimeout: publishTimeoutMs }, serve)
    : createServer({ noDelay: true }, serve);
  server.on('tlsClientError', () => {});
  server.maxConnections = maximumConnections;
  return server;
}

type Stage = 'greeting' | 'handshake' | 'commands' | 'opening' | 'publishing' | 'closed';

function serveEncoder(socket: Socket, open: OpenInput, onPublish: () => void): void {
  let stage: Stage = 'greeting';
  let greeting: Buffer = Buffer.alloc(0);
  let input: EncoderInput | null = null;
  let [receivedBytes, acknowledgedBytes] = [0, 0];
  /** After this many bytes, the encoder expects an acknowledgement. */
  let expectedWindow = windowBytes;
  const address = socket.remoteAddress ?? '';
  const reader = createChunkReader(maxCommandBytes, onMessage);
  const publishTimeout = setTimeout(() => socket.destroy(), publishTimeoutMs);

  const send = (message: Omit<RtmpMessage, 'timestamp'>, chunkStream: number) => {
    if (!socket.destroyed) socket.write(encodeMessage({ ...message, timestamp: 0 }, chunkStream));
  };
  const sendCommand = (streamId: number, ...values: readonly AmfValue[]) =>
    send({ type: messageTypes.command, streamId, payload: encodeAmf(...values) }, 3);
  const sendControl = (type: number, ...bytes: readonly number[]) =>
    send({ type, streamId: 0, payload: Buffer.from(bytes) }, 2);
  const sendStatus = (code: string, level: 'status' | 'error', description: string) =>
    sendCommand(1, 'onStatus', 0, null, { level, code, description });

  function close(): void {
    if (stage === 'closed') return;
    stage = 'closed';
    clearTimeout(publishTimeout);
    input?.end();
    input = null;
    socket.destroySoon();
    // Otherwise a peer that does not read would keep the socket open.
    setTimeout(() => socket.destroy(), 2000).unref();
  }

  function refuse(code: string, message: string): void {
    sendStatus(code, 'error', message);
    close();
  }

  function onCommand(payload: Buffer): void {
    const [name, transaction = 0, object, argument] = decodeAmf(payload);
    if (name === 'connect') return connect(transaction, object);
    if (name === 'createStream') return sendCommand(0, '_result', transaction, null, 1);
    if (name === 'releaseStream' || name === 'FCPublish') return sendCommand(0, '_result', transaction, null, null);
    if (name === 'publish') return publish(typeof argument === 'string' ? argument : '');
    if (name === 'deleteStream' || name === 'FCUnpublish' || name === 'closeStream') return close();
    if (name === 'play' || name === 'play2')
      return refuse('NetStream.Play.Failed', 'RTMP playback is not supported. Watch the stream in a browser.');
  }

  function connect(transaction: AmfValue, object: AmfValue | undefined): void {
    const app = typeof object === 'object' && object !== null ? object['app'] : null;
    if (typeof app !== 'string' || app.split(/[/?]/)[0] !== application) {
      const description = `The address must end with /${application}.`;
      sendCommand(0, '_error', transaction, null, {
        level: 'error',
        code: 'NetConnection.Connect.Rejected',
        description,
      });
      return close();
    }
    const size = [24, 16, 8, 0].map((shift) => (windowBytes >>> shift) & 0xff);
    sendControl(messageTypes.windowSize, ...size);
    sendControl(messageTypes.peerBandwidth, ...size, 2);
    sendControl(messageTypes.setChunkSize, ...[24, 16, 8, 0].map((shift) => (sentChunkSize >>> shift) & 0xff));
    sendCommand(
      0,
      '_result',
      transaction,
      { fmsVer: 'FMS/3,5,7,7009', capabilities: 31 },
      { level: 'status', code: 'NetConnection.Connect.Success', description: 'Connected.', objectEncoding: 0 },
    );
  }

  function publish(streamKey: string): void {
    if (stage !== 'commands') return refuse('NetStream.Publish.BadName', 'This connection is already publishing.');
    stage = 'opening';
    // Nothing more is read before the answer.
    socket.pause();
    const connection = {
      protocol: 'rtmp' as const,
      close: () => refuse('NetStream.Unpublish.Success', 'The stream has ended.'),
    };
    open(streamKey, address, connection)
      .then((opened) => {
        if (stage !== 'opening') return opened.end();
        stage = 'publishing';
        input = opened;
        clearTimeout(publishTimeout);
        onPublish();
        reader.setMaximum(maxFrameBytes);
        socket.setTimeout(maxIdleMs, close);
        sendControl(messageTypes.userControl, 0, 0, 0, 0, 0, 1);
        sendStatus('NetStream.Publish.Start', 'status', 'The stream is live.');
        // Bytes that arrived with the command are read now.
        for (const message of earlyMessages.splice(0)) onMessage(message);
        socket.resume();
      })
      .catch((error: unknown) => {
        refuse('NetStream.Publish.BadName', error instanceof UnusableInput ? error.message : 'The stream was refused.');
      });
  }

  // Messages that arrived together with `publish`, before it was accepted. The chunk reader limits their size.
  const earlyMessages: RtmpMessage[] = [];

  function onMessage(message: RtmpMessage): void {
    if (stage === 'opening') return void earlyMessages.push(message);
    if (stage === 'closed') return;
    if (message.type === messageTypes.command) return onCommand(message.payload);
    if (message.type === messageTypes.userControl) return onUserControl(message.payload);
    if (message.type === messageTypes.windowSize && message.payload.length >= 4) {
      expectedWindow = Math.min(Math.max(message.payload.readUInt32BE(0), minWindowBytes), windowBytes);
      return;
    }
    if (stage !== 'publishing' || !input) return;
    const tag = tagOf(message);
    if (tag) input.push(tag);
  }

  function onUserControl(payload: Buffer): void {
    const isPing = payload.length >= 6 && payload.readUInt16BE(0) === 6;
    if (isPing) sendControl(messageTypes.userControl, 0, 7, ...payload.subarray(2, 6));
  }

  function onData(bytes: Buffer): void {
    receivedBytes += bytes.length;
    if (stage === 'greeting' || stage === 'handshake') {
      greeting = Buffer.concat([greeting, bytes]);
      if (stage === 'greeting') {
        if (greeting.length >= 1 && greeting[0] !== 3) return close();
        if (greeting.length < clientGreetingBytes) return;
        socket.write(answerGreeting(greeting));
        greeting = greeting.subarray(clientGreetingBytes);
        stage = 'handshake';
      }
      if (greeting.length < handshakeBytes) return;
      stage = 'commands';
      const rest = greeting.subarray(handshakeBytes);
      greeting = Buffer.alloc(0);
      return reader.read(rest);
    }
    reader.read(bytes);
    if (receivedBytes - acknowledgedBytes >= expectedWindow / 2) {
      acknowledgedBytes = receivedBytes;
      sendControl(messageTypes.acknowledgement, ...[24, 16, 8, 0].map((shift) => (receivedBytes >>> shift) & 0xff));
    }
  }

  socket.on('data', (bytes) => {
    try {
      onData(bytes);
    } catch (error) {
      if (error instanceof UnusableInput) {
        input?.fail(error);
        refuse('NetStream.Publish.Failed', error.message);
      } else close();
    }
  });
  socket.on('error', () => {});
  socket.on('close', close);
}

export function tagOf({ type, timestamp, payload }: RtmpMessage): FlvTag | null {
  if (type === messageTypes.audio) return { type: 'audio', timestamp, payload };
  if (type === messageTypes.video) return { type: 'video', timestamp, payload };
  return null;
}
