import { createClient } from '@foyer/sdk';
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { cloneDatabase } from './database.ts';
import { firstAdmin } from './first-admin.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bundle = join(root, 'server', 'dist', `reports-${process.pid}.js`);
const rooms = 400;
const days = 1000;
/** Less than the text of the report. As objects, its rows would take several times as much. */
const heapMegabytes = 84;

test('a report of hundreds of thousands of rows is streamed as CSV by a process whose heap is smaller than the report', async () => {
  const database = await cloneDatabase();
  await insertRecordings(database.connectionString);
  await build({
    ...bundleOptions,
    entryPoints: [join(root, 'server/src/main.ts')],
    outfile: bundle,
    logLevel: 'error',
  });
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, bundle, 'api'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      DATABASE_URL: database.connectionString,
      FOYER_SECRET_KEYS: inject('secretKeys'),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const baseUrl = await readBaseUrl(child.stdout);
    const { username, password } = firstAdmin;
    const login = await createClient({ baseUrl }).loginAdmin({ body: { username, password } });
    const client = createClient({ baseUrl, token: login.access_token });
    const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    const { body } = await client.csv('readUsageReport', { query: { from, group_by: 'room' } });
    let [lines, bytes] = [0, 0];
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
    }
    expect(lines).toBe(rooms * days + 1);
    expect(bytes).toBeGreaterThan(heapMegabytes * 1_000_000);
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(bundle, { force: true });
    await database.drop();
  }
}, 300_000);

/** Inserts a recording in each room, older than the period of the report, so that the report has a row for each room and day. */
async function insertRecordings(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    // The parents of the rooms do not matter here.
    await client.query(`set session_replication_role = replica`);
    await client.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug,
         created_at, updated_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'Room ' || i, 'active', false,
         'meet', 'room-' || i, '2020-01-01', '2020-01-01' from generate_series(1, ${rooms}) i`,
    );
    await client.query(
      `insert into recordings (id, room_id, customer_id, subscription_id, provider_recording_id, state, size_bytes,
         created_at, updated_at)
       select gen_random_uuid(), id, customer_id, subscription_id, id, 'published', 1000000, '2020-01-01', '2020-01-01'
       from rooms`,
    );
  } finally {
    await client.end();
  }
}

async function readBaseUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /Foyer is ready at (\S+)/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The program ended before it was ready.');
}
