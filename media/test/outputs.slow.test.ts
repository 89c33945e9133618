import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, type Json, type LiveRoom, startEncoder, stopEncoders } from './live-harness.ts';

let media: MediaHarness;
/** The targets are media servers as well. */
let steadyTarget: MediaHarness;
let failingTarget: MediaHarness;

beforeAll(async () => {
  [media, steadyTarget, failingTarget] = await Promise.all([
    startMediaProcess(),
    startMediaProcess(),
    startMediaProcess(),
  ]);
});
afterAll(async () => {
  await stopEncoders();
  await Promise.all([media.close(), steadyTarget.close(), failingTarget.close()]);
});

interface Target {
  readonly room: LiveRoom;
  readonly output: Json;
}

async function createTarget(server: MediaHarness): Promise<Target> {
  const room = await createLiveRoom(server);
  return { room, output: { id: randomUUID(), url: server.rtmpUrl(), stream_key: room.key, enabled: true } };
}

async function simulcast(outputs: readonly Json[], changes: Json = {}): Promise<LiveRoom> {
  const room = await createLiveRoom(media, { service_type: 'simulcast', has_viewers: false, outputs, ...changes });
  await startEncoder(`${media.rtmpUrl()}/${room.key}`);
  return room;
}

async function outputOf(room: LiveRoom, { output }: Target): Promise<Json> {
  const { outputs } = (await room.state()) as { outputs: Json[] };
  return outputs.find(({ id }) => id === output['id']) ?? {};
}

async function waitForOutputState(room: LiveRoom, target: Target, state: string): Promise<Json> {
  await expect.poll(async () => (await outputOf(room, target))['state'], { timeout: 30_000 }).toBe(state);
  return await outputOf(room, target);
}

async function expectMoreBytes(room: LiveRoom, target: Target): Promise<void> {
  const before = Number((await outputOf(room, target))['bytes_sent']);
  await expect
    .poll(async () => Number((await outputOf(room, target))['bytes_sent']), { timeout: 20_000 })
    .toBeGreaterThan(before);
}

async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('a stream reaches all its targets; one that is frozen, killed or unreachable does not affect the others', async () => {
  const [first, second] = [await createTarget(steadyTarget), await createTarget(failingTarget)];
  const spare = await createTarget(steadyTarget);
  const unreachable = { ...spare, output: { ...spare.output, url: `rtmp://127.0.0.1:${await findClosedPort()}/live` } };
  const room = await simulcast([first.output, second.output, unreachable.output]);
  await Promise.all([waitForOutputState(room, first, 'live'), waitForOutputState(room, second, 'live')]);
  expect((await first.room.state())['state']).toBe('live');
  expect(await waitForOutputState(room, unreachable, 'failed')).toMatchObject({
    bytes_sent: 0,
    last_error: 'The target refuses connections.',
    last_error_code: 'connection-refused',
  });

  const { since_ms: since } = await outputOf(room, first);
  failingTarget.signal('SIGSTOP');
  await expectMoreBytes(room, first);
  failingTarget.signal('SIGCONT');
  await failingTarget.kill();
  expect((await waitForOutputState(room, second, 'reconnecting'))['last_error']).toMatch(/^The target /);
  await expectMoreBytes(room, first);
  expect(await outputOf(room, first)).toMatchObject({ state: 'live', since_ms: since, last_error: null });
  await failingTarget.restart();
});

test('a target that accepts data and then hangs is reported as reconnecting, while the others continue, and recovers', async () => {
  const [first, second] = [await createTarget(steadyTarget), await createTarget(failingTarget)];
  const room = await simulcast([first.output, second.output]);
  const [{ since_ms: since }] = await Promise.all([
    waitForOutputState(room, first, 'live'),
    waitForOutputState(room, second, 'live'),
  ]);
  // Advances the clock of the media server past the watchdog time and the retry delays.
  const waitForStateAfterTime = async (state: string) =>
    await expect
      .poll(
        async () => {
          await media.advance(3);
          return await outputOf(room, second);
        },
        { timeout: 60_000, interval: 500 },
      )
      .toMatchObject({ state });
  await expect
    .poll(async () => Number((await outputOf(room, second))['bytes_sent']), { timeout: 20_000 })
    .toBeGreaterThan(200_000);
  // The socket buffers of the frozen target still accept some megabytes.
  failingTarget.signal('SIGSTOP');
  await waitForStateAfterTime('reconnecting');
  expect((await outputOf(room, second))['last_error']).toBe('The target no longer accepts data.');
  await expectMoreBytes(room, first);
  expect(await outputOf(room, first)).toMatchObject({ state: 'live', since_ms: since, last_error: null });
  failingTarget.signal('SIGCONT');
  await waitForStateAfterTime('live');
  await expectMoreBytes(room, second);
});

test('outputs are added, changed and removed while the others continue', async () => {
  const [first, second] = [await createTarget(steadyTarget), await createTarget(steadyTarget)];
  const room = await simulcast([first.output]);
  const { since_ms: since } = await waitForOutputState(room, first, 'live');
  const set = async (...outputs: readonly Json[]) =>
    expect((await media.call('PUT', `/v1/streams/${room.id}`, { ...room.plan, outputs })).status).toBe(200);
  await set(first.output, second.output);
  await waitForOutputState(room, second, 'live');
  await set(first.output, { ...second.output, enabled: false });
  await waitForOutputState(room, second, 'idle');
  await expect.poll(async () => (await second.room.state())['state'], { timeout: 10_000 }).toBe('reconnecting');
  await set(first.output);
  expect(await outputOf(room, second)).toEqual({});
  expect(await outputOf(room, first)).toMatchObject({ state: 'live', since_ms: since });
});

test('a target that refuses the stream key is reported as failed, without the key', async () => {
  const target = await createTarget(steadyTarget);
  const key = `${target.room.id.replaceAll('-', '')}_very-wrong-key`;
  const room = await simulcast([{ ...target.output, stream_key: key }]);
  const { last_error: error } = await waitForOutputState(room, target, 'failed');
  expect(error).toBe('The target refused the stream: The stream key is wrong.');
});

test('targets and sources in private ranges are never connected, even if a host name resolves to them', async () => {
  let connections = 0;
  const trap = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  const { port } = trap.address() as AddressInfo;
  for (const protocol of ['rtmp', 'rtsp', 'https']) {
    const url = `${protocol}://127.0.0.1:${port}/live/x.m3u8`;
    await createLiveRoom(media, { source: { url }, allow_private_addresses: false });
  }
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0'];
  const outputs = hosts.map((host) => ({
    id: randomUUID(),
    url: `rtmp://${host}:${port}/live`,
    stream_key: 'k',
    enabled: true,
  }));
  const room = await simulcast(outputs, { allow_private_addresses: false });
  for (const output of outputs) await waitForOutputState(room, { room, output }, 'failed');
  expect(connections).toBe(0);
  trap.close();
});
