import { once } from 'node:events';
import { request as sendRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

let api: TestApi;
let token: string;
let room: Awaited<ReturnType<typeof makeRoom>>['room'];

beforeAll(async () => {
  api = await startApi();
  token = (await api.anyone.loginAdmin({ body: firstAdmin })).access_token;
  room = (await makeRoom(api, { room: { room_metadata: longMetadata } })).room;
});
afterAll(() => api.close());

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Returns the compressed bytes. `fetch` would decompress them. */
function send(path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const requestHeaders = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
    const request = sendRequest(api.url + path, { method, headers: requestHeaders }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Makes the response long enough to be compressed. */
const longMetadata = { note: 'A long note. '.repeat(100) };

const acceptEncoding = (coding: string) => ({ 'accept-encoding': coding });
const decompress = { br: brotliDecompressSync, gzip: gunzipSync };

test.each(['br', 'gzip'] as const)('an answer above 1 KB is sent as %s to a client that accepts it', async (coding) => {
  const plain = await send('/api/v1/permissions?limit=20');
  const answer = await send('/api/v1/permissions?limit=20', acceptEncoding(coding));
  expect(answer.headers).toMatchObject({
    'content-encoding': coding,
    vary: 'Origin, Accept-Encoding',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(answer.body.length),
  });
  expect(answer.body.length).toBeLessThan(plain.body.length / 2);
  expect(decompress[coding](answer.body)).toEqual(plain.body);
});

test("the client's preferences decide: Brotli before gzip by default, and no compression if it accepts neither", async () => {
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.1, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0', undefined],
    ['identity', undefined],
    ['zstd', undefined],
    ['', undefined],
  ] as const) {
    const { headers } = await send('/api/v1/permissions?limit=20', acceptEncoding(accepted));
    expect([accepted, headers['content-encoding'], headers.vary]).toEqual([
      accepted,
      coding,
      'Origin, Accept-Encoding',
    ]);
  }
});

test('answers below 1 KB are not compressed, but also have Vary', async () => {
  const { headers } = await send('/api/v1/rooms?limit=1&filter=id', acceptEncoding('br'));
  expect(headers['content-encoding']).toBeUndefined();
  expect(headers.vary).toBe('Origin, Accept-Encoding');
});

test('each content coding has its own strong entity tag, and all of them work for reads and writes', async () => {
  const path = `/api/v1/rooms/${room.id}`;
  const tags = new Map<string, string>();
  for (const coding of ['identity', 'gzip', 'br']) {
    const { headers } = await send(path, acceptEncoding(coding));
    tags.set(coding, String(headers.etag));
    expect(headers.etag).toMatch(/^"[\x21\x23-\x7E]+"$/);
  }
  expect(new Set(tags.values()).size).toBe(3);
  for (const [coding, etag] of tags) {
    for (const accepted of tags.keys()) {
      const read = await send(path, { ...acceptEncoding(accepted), 'if-none-match': etag });
      expect([coding, accepted, read.status, read.headers.etag, read.body.length]).toEqual([
        coding,
        accepted,
        304,
        etag,
        0,
      ]);
      expect(read.headers.vary).toBe('Origin, Accept-Encoding');
    }
  }
  for (const coding of tags.keys()) {
    const etag = String((await send(path, acceptEncoding(coding))).headers.etag);
    const body = JSON.stringify({ room_name: `Read as ${coding}` });
    expect((await send(path, { 'if-match': etag }, 'PATCH', body)).status).toBe(200);
  }
  for (const etag of tags.values()) {
    const late = await send(path, { 'if-match': etag }, 'PATCH', JSON.stringify({ room_name: 'Too late' }));
    expect(late.status).toBe(412);
    expect((await send(path, { ...acceptEncoding('br'), 'if-none-match': etag })).status).toBe(200);
  }
});

test('if a cache has several content codings, the 304 has the entity tag of the preferred one', async () => {
  const path = `/api/v1/rooms/${room.id}`;
  const plain = String((await send(path)).headers.etag);
  const brotli = String((await send(path, acceptEncoding('br'))).headers.etag);
  const ifNoneMatch = { 'if-none-match': `${plain}, ${brotli}` };
  expect((await send(path, { ...acceptEncoding('br'), ...ifNoneMatch })).headers.etag).toBe(brotli);
  expect((await send(path, { ...acceptEncoding('identity'), ...ifNoneMatch })).headers.etag).toBe(plain);
});

test('HEAD has the headers of the compressed answer and no body', async () => {
  const path = '/api/v1/permissions?limit=20';
  const [head, get] = [await send(path, acceptEncoding('br'), 'HEAD'), await send(path, acceptEncoding('br'))];
  expect(head.body.length).toBe(0);
  for (const name of ['content-encoding', 'content-length', 'vary', 'content-type']) {
    expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  }
});

test('a list without a limit is compressed while it is streamed, and is complete', async () => {
  const plain = await send('/api/v1/permissions?limit=0');
  for (const coding of ['br', 'gzip'] as const) {
    const answer = await send('/api/v1/permissions?limit=0', acceptEncoding(coding));
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(decompress[coding](answer.body)).toEqual(plain.body);
  }
});

test('each batch of a list without a limit can be read before the next one is generated', async () => {
  const account = room.account_id;
  for (let count = 0; count < 3; count++) {
    await api.admin.createRoom({ body: { account_id: account, room_name: `Streamed ${count}` } });
  }
  const first = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...acceptEncoding('gzip') };
    const request = sendRequest(`${api.url}/api/v1/rooms?limit=0`, { headers }, (answer) => {
      const text = answer.pipe(createGunzip());
      text.once('data', (chunk: Buffer) => {
        request.destroy();
        resolve(chunk.toString());
      });
      text.on('error', () => {});
    });
    request.on('error', (error) => {
      if (!request.destroyed) reject(error);
    });
    request.end();
  });
  expect(first).toMatch(/^\{"data":\[/);
});

test('answers that can contain a credential are never compressed', async () => {
  const body = { account_id: room.account_id, room_name: 'Another', room_metadata: longMetadata };
  const created = await send('/api/v1/rooms', acceptEncoding('br'), 'POST', JSON.stringify(body));
  expect(created.status).toBe(201);
  expect(created.body.length).toBeGreaterThan(1024);
  expect(created.headers['content-encoding']).toBeUndefined();
  for (const path of ['/password-reset/frp_nothing', '/oauth/authorize?client_id=nobody']) {
    const page = await send(path, acceptEncoding('br'));
    expect([path, page.headers['content-encoding']]).toEqual([path, undefined]);
  }
});

test('the page of a room is compressed, and so is its style sheet', async () => {
  const page = await send(new URL(room.url).pathname, { ...acceptEncoding('br'), accept: 'text/html' });
  expect(page.headers['content-encoding']).toBe('br');
  const html = brotliDecompressSync(page.body).toString();
  const [, style = ''] = /href="([^"]+page\.css[^"]*)"/.exec(html) ?? [];
  const sheet = await send(style, acceptEncoding('gzip'));
  expect([sheet.headers['content-encoding'], sheet.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
});

test('a client that disconnects from a compressed stream is not logged as an error, but a database failure is', async () => {
  const database = new Client({ connectionString: api.connectionString });
  await database.connect();
  try {
    await database.query('begin');
    await database.query('set local session_replication_role = replica');
    // More than the buffers of a connection hold, and hard to compress.
    await database.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug,
         room_metadata, created_at, updated_at)
       select gen_random_uuid(), customer_id, account_id, subscription_id, 'Room ' || i, 'active', false, 'meet',
         'long-' || i, jsonb_build_object('text', (select string_agg(md5(i::text || j), '') from generate_series(1, 1800) j)),
         now(), now() from (select customer_id, account_id, subscription_id from rooms limit 1) r, generate_series(1, 400) i`,
    );
    await database.query('commit');
    const abortedAnswers = () =>
      api
        .log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LogLine)
        .filter(({ msg }) => msg === 'streamed answer aborted');

    const abandoned = await openCompressed();
    abandoned.destroy();
    await expect.poll(() => abortedAnswers().map(({ level }) => level)).toEqual([20]);

    const failing = await openCompressed();
    const ended = once(failing, 'error');
    const { rowCount } = await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction' and query like 'fetch%'`,
    );
    expect(rowCount).toBe(1);
    failing.resume();
    await ended;
    await expect.poll(() => abortedAnswers().map(({ level }) => level)).toEqual([20, 50]);
  } finally {
    await database.end();
  }
});

interface LogLine {
  readonly level: number;
  readonly msg: string;
}

/** Opens a compressed streamed list, and reads only its beginning. */
async function openCompressed(): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'br' };
  const request = sendRequest(`${api.url}/api/v1/rooms?limit=0`, { headers, agent: false });
  request.on('error', () => undefined);
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  expect(answer.headers['content-encoding']).toBe('br');
  await once(answer, 'readable');
  return answer;
}
