import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawServer {
  readonly url: string;
  /** The requested paths and queries, in order. */
  readonly requests: readonly string[];
}

export type Responder = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts an HTTP server with the responses of the test, which can be malformed. */
export async function startRawServer(answer: Responder): Promise<RawServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function respondXml(body: string, status = 200): Responder {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/xml;charset=utf-8' });
    response.end(body);
  };
}

export function successXml(innerXml: string): string {
  return `<response><returncode>SUCCESS</returncode>${innerXml}</response>`;
}

export function failedXml(key: string, message: string): string {
  return `<response><returncode>FAILED</returncode><messageKey>${key}</messageKey><message>${message}</message></response>`;
}

/** The name of the call, as in `getMeetingInfo`. */
export function callNameOf(request: IncomingMessage): string {
  return new URL(request.url ?? '', 'http://localhost').pathname.split('/').at(-1) ?? '';
}
