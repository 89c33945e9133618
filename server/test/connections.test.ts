import { once } from 'node:events';
import { type AddressInfo, connect, type NetConnectOpts, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { ConnectionLimits } from '../src/platform/http/server/connections.ts';
import { createHttpServer } from '../src/platform/http/server/http-server.ts';

/** A server with real sockets, and slow and fast responses. */
async function startServer(connections: Partial<ConnectionLimits>) {
  const logger = pino({ level: 'silent' });
  const server = createHttpServer({ logger, requireHttps: false, trustProxy: false, tls: null, connections });
  server.get('/endless', (_request, reply) => reply.send(Readable.from(chunks(Number.POSITIVE_INFINITY))));
  server.get('/large', (_request, reply) => reply.send(Readable.from(chunks(128))));
  server.get('/slow', async () => {
    await once(server.server, 'timeout');
    return 'done';
  });
  let handledCount = 0;
  server.get('/quick', async () => {
    handledCount += 1;
    await delay(10);
    return 'done';
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const { port } = server.server.address() as AddressInfo;
  return {
    async open(options: Partial<NetConnectOpts> = {}): Promise<{ client: Socket; closedByServer: Promise<unknown> }> {
      const accepted = once(server.server, 'connection') as Promise<[Socket]>;
      const client = connect({ host: '127.0.0.1', port, ...options } as NetConnectOpts);
      client.on('error', () => undefined);
      onTestFinished(() => void client.destroy());
      const [socket] = await accepted;
      return { client, closedByServer: socket.destroyed ? Promise.resolve() : once(socket, 'close') };
    },
    countHandled: () => handledCount,
    connect: (localAddress: string) => connect({ host: '127.0.0.1', port, localAddress }),
  };
}

const chunk = Buffer.alloc(65_536, 'x');

async function* chunks(count: number) {
  for (let sent = 0; sent < count; sent += 1) yield chunk;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const data of socket) text += String(data);
  return text;
}

const formatGetRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

test('a client whose header fields never end gets an error and is disconnected', async () => {
  const { open } = await startServer({ headersMs: 50, checkMs: 10 });
  const { client } = await open();
  client.write('GET /quick HTTP/1.1\r\nHost: local');
  const answer = await readAll(client);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"code":"request-timeout"');
});

test('a client that neither sends nor reads is disconnected, even if it never closes the connection', async () => {
  const { open } = await startServer({ headersMs: 50, checkMs: 10, lingerMs: 50 });
  const { client, closedByServer } = await open({ allowHalfOpen: true });
  client.pause();
  await closedByServer;
});

test('a client that does not send HTTP and never closes the connection is disconnected', async () => {
  const { open } = await startServer({ lingerMs: 50 });
  const { client, closedByServer } = await open({ allowHalfOpen: true });
  client.pause();
  client.write('nonsense\r\n\r\n');
  await closedByServer;
});

test('a client that does not read its answer is disconnected', async () => {
  const { open } = await startServer({ unreadMs: 100 });
  const { client, closedByServer } = await open();
  client.pause();
  client.write(formatGetRequest('/endless'));
  await closedByServer;
});

test('a client that sends many requests without reading their answers is disconnected, and few of them are handled', async () => {
  const { open, countHandled } = await startServer({});
  const { client, closedByServer } = await open();
  client.pause();
  client.write('GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3000));
  await closedByServer;
  expect(countHandled()).toBeLessThanOrEqual(16);
});

test('a client may send several requests before it reads their answers', async () => {
  const { open } = await startServer({});
  const { client } = await open();
  client.write(`${'GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(9)}${formatGetRequest('/quick')}`);
  expect((await readAll(client)).match(/HTTP\/1\.1 200 /g)).toHaveLength(10);
});

test('a client that reads slowly gets all of its answer', async () => {
  const { open } = await startServer({ unreadMs: 1000 });
  const { client } = await open();
  client.write(formatGetRequest('/large'));
  let size = 0;
  for await (const data of client) {
    size += (data as Buffer).length;
    await delay(20);
  }
  expect(size).toBeGreaterThan(128 * chunk.length);
});

test('the time to create an answer does not count towards the time that the client has to read it', async () => {
  const { open } = await startServer({ unreadMs: 50 });
  const { client } = await open();
  client.write(formatGetRequest('/slow'));
  expect(await readAll(client)).toMatch(/^HTTP\/1\.1 200 [^]*done$/);
});

test('an idle connection is closed', async () => {
  const { open } = await startServer({ keepAliveMs: 50 });
  const { client, closedByServer } = await open();
  client.write('GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  await closedByServer;
});

test('connections above the limit are closed unread, and new ones are accepted once one has ended', async () => {
  const { open, connect: tryToConnect } = await startServer({ maxConnections: 2 });
  const [first] = [await open(), await open()];
  expect(await readAll(tryToConnect('127.0.0.1'))).toBe('');
  first.client.end();
  await first.closedByServer;
  const { client } = await open();
  client.write(formatGetRequest('/quick'));
  expect(await readAll(client)).toMatch(/done$/);
});

test('the limit of connections per address does not affect other addresses', async () => {
  const { open } = await startServer({ maxPerAddress: 2 });
  const [first] = [await open(), await open()];
  const refused = await open();
  await refused.closedByServer;
  const other = await open({ localAddress: '127.0.0.2' });
  other.client.write(formatGetRequest('/quick'));
  expect(await readAll(other.client)).toMatch(/done$/);
  first.client.end();
  await first.closedByServer;
  const next = await open();
  next.client.write(formatGetRequest('/quick'));
  expect(await readAll(next.client)).toMatch(/done$/);
});

test.each([
  ['two Host fields', 'HTTP/1.1', 'Host: localhost\r\nhost: elsewhere\r\n', 'more than one Host'],
  ['two equal Host fields', 'HTTP/1.0', 'Host: localhost\r\nHost: localhost\r\n', 'more than one Host'],
  ['no Host field', 'HTTP/1.1', '', 'no Host'],
  ['a Host field with a path', 'HTTP/1.1', 'Host: localhost/path\r\n', 'Host header field is invalid'],
  ['a Host field with user information', 'HTTP/1.1', 'Host: somebody@localhost\r\n', 'Host header field is invalid'],
  ['a Host field with two names', 'HTTP/1.1', 'Host: one, two\r\n', 'Host header field is invalid'],
  [
    'a Host field with a port that is no number',
    'HTTP/1.1',
    'Host: localhost:eighty\r\n',
    'Host header field is invalid',
  ],
  [
    'two Authorization fields',
    'HTTP/1.1',
    'Host: localhost\r\nAuthorization: Bearer one\r\nauthorization: Bearer two\r\n',
    'more than one Authorization',
  ],
])('a request with %s is a 400', async (_, version, fields, message) => {
  const { open } = await startServer({});
  const { client } = await open();
  client.write(`GET /quick ${version}\r\n${fields}Connection: close\r\n\r\n`);
  const answer = await readAll(client);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code":"malformed-request"');
  expect(answer).toContain(message);
});

test.each([
  ['HTTP/1.0', ''],
  ['HTTP/1.1', 'Host: localhost:8080\r\n'],
  ['HTTP/1.1', 'Host: [::1]:8080\r\n'],
  ['HTTP/1.1', 'Host: a_name.example\r\n'],
])('a request in %s with the field "%s" is answered', async (version, field) => {
  const { open } = await startServer({});
  const { client } = await open();
  client.write(`GET /quick ${version}\r\n${field}Connection: close\r\n\r\n`);
  expect(await readAll(client)).toMatch(/^HTTP\/1\.1 200 /);
});
