import { createClient } from '@foyer/sdk';
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { cloneDatabase } from './database.ts';
import { firstAdmin } from './first-admin.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bundle = join(root, 'server', 'dist', `lists-${process.pid}.js`);
const metadataLength = 60_000;

let database: Awaited<ReturnType<typeof cloneDatabase>>;

beforeAll(async () => {
  await build({
    ...bundleOptions,
    entryPoints: [join(root, 'server/src/main.ts')],
    outfile: bundle,
    logLevel: 'error',
  });
});
afterAll(() => rm(bundle, { force: true }));
beforeEach(async () => {
  database = await cloneDatabase();
});
afterEach(() => database.drop());

test('responses with more text than the heap holds are sent while other clients do not read theirs', async () => {
  const user = await insertRooms(database.connectionString, { rooms: 1800, roomMetadata: 0 });
  await withApi(100, async ({ baseUrl, token, unread }) => {
    const paths = [
      '/rooms?limit=0&include=customer',
      '/rooms?limit=1000&include=customer',
      `/users/${user}?include=rooms.customer`,
    ];
    for (const path of paths) unread.push((await openUnread(baseUrl, token, path)).socket);
    for (const path of paths) {
      const { bytes, end } = await readResponse(baseUrl, token, path);
      const expected = path.includes('limit=1000') ? 1000 : 1800;
      expect([path, bytes > expected * metadataLength]).toEqual([path, true]);
      expect(end).toMatch(/"meta":\{.*\}\}$/);
    }
  });
}, 300_000);

test('further requests of a client with many unread long answers are rejected, and requests of other clients are answered', async () => {
  const rooms = 400;
  const user = await insertRooms(database.connectionString, { rooms, roomMetadata: metadataLength });
  await withApi(192, async ({ baseUrl, token, otherToken, unread }) => {
    const page = `/rooms?limit=${rooms}`;
    const included = `/users/${user}?include=rooms`;
    const opened = await Promise.all(
      [...Array.from({ length: 7 }, () => page), ...Array.from({ length: 25 }, () => included)].map(
        async (path) => await openUnread(baseUrl, token, path),
      ),
    );
    for (const { socket } of opened) unread.push(socket);
    const statuses = opened.map(({ head }) => Number(head.split(' ', 2)[1]));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const [refused] = opened.filter(({ head }) => head.startsWith('HTTP/1.1 429'));
    expect(refused?.head).toContain('"code":"too-many-at-once"');
    expect(refused?.head.toLowerCase()).toContain('retry-after: ');
    expect((await fetch(`${baseUrl}/api/v1/rooms?limit=1`, withToken(token))).status).toBe(200);
    for (const path of [page, included, '/rooms?limit=0']) {
      expect((await readResponse(baseUrl, otherToken, path)).bytes).toBeGreaterThan(rooms * metadataLength);
    }
    await Promise.all(
      unread.splice(0).map(async (socket) => {
        const closed = once(socket, 'close');
        socket.destroy();
        await closed;
      }),
    );
    await vi.waitFor(async () => {
      expect((await readResponse(baseUrl, token, included)).bytes).toBeGreaterThan(rooms * metadataLength);
    }, 30_000);
  });
}, 300_000);

interface RunningApi {
  readonly baseUrl: string;
  readonly token: string;
  /** The token of another administrator. */
  readonly otherToken: string;
  /** Connections with unread responses. They are closed at the end. */
  readonly unread: Socket[];
}

async function withApi(heapMegabytes: number, act: (api: RunningApi) => Promise<void>): Promise<void> {
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
  const unread: Socket[] = [];
  try {
    const baseUrl = await waitUntilReady(child.stdout);
    const { username, password } = firstAdmin;
    const { access_token: token } = await createClient({ baseUrl }).loginAdmin({ body: { username, password } });
    const { access_token: otherToken } = await createClient({ baseUrl }).loginAdmin({
      body: await createOtherAdmin(baseUrl, token),
    });
    await act({ baseUrl, token, otherToken, unread });
    expect(child.exitCode).toBeNull();
  } finally {
    for (const socket of unread) socket.destroy();
    child.kill('SIGTERM');
    await ended;
  }
}

/** Sends a request, and reads only the start of the response. */
async function openUnread(baseUrl: string, token: string, path: string): Promise<{ socket: Socket; head: string }> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: foyer.example\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'readable');
  const head = String(socket.read(Math.min(2000, socket.readableLength)));
  return { socket, head };
}

const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function createOtherAdmin(baseUrl: string, token: string): Promise<{ username: string; password: string }> {
  const login = { username: 'other', password: 'a long enough password' };
  const admin = createClient({ baseUrl, token });
  const roles = (await admin.listRoles({})).data.map(({ id }) => id);
  const person = { email: 'other@example.com', first_name: 'Grace', last_name: 'Hopper' };
  await admin.createAdmin({ body: { ...login, ...person, roles_ids: roles } });
  return login;
}

async function readResponse(baseUrl: string, token: string, path: string): Promise<{ bytes: number; end: string }> {
  const answer = await fetch(`${baseUrl}/api/v1${path}`, withToken(token));
  expect([path, answer.status]).toEqual([path, 200]);
  let bytes = 0;
  let tail = Buffer.alloc(0);
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    tail = Buffer.concat([tail, chunk]).subarray(-5000);
  }
  return { bytes, end: tail.toString('utf8') };
}

/** Inserts rooms of a customer with nearly the largest allowed metadata, and a user in all of them. @returns the user id */
async function insertRooms(
  connectionString: string,
  { rooms, roomMetadata }: { rooms: number; roomMetadata: number },
): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(`set session_replication_role = replica`);
    const { rows } = await client.query<{ id: string; customer: string }>(
      `insert into users (id, email, first_name, last_name, locale, timezone, created_at, updated_at)
       values (gen_random_uuid(), 'member@example.com', 'Ada', 'Lovelace', 'en', 'UTC', now(), now())
       returning id, gen_random_uuid() as customer`,
    );
    const { id, customer } = rows[0] ?? { id: '', customer: '' };
    await client.query(
      `insert into customers (id, customer_key, customer_type, email, first_name, last_name, country, currency, locale,
         timezone, status, subdomain, customer_metadata, created_at, updated_at)
       values ($1, 'key', 'personal', 'ada@example.com', 'Ada', 'Lovelace', 'GB', 'GBP', 'en', 'UTC', 'active', 'ada', $2,
         now(), now())`,
      [customer, JSON.stringify({ text: 'x'.repeat(metadataLength) })],
    );
    await client.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug, room_metadata,
         created_at, updated_at)
       select gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'Room ' || i, 'active', false,
         'meet', 'room-' || i, jsonb_build_object('text', repeat('x', ${roomMetadata})), now(), now() from generate_series(1, ${rooms}) i`,
      [customer],
    );
    await client.query(
      `insert into room_users (id, room_id, user_id, owner, created_at, updated_at)
       select gen_random_uuid(), id, $1, false, now(), now() from rooms`,
      [id],
    );
    return id;
  } finally {
    await client.end();
  }
}

async function waitUntilReady(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /Foyer is ready at (\S+)/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The program ended before it was ready.');
}
