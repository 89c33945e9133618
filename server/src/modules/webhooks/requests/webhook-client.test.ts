import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createWebhookClient, type WebhookClientOptions } from './webhook-client.ts';

const secrets = ['whsec_c2VjcmV0'];

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function clientOf(options: Partial<WebhookClientOptions> = {}) {
  const client = createWebhookClient({ isPrivateAllowed: () => true, timeoutMs: 400, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function sendTo(server: Server, options: Partial<WebhookClientOptions> = {}) {
  return await send(`http://127.0.0.1:${await listen(server)}/`, options);
}

async function send(url: string, options: Partial<WebhookClientOptions> = {}) {
  return await clientOf(options).send({ url, id: 'evt_1', body: '{}', secrets, sentAtMs: 0 });
}

const http = (listener: RequestListener) => createServer(listener);
const tcp = (act: (socket: Socket) => void) =>
  createTcpServer((socket) => {
    socket.on('error', () => {});
    act(socket);
  });

test('a receiver that never responds, or responds byte by byte, fails at the time-out', async () => {
  const timeoutOutcome = {
    status_code: null,
    error: expect.stringContaining('did not respond within'),
    response: null,
  };
  expect(await sendTo(http(() => {}))).toMatchObject(timeoutOutcome);
  expect(await sendTo(tcp(() => {}))).toMatchObject(timeoutOutcome);
  const drip = tcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x: y\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  expect(await sendTo(drip)).toMatchObject(timeoutOutcome);
});

test('a body without an end is read up to 1,024 bytes, and the connection is closed', async () => {
  let written = 0;
  const closed = new Promise<void>((resolve) => {
    const server = http((_request, response) => {
      response.writeHead(200, { 'content-length': String(5 * 1024 ** 3) });
      response.on('close', resolve);
      const chunk = Buffer.alloc(65_536, 'a');
      const push = () => {
        while (!response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', push);
      push();
    });
    void sendTo(server).then((outcome) => {
      expect(outcome).toMatchObject({ status_code: 200, error: null, response: 'a'.repeat(1024) });
    });
  });
  await closed;
  expect(written).toBeLessThan(64 * 1024 ** 2);
});

test('a compressed response is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 ** 2));
  const server = http((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
    response.end(bomb);
  });
  const outcome = await sendTo(server);
  expect(outcome).toMatchObject({ status_code: 200, error: null });
  expect(outcome.response).toHaveLength(new TextDecoder().decode(bomb.subarray(0, 1024)).length);
});

test('a slow body does not turn a success into a failure', async () => {
  const outcome = await sendTo(
    http((_request, response) => {
      response.writeHead(200);
      response.write('begun');
    }),
  );
  expect(outcome).toMatchObject({ status_code: 200, error: null, response: 'begun' });
});

test('redirects are not followed', async () => {
  let lookups = 0;
  const port = await listen(
    http((_request, response) => {
      lookups += 1;
      response.end();
    }),
  );
  for (const status of [301, 302, 307, 308]) {
    const outcome = await sendTo(
      http((_request, response) => void response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()),
    );
    expect(outcome).toMatchObject({
      status_code: status,
      error: 'The receiver answered with a redirect, which is not followed.',
    });
  }
  expect(lookups).toBe(0);
});

test('an invalid response, endless headers and a closed connection are failures', async () => {
  const faultyResponses = [
    (socket: Socket) => void socket.end('220 mail.example.com ESMTP\r\n'),
    (socket: Socket) => void socket.end(Buffer.from([0, 255, 1, 254])),
    (socket: Socket) => void socket.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`),
    (socket: Socket) => void socket.destroy(),
  ];
  for (const respond of faultyResponses)
    expect(await sendTo(tcp((socket) => socket.once('data', () => respond(socket))))).toMatchObject({
      status_code: null,
      error: expect.stringMatching(/receiver/),
      response: null,
    });
});

test('informational responses without an end, faulty statuses and contradictory lengths are failures', async () => {
  const flood = tcp((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)), 5);
    socket.on('close', () => clearInterval(timer));
  });
  expect(await sendTo(flood)).toMatchObject({ status_code: null, error: expect.stringContaining('did not respond') });
  for (const head of [
    'HTTP/1.1 099 X\r\ncontent-length: 0',
    'HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 7',
    '<html>',
  ]) {
    const server = tcp((socket) => socket.once('data', () => socket.end(`${head}\r\n\r\n`)));
    expect(await sendTo(server)).toMatchObject({ status_code: null, error: expect.stringMatching(/receiver/) });
  }
});

test('informational responses before the final one do not change the outcome', async () => {
  for (const head of ['100 Continue', '103 Early Hints']) {
    const responses = `${`HTTP/1.1 ${head}\r\n\r\n`.repeat(20)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`;
    const server = tcp((socket) => socket.once('data', () => socket.write(responses)));
    expect(await sendTo(server)).toMatchObject({ status_code: 200, error: null, response: 'ok' });
  }
});

test('the connection is reused for the next request', async () => {
  let connections = 0;
  const server = http((request, response) => void request.resume().on('end', () => response.end('ok')));
  server.on('connection', () => void (connections += 1));
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const client = clientOf();
  for (const id of ['evt_1', 'evt_2', 'evt_3'])
    expect(await client.send({ url, id, body: '{}', secrets, sentAtMs: 0 })).toMatchObject({ response: 'ok' });
  expect(connections).toBe(1);
});

test('a response that was sent in advance does not count for the next request', async () => {
  let requests = 0;
  const server = tcp((socket) =>
    socket.on('data', () => {
      requests += 1;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      if (requests === 1) socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n');
    }),
  );
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const client = clientOf();
  for (const id of ['evt_1', 'evt_2'])
    expect(await client.send({ url, id, body: '{}', secrets, sentAtMs: 0 })).toMatchObject({ status_code: 200 });
  expect(requests).toBe(2);
});

test('a binary response can be stored', async () => {
  const outcome = await sendTo(http((_request, response) => void response.end(Buffer.from([0, 0xff, 0x41]))));
  expect(outcome.response).toBe('��A');
});

test('a host name that resolves to a private address gets no connection, even if it resolved to a public one before', async () => {
  let connections = 0;
  const port = await listen(tcp(() => void (connections += 1)));
  const privateAddresses: LookupAddress[][] = [
    [{ address: '127.0.0.1', family: 4 }],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    [
      { address: '192.0.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
    [{ address: '169.254.169.254', family: 4 }],
    [],
  ];
  for (const addresses of privateAddresses) {
    const outcome = await send(`https://rebinding.example:${port}/`, {
      isPrivateAllowed: () => false,
      resolve: async () => addresses,
    });
    expect(outcome).toMatchObject({
      status_code: null,
      error: 'The host name resolves to an address that is not public.',
    });
  }
  expect(connections).toBe(0);
});

test('a literal address that is not public gets no connection', async () => {
  let connections = 0;
  const port = await listen(tcp(() => void (connections += 1)));
  for (const url of [`https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/`, `https://[::ffff:127.0.0.1]:${port}/`])
    expect(await send(url, { isPrivateAllowed: () => false })).toMatchObject({ status_code: null });
  expect(connections).toBe(0);
});
