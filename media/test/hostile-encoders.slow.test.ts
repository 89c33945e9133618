import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AmfValue, encodeAmf } from '../src/live/rtmp/amf0.ts';
import { encodeMessage, messageTypes } from '../src/live/rtmp/chunks.ts';
import { createGreeting } from '../src/live/rtmp/handshake.ts';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, type LiveRoom } from './live-harness.ts';

let media: MediaHarness;

beforeAll(async () => {
  media = await startMediaProcess();
});
afterAll(async () => {
  await media.close();
});

async function openSocket(): Promise<Socket> {
  const { port, hostname } = new URL(media.rtmpUrl());
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

async function waitForClose(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

const message = (type: number, payload: Buffer, streamId = 0) =>
  encodeMessage({ type, streamId, timestamp: 0, payload }, 3);
const command = (...values: readonly AmfValue[]) => message(messageTypes.command, encodeAmf(...values));
const handshake = Buffer.concat([createGreeting(), randomBytes(1536)]);

/** Opens a connection and publishes. @returns the socket, once the stream is live */
async function publish(room: LiveRoom): Promise<Socket> {
  const socket = await openSocket();
  socket.write(handshake);
  socket.write(message(messageTypes.setChunkSize, Buffer.from([0, 0, 0xea, 0x60])));
  socket.write(command('connect', 1, { app: 'live' }));
  socket.write(command('createStream', 2, null));
  socket.write(command('publish', 3, null, room.key, 'live'));
  await expect.poll(async () => (await room.state())['state']).toBe('live');
  return socket;
}

test('bytes that violate the protocol end only their own connection', async () => {
  const nestedObjects = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from([3, 0, 1, 0x61])));
  const hostile: Buffer[] = [
    randomBytes(5000),
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    Buffer.concat([handshake, randomBytes(100_000)]),
    // A message of 16 MB, a text and a list of 4 GB, deep nesting, a chunk size of 0, an unknown chunk stream.
    Buffer.concat([handshake, Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 0, 0, 0, 0])]),
    Buffer.concat([handshake, message(20, Buffer.from([12, 0xff, 0xff, 0xff, 0xff, 1]))]),
    Buffer.concat([handshake, message(20, Buffer.from([10, 0xff, 0xff, 0xff, 0xff, 5, 5]))]),
    Buffer.concat([handshake, message(20, nestedObjects.subarray(0, 100))]),
    Buffer.concat([handshake, message(1, Buffer.from([0, 0, 0, 0]))]),
    Buffer.concat([handshake, Buffer.from([0xc7])]),
    Buffer.concat([handshake, command('connect', 1, { app: 'other' })]),
    Buffer.concat([handshake, command('play', 1, null, 'x')]),
  ];
  await Promise.all(
    hostile.map(async (bytes) => {
      const socket = await openSocket();
      socket.write(bytes);
      await waitForClose(socket);
    }),
  );
  // Half a handshake ends after a time-out.
  const half = await openSocket();
  half.write(handshake.subarray(0, 700));
  await waitForClose(half);
  expect((await media.call('GET', '/v1/server')).status).toBe(200);
});

const avc = Buffer.from(
  '1700000000014d4015ffe1001a674d4015eca0a0bf7fe0060005ca000003000200000300791e2c5b2301000468ef3c80',
  'hex',
);

test('an encoder that keeps changing its settings begins at most ten recordings, is warned, and is recorded again later', async () => {
  const room = await createLiveRoom(media, { record: true });
  const socket = await publish(room);
  let timestamp = 0;
  /** Sends a new AVC configuration with this level, and then one second of frames. */
  const send = (level: number) => {
    const configuration = Buffer.from(avc);
    configuration[8] = level;
    socket.write(encodeMessage({ type: messageTypes.video, streamId: 1, timestamp, payload: configuration }, 4));
    for (let index = 0; index < 25; index += 1) {
      const payload = Buffer.concat([Buffer.from([index === 0 ? 0x17 : 0x27, 1, 0, 0, 0]), randomBytes(100)]);
      timestamp += 40;
      socket.write(encodeMessage({ type: messageTypes.video, streamId: 1, timestamp, payload }, 4));
    }
  };
  const recordings = async () => {
    const { json } = await media.call('GET', `/v1/recordings?room_ids=${room.id}`);
    return (json['recordings'] as unknown[]).length;
  };
  for (let change = 0; change < 30; change += 1) send(20 + (change % 2));
  await expect
    .poll(async () => (await room.state())['input'])
    .toMatchObject({ warnings: expect.arrayContaining([expect.objectContaining({ code: 'recording-paused' })]) });
  expect(await room.state()).toMatchObject({ state: 'live', recording: null });
  expect(await recordings()).toBe(10);

  await media.advance(600);
  const isRecorded = async () => {
    send(21);
    return (await room.state())['recording'];
  };
  await expect.poll(isRecorded, { interval: 500 }).not.toBeNull();
  expect(JSON.stringify(await room.state())).not.toContain('recording-paused');
  expect(await recordings()).toBe(11);
  socket.end();
});

test('the broadcast of an encoder that sends no key frames ends with that reason, after a warning', async () => {
  const room = await createLiveRoom(media);
  const socket = await publish(room);
  socket.write(message(messageTypes.video, avc, 1));
  const send = (timestamp: number) => {
    const payload = Buffer.concat([Buffer.from([0x27, 1, 0, 0, 0]), randomBytes(100)]);
    socket.write(encodeMessage({ type: messageTypes.video, streamId: 1, timestamp, payload }, 4));
  };
  for (let timestamp = 0; timestamp <= 5000; timestamp += 100) send(timestamp);
  await expect
    .poll(async () => (await room.state())['input'])
    .toMatchObject({ warnings: expect.arrayContaining([expect.objectContaining({ code: 'no-keyframes' })]) });
  for (let timestamp = 5100; timestamp <= 20_000; timestamp += 100) send(timestamp);
  await waitForClose(socket);
  expect(await room.state()).toMatchObject({ state: 'idle', end_reason: 'no-keyframes' });
});

test('an accepted encoder cannot harm the server with its frames', async () => {
  const room = await createLiveRoom(media, { record: true, dvr_minutes: 1 });
  const frames = [
    Buffer.from([0x17, 0]),
    Buffer.from([0x17, 0, 0, 0, 0, 1, 0x4d, 0x40, 0x15, 0xff, 0xe1, 0xff, 0xff, 0x67]),
    Buffer.concat([Buffer.from([0x17, 0, 0, 0, 0]), randomBytes(200)]),
    Buffer.from([0x9c, 0x68, 0x76, 0x63, 0x31]),
    Buffer.concat([Buffer.from([0xaf, 0]), randomBytes(1000)]),
  ];
  for (const frame of frames) {
    const socket = await publish(room);
    socket.write(message(messageTypes.video, avc, 1));
    for (let index = 0; index < 50; index++) {
      const payload = Buffer.concat([Buffer.from([index % 10 === 0 ? 0x17 : 0x27, 1, 0, 0, 0]), randomBytes(2000)]);
      socket.write(encodeMessage({ type: 9, streamId: 1, timestamp: randomBytes(4).readUInt32BE(), payload }, 4));
    }
    socket.write(message(frame[0] === 0xaf ? messageTypes.audio : messageTypes.video, frame, 1));
    socket.end();
    await waitForClose(socket);
    await expect.poll(async () => (await room.state())['state']).not.toBe('live');
  }
});

test('peers that announce large messages but send little do not make the server reserve memory', async () => {
  const memory = async () => {
    const status = await readFile(`/proc/${media.pid()}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  };
  const before = await memory();
  const sockets = await Promise.all(
    Array.from({ length: 150 }, async () => {
      const socket = await openSocket();
      socket.write(Buffer.concat([handshake, message(1, Buffer.from([0x7f, 0xff, 0xff, 0xff]))]));
      // 31 incomplete messages of 60 KB each.
      for (let stream = 4; stream < 35; stream++)
        socket.write(Buffer.concat([Buffer.from([stream, 0, 0, 0, 0, 0xea, 0x60, 20, 0, 0, 0, 0]), randomBytes(1000)]));
      return socket;
    }),
  );
  expect((await media.call('GET', '/v1/server')).status).toBe(200);
  expect((await memory()) - before).toBeLessThan(200);
  await Promise.all(sockets.map(waitForClose));
});
