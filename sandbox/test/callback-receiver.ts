import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  method: string;
  /** Path and query. */
  target: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

export interface CallbackReceiver {
  url: string;
  received: Received[];
  /** Sets the status of the next responses. */
  respondWith(status: number): void;
}

/** Starts a server that receives all callbacks of one test. */
export async function startCallbackReceiver(status = 200): Promise<CallbackReceiver> {
  const received: Received[] = [];
  let answer = status;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request;
      received.push({ method, target, headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(answer).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respondWith(next) {
      answer = next;
    },
  };
}
