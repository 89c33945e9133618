import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, FoyerError } from '../src/index.ts';

interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

let server: Server;
let baseUrl: string;
let requests: ReceivedRequest[] = [];
let respond: (request: ReceivedRequest, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method, url, headers } = request;
      const entry = { method, url, headers, body: Buffer.concat(pieces).toString('utf8') };
      requests.push(entry);
      respond(entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  requests = [];
  respond = (_request, response) => json(response, 200, { data: { id: 'room_1' }, meta: { include: [], custom: [] } });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

test('a call goes to the method and path of its endpoint, with parameters, query, body and bearer token', async () => {
  const client = createClient({ baseUrl: `${baseUrl}/`, token: 'abc', headers: { 'x-request-id': 'r1' } });
  const answer = await client.createRoomToken({
    params: { room_id: 'a/b' },
    query: { filter: 'id,url' },
    body: { role: 'guest' },
    headers: { 'idempotency-key': 'k1' },
  });
  expect(answer.data.id).toBe('room_1');
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/api/v1/rooms/a%2Fb/tokens?filter=id%2Curl',
    body: '{"role":"guest"}',
    headers: {
      authorization: 'Bearer abc',
      'content-type': 'application/json',
      'x-request-id': 'r1',
      'idempotency-key': 'k1',
    },
  });
});

test('an idempotency key and an entity tag are sent as headers', async () => {
  const client = createClient({ baseUrl, token: 'abc' });
  const params = { room_id: 'room_1' };
  await client.createRoomToken({ params, body: { role: 'guest' }, idempotencyKey: 'k1' });
  await client.updateRoom({ params, body: { room_name: 'New' }, ifMatch: '"a.b"' });
  expect(requests[0]?.headers).toMatchObject({ 'idempotency-key': 'k1' });
  expect(requests[1]?.headers).toMatchObject({ 'if-match': '"a.b"' });
});

test('withEtag returns the answer with its entity tag or null, and throws errors', async () => {
  const client = createClient({ baseUrl });
  const params = { room_id: 'room_1' };
  respond = (_request, response) => json(response, 200, { data: { id: 'room_1' } }, { etag: '"a.b"' });
  const tagged = await client.withEtag('readRoom', { params });
  expect([tagged.answer.data.id, tagged.etag]).toEqual(['room_1', '"a.b"']);
  respond = (_request, response) => json(response, 200, { data: [] });
  expect((await client.withEtag('listFeatures')).etag).toBeNull();
  respond = (_request, response) => json(response, 404, { code: 'not-found', message: 'No.' });
  await expect(client.withEtag('readRoom', { params })).rejects.toMatchObject({ status: 404, code: 'not-found' });
});

test('a call without token and body sends neither', async () => {
  await createClient({ baseUrl }).listFeatures();
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
  expect(requests[0]?.headers).not.toHaveProperty('content-type');
  expect(requests[0]?.url).toBe('/api/v1/features');
});

test('an empty answer is parsed to null', async () => {
  respond = (_request, response) => response.writeHead(204).end();
  expect(await createClient({ baseUrl }).deleteRoom({ params: { room_id: 'room_1' } })).toBeNull();
});

test('an error response is thrown with its status, code, message, field errors, request id and Retry-After', async () => {
  respond = (_request, response) =>
    json(
      response,
      422,
      { message: 'Taken.', code: 'validation-failed', errors: { tag: ['Taken.'] }, request_id: 'r9' },
      { 'retry-after': '7' },
    );
  const failure: unknown = await createClient({ baseUrl })
    .listRooms()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FoyerError);
  expect(failure).toMatchObject({
    status: 422,
    message: 'Taken.',
    code: 'validation-failed',
    errors: { tag: ['Taken.'] },
    requestId: 'r9',
    retryAfter: 7,
  });
});

test('an error response whose body is not JSON is thrown as well', async () => {
  respond = (_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>');
  const failure: unknown = await createClient({ baseUrl })
    .listRooms()
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 502, code: 'unknown', errors: {}, requestId: null, retryAfter: null });
});

test('request returns error responses instead of throwing them', async () => {
  respond = (_request, response) => json(response, 404, { code: 'not-found' }, { 'x-request-id': 'r2' });
  const answer = await createClient({ baseUrl }).request('readRoom', { params: { room_id: 'room_1' } });
  expect(answer.status).toBe(404);
  expect(answer.body).toEqual({ code: 'not-found' });
  expect(answer.headers.get('x-request-id')).toBe('r2');
});

test('a missing path parameter is an error, and no request is sent', async () => {
  await expect(createClient({ baseUrl }).request('readRoom')).rejects.toThrow('needs the parameter room_id');
  expect(requests).toHaveLength(0);
});

test('the token is requested again for each request', async () => {
  let number = 0;
  const client = createClient({ baseUrl, token: () => Promise.resolve(`t${++number}`) });
  await client.listRooms();
  await client.listRooms();
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
});

test('a rejected token is renewed once, and the request is repeated', async () => {
  respond = ({ headers }, response) =>
    headers.authorization === 'Bearer new' ? json(response, 200, { data: [] }) : json(response, 401, {});
  const client = createClient({ baseUrl, token: 'old', onUnauthenticated: () => 'new' });
  await expect(client.listRooms()).resolves.toEqual({ data: [] });
  expect(requests).toHaveLength(2);
});

test('a token that cannot be renewed, or is rejected again, causes the error', async () => {
  respond = (_request, response) => json(response, 401, { code: 'unauthenticated' });
  const clientWithoutNewToken = createClient({ baseUrl, token: 'old', onUnauthenticated: () => null });
  await expect(clientWithoutNewToken.listRooms()).rejects.toMatchObject({ status: 401 });
  expect(requests).toHaveLength(1);
  const clientWithOldToken = createClient({ baseUrl, token: 'old', onUnauthenticated: () => 'also old' });
  await expect(clientWithOldToken.listRooms()).rejects.toMatchObject({ status: 401 });
  expect(requests).toHaveLength(3);
});

test('without a token, a 401 does not request a new one', async () => {
  respond = (_request, response) => json(response, 401, {});
  const client = createClient({ baseUrl, onUnauthenticated: () => expect.unreachable() });
  await expect(client.listRooms()).rejects.toMatchObject({ status: 401 });
});

test('all follows the cursors to the end and requests no totals', async () => {
  const pages: Record<string, unknown> = {
    '': { data: [1, 2], meta: { pagination: { next_cursor: 'c1' } } },
    c1: { data: [3], meta: { pagination: { next_cursor: null } } },
  };
  respond = ({ url }, response) => {
    const query = new URL(url ?? '', baseUrl).searchParams;
    expect(query.get('count')).toBe('false');
    expect(query.get('search')).toBe('x y');
    json(response, 200, pages[query.get('cursor') ?? '']);
  };
  const items: unknown[] = [];
  for await (const item of createClient({ baseUrl }).all('listRooms', { query: { search: 'x y' } })) items.push(item);
  expect(items).toEqual([1, 2, 3]);
  expect(requests).toHaveLength(2);
});

test('an aborted call is rejected', async () => {
  const abort = new AbortController();
  respond = () => abort.abort();
  await expect(createClient({ baseUrl }).listRooms({ signal: abort.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('with atRoot, an endpoint is called at its root path, if it has one', async () => {
  const client = createClient({ baseUrl });
  await client.refreshAdmin({ body: {}, atRoot: true });
  expect(requests[0]?.url).toBe('/oauth/proxy/login/refresh');
  await expect(client.listRooms({ atRoot: true })).rejects.toThrow('does not respond at the root');
});

test('csv sends the query and returns the report as a stream with a file name', async () => {
  respond = (_request, response) => {
    const headers = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="usage.csv"' };
    response.writeHead(200, headers).write('period\r\n');
    setImmediate(() => response.end('2026-03\r\n'));
  };
  const client = createClient({ baseUrl, token: 'abc' });
  const { fileName, body } = await client.csv('readUsageReport', { query: { by: 'month', group_by: 'room' } });
  expect(fileName).toBe('usage.csv');
  expect(await new Response(body).text()).toBe('period\r\n2026-03\r\n');
  expect(requests[0]).toMatchObject({
    url: '/api/v1/reports/usage?by=month&group_by=room',
    headers: { accept: 'text/csv', authorization: 'Bearer abc' },
  });
});

test('an error response to a report is thrown like any other', async () => {
  respond = (_request, response) =>
    json(response, 422, { message: 'No.', code: 'validation-failed', errors: { to: ['No.'] } });
  const call = createClient({ baseUrl, token: 'abc' }).csv('readUsageReport');
  await expect(call).rejects.toMatchObject({ name: 'FoyerError', status: 422, errors: { to: ['No.'] } });
});
