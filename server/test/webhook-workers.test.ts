import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';
import {
  makeWebhook,
  publish,
  type Receiver,
  startDelivery,
  startReceiver,
  waitForDeliveries,
} from './webhook-receivers.ts';
import type { WorkerTask } from './webhook-worker-program.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ now: new Date().toISOString() });
  await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
});
afterAll(() => api.close());

const isDelivered = ({ state }: { state: string }) => state === 'delivered';

async function renameRooms(count: number, times: number) {
  const { room: first, account } = await makeRoom(api);
  const rooms = [first];
  while (rooms.length < count)
    rooms.push((await api.admin.createRoom({ body: { room_name: 'Room', account_id: account.id } })).data);
  for (let time = 0; time < times; time++)
    for (const room of rooms)
      await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: `Name ${time}` } });
  return rooms;
}

/** The sequences of the events of a resource, in the order of their first arrival. */
function sequencesOf({ received }: Receiver, resourceId: string): number[] {
  const sequences = received
    .filter(({ body }) => body.data.resource_id === resourceId)
    .map(({ body }) => body.data.sequence);
  return [...new Set(sequences)];
}

test('two workers on one database deliver each event once, in order for each resource', async () => {
  const receiver = await startReceiver();
  const webhook = await makeWebhook(api, receiver.url);
  const other = await api.another();
  onTestFinished(() => other.close());
  startDelivery(api);
  startDelivery(other);
  const rooms = await renameRooms(5, 11);
  await publish(api);
  await waitForDeliveries(api, webhook.params, (all) => all.length === 60 && all.every(isDelivered));
  expect(receiver.received).toHaveLength(60);
  for (const { id } of rooms)
    expect(sequencesOf(receiver, id)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  const { rows } = await api.app.connection.pool.query('select * from webhook_lanes');
  expect(rows).toEqual([]);
});

test('if a worker is killed while it sends, another worker continues after the lease has ended, and no event is lost', async () => {
  let isHolding = true;
  const receiver = await startReceiver((_request, response, count) => {
    if (count <= 7 || !isHolding) response.writeHead(204).end();
  });
  const webhook = await makeWebhook(api, receiver.url);
  const rooms = await renameRooms(3, 4);
  await publish(api);
  const kill = await startWorker();
  await receiver.waitForRequests(9);
  await kill();
  isHolding = false;
  const before = (await waitForDeliveries(api, webhook.params, () => true)).filter(isDelivered).length;
  expect(before).toBeLessThan(15);
  startDelivery(api);
  api.clock.advance({ seconds: 90 });
  await waitForDeliveries(api, webhook.params, (all) => all.length === 15 && all.every(isDelivered));
  for (const { id } of rooms) expect(sequencesOf(receiver, id)).toEqual([1, 2, 3, 4, 5]);
});

/** Starts a worker in a separate process. @returns a function that kills it */
async function startWorker(): Promise<() => Promise<void>> {
  // The folder of the server bundle, from which it finds its packages.
  const program = fileURLToPath(new URL(`../dist/webhook-worker-${process.pid}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL('webhook-worker-program.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    plugins: [
      {
        name: 'installed packages stay outside',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@foyer/') ? null : { path, external: true }));
        },
      },
    ],
  });
  const task: WorkerTask = { connectionString: api.connectionString, secretKeys: inject('secretKeys') };
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, WORKER_TASK: JSON.stringify(task) },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(() => rmSync(program, { force: true }));
  return async () => {
    child.kill('SIGKILL');
    await exited;
  };
}
