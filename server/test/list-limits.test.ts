import { endpoints, type EndpointName } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { recordStatements } from './count-statements.ts';
import { makeRoom, refusalOf } from './factories.ts';

let api: TestApi;
let fixture: Awaited<ReturnType<typeof makeRoom>>;
let token: string;

beforeAll(async () => {
  api = await startApi();
  fixture = await makeRoom(api);
  await makeRoom(api);
  token = (await api.anyone.loginAdmin({ body: { username: 'root', password: 'a long enough password' } }))
    .access_token;
});
afterAll(() => api.close());

async function errorsOf(query: Record<string, string>) {
  const { status, errors } = await refusalOf(api.admin.listRooms({ query }));
  expect(status).toBe(422);
  return errors;
}

test('a search of more than 512 characters is rejected without a database query', async () => {
  const longest = 'x'.repeat(512);
  const countRoomReads = async (act: () => Promise<void>) =>
    (await recordStatements(act)).filter(({ text }) => text.includes('from "rooms"')).length;
  const allowed = await countRoomReads(async () => {
    expect((await api.admin.listRooms({ query: { search: longest } })).data).toEqual([]);
    expect(
      (await api.admin.listRooms({ query: { search: 'x', searchFields: `room_name:like${' '.repeat(498)}` } })).data,
    ).toEqual([]);
  });
  expect(allowed).toBeGreaterThanOrEqual(2);
  const rejected = await countRoomReads(async () => {
    expect(await errorsOf({ search: `${longest}x` })).toEqual({ search: [expect.stringContaining('512 characters')] });
    expect(await errorsOf({ search: 'x '.repeat(7000) })).toEqual({ search: [expect.stringContaining('512')] });
    expect(await errorsOf({ search: 'x', searchFields: 'room_name:=;'.repeat(50) })).toEqual({
      searchFields: [expect.stringContaining('512 characters')],
    });
  });
  expect(rejected).toBe(0);
});

test('a search has at most ten keywords: words of all segments, values of fields and values of lists each count', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);
  const accepted = [
    { search: words(10).join(' ') },
    { search: words(10).join(';') },
    {
      search: words(10)
        .map((word) => `slug:${word}`)
        .join(';'),
    },
    { search: `slug:${words(10).join(',')}`, searchFields: 'slug:in' },
    { search: `slug:${words(200).join(',')}`.slice(0, 512), searchFields: 'slug:=' },
  ];
  for (const query of accepted) expect((await api.admin.listRooms({ query })).data).toEqual([]);
  const rejected = [
    { search: words(11).join(' ') },
    { search: words(11).join(';') },
    { search: `${words(5).join(' ')};${words(6).join(' ')}` },
    {
      search: words(11)
        .map((word) => `slug:${word}`)
        .join(';'),
    },
    { search: `slug:${words(11).join(',')}`, searchFields: 'slug:in' },
    { search: `slug:${words(6).join(',')};${words(5).join(' ')}`, searchFields: 'slug:in', searchJoin: 'and' },
  ];
  for (const query of rejected) {
    expect([query, await errorsOf(query)]).toEqual([query, { search: [expect.stringContaining('10 keywords')] }]);
  }
});

test('a list can be sorted by at most ten fields, each named once', async () => {
  const ten = 'room_name,slug,status,is_public,room_type,created_at,updated_at,customer_id,account_id,id';
  expect((await api.admin.listRooms({ query: { orderBy: ten } })).data).toHaveLength(2);
  expect(await errorsOf({ orderBy: `${ten},uuid` })).toEqual({ orderBy: [expect.stringContaining('10 fields')] });
  expect(await errorsOf({ orderBy: Array.from({ length: 1700 }, () => 'id').join(',') })).toEqual({
    orderBy: [expect.stringContaining('10 fields')],
  });
  expect(await errorsOf({ orderBy: 'id,status;id' })).toEqual({ orderBy: [expect.stringContaining('id is repeated')] });
});

test('lists cannot be sorted or searched by credentials, neither by field nor as free text', async () => {
  const params = { room_id: fixture.room.id };
  const { data: code } = await api.admin.createRoomAccessCode({ params, body: { code: 'hunter2', role: 'guest' } });
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  expect(code.code).toBe('hunter2');
  const credentials = new Set(['token', 'secret', 'client_secret', 'password']);
  const otherCredentials: Partial<Record<string, readonly string[]>> = {
    RoomAccessCode: ['code'],
    RoomToken: ['url'],
    Invitation: ['url'],
  };
  for (const [name, { answer, params: pathParams }] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    if (answer.kind !== 'list') continue;
    const { object, fields } = answer.resource;
    const names = Object.keys(fields).filter(
      (field) => credentials.has(field) || otherCredentials[object]?.includes(field),
    );
    if (Object.keys(pathParams ?? {}).some((param) => !(param in params))) continue;
    for (const field of names) {
      for (const query of [{ orderBy: field }, { search: `${field}:x` }]) {
        const { status } = await api.admin.request(name, { params, query });
        expect([name, query, status]).toEqual([name, query, 422]);
      }
    }
  }
  expect((await api.admin.listRoomAccessCodes({ params, query: { search: 'hunter2' } })).data).toEqual([]);
  expect((await api.admin.listRoomTokens({ params, query: { search: token.token } })).data).toEqual([]);
});

/** Sends raw bytes. @returns the head and the body of the response */
async function send(request: string, body = '') {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (piece) => chunks.push(piece));
  const fields = `Host: foyer.example\r\nConnection: close\r\nAuthorization: Bearer ${token}`;
  const [line, ...more] = request.split('\n');
  socket.write([`${line} HTTP/1.1`, fields, ...more, `Content-Length: ${body.length}`, '', body].join('\r\n'));
  await once(socket, 'close');
  const [head = '', text = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), head, text };
}

test('a request target with another host is answered by its path, with links to the public address', async () => {
  const before = api.log().length;
  const { status, text } = await send('GET http://evil.example/api/v1/rooms?limit=1&orderBy=id');
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    meta: { pagination: { links: { next: `${api.url}/api/v1/rooms?limit=1&orderBy=id&page=2` } } },
  });
  for (const target of ['//evil.example/api/v1/rooms?limit=1', 'http://evil.example', 'http://evil.example?limit=1']) {
    const answer = await send(`GET ${target}`);
    expect([target, answer.head, answer.text]).not.toEqual([
      target,
      expect.stringContaining('evil'),
      expect.anything(),
    ]);
    expect(answer.text).not.toContain('evil');
  }
  const page = await send(`GET http://evil.example/rooms/${fixture.room.id}/${fixture.room.slug}`);
  expect([page.status, page.head.includes('evil'), page.text.includes('evil')]).toEqual([403, false, false]);
  const consent = await send('GET http://evil.example/oauth/authorize?client_id=none');
  expect([consent.status, consent.text.includes('evil')]).toEqual([400, false]);
  expect(api.log().slice(before)).not.toContain('"path":"http');
});

test('an Idempotency-Key belongs to a path, regardless of how the request writes the path', async () => {
  const fields = 'Content-Type: application/json\nIdempotency-Key: forms-of-one-target';
  const body = JSON.stringify({ role: 'guest' });
  const path = `/api/v1/rooms/${fixture.room.id}/tokens`;
  const first = await send(`POST ${path}\n${fields}`, body);
  const second = await send(`POST http://evil.example${path}\n${fields}`, body);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.head.toLowerCase()).toContain('idempotent-replayed: true');
  expect(second.text).toBe(first.text);
});

test('links include the path of the public address', async () => {
  await api.admin.updateSettings({ body: { public_url: 'https://meet.example.com/foyer' } });
  try {
    const { meta } = await api.admin.listRooms({ query: { limit: 1 } });
    expect(meta.pagination?.links.next).toBe('https://meet.example.com/foyer/api/v1/rooms?limit=1&page=2');
  } finally {
    await api.admin.updateSettings({ body: { public_url: null } });
  }
});
