import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { invalid, notFound, readBody, Refusal, sendEmpty, sendRefusal } from './answer.ts';
import { type Call, matchPath, type Route } from './route.ts';
import { diskFull, isDiskFull } from '../storage/disk.ts';
import { createSignatureCheck, type SignedRequest } from './signature.ts';

export interface ServerOptions {
  readonly secret: string;
  readonly routes: readonly Route[];
  readonly onError: (error: unknown, path: string) => void;
}

const defaultMaximumBytes = 256 * 1024;

/** Serves the routes. Slow clients are disconnected; an error in one request never ends the process. */
export function createHttpServer(options: ServerOptions): Server {
  const check = createSignatureCheck(options.secret);
  const server = createServer((request, response) => {
    response.on('error', () => {});
    void answer({ ...options, check }, request, response);
  });
  server.headersTimeout = 20_000;
  // Uploads can take long, so only the idle time-out of the socket applies.
  server.requestTimeout = 0;
  server.timeout = 60_000;
  server.keepAliveTimeout = 30_000;
  server.maxConnections = 20_000;
  return server;
}

interface RequestContext extends ServerOptions {
  readonly check: ReturnType<typeof createSignatureCheck>;
}

async function answer(options: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? '/';
  try {
    if (!target.startsWith('/')) throw notFound('This address');
    const [path, search] = splitOnce(target, '?');
    const match = findRoute(options.routes, request.method ?? 'GET', path);
    if (match === 'other-method')
      throw new Refusal(405, 'method-not-allowed', 'This address does not support the method.');
    if (!match) throw notFound('This address');
    const { route, params } = match;
    const body = route.isSigned ? await readBody(request, route.maximumBytes ?? defaultMaximumBytes) : Buffer.alloc(0);
    if (route.isSigned) requireSignature(options.check(signedRequestOf(request, body)));
    const call: Call = { request, response, params, query: new URLSearchParams(search), body, json: () => parse(body) };
    await route.handle(call);
    if (!response.headersSent && !response.writableEnded) sendEmpty(response);
  } catch (error) {
    // The unread rest of the body would be parsed as the next request.
    if (!request.complete && !response.headersSent) response.setHeader('connection', 'close');
    if (error instanceof Refusal) return sendRefusal(response, error);
    // Not `request.destroyed`, which is true as soon as the body was read.
    if (request.socket.destroyed || response.destroyed) return;
    options.onError(error, request.url?.split('/')[1] ?? '');
    sendRefusal(
      response,
      isDiskFull(error) ? diskFull() : new Refusal(500, 'internal', 'Something went wrong on the media server.'),
    );
  }
}

function findRoute(routes: readonly Route[], method: string, path: string) {
  let isPathKnown = false;
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (!params) continue;
    const accepts = route.method === method || (method === 'HEAD' && route.method === 'GET');
    if (accepts) return { route, params };
    isPathKnown = true;
  }
  return isPathKnown ? ('other-method' as const) : null;
}

function signedRequestOf({ headers, method = '', url = '' }: IncomingMessage, body: Buffer): SignedRequest {
  const header = (name: string) => String(headers[`x-foyer-${name}`]);
  const [timestamp, nonce, signature] = [header('timestamp'), header('nonce'), header('signature')];
  return { timestamp, nonce, signature, method, path: url, body };
}

/** @throws Refusal */
function requireSignature(result: ReturnType<RequestContext['check']>): void {
  if (result === 'valid') return;
  if (result === 'invalid')
    throw new Refusal(401, 'unauthenticated', 'The request is not signed with the secret of this media server.');
  throw new Refusal(
    409,
    'request-repeated',
    'This request was already received, or was signed before this media server started. If it happens again, synchronize the clocks of both machines.',
  );
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw invalid('The body must be JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body must be an object.');
  return value as Readonly<Record<string, unknown>>;
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
