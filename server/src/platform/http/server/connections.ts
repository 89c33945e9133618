import type { FastifyInstance } from 'fastify';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { addressGroup } from '../../identity/address-group.ts';
import type { RunningRequests } from './running-requests.ts';

/** Limits of the server, of one address and of one connection. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Null behind a proxy, whose address all connections share. */
  readonly maxPerAddress: number | null;
  /** How long the header fields of a request may take to arrive. */
  readonly headersMs: number;
  /** How long a whole request may take to arrive. */
  readonly requestMs: number;
  /** How often these two times are checked, so a request may take this much longer. */
  readonly checkMs: number;
  /** How long a connection waits for its next request. */
  readonly keepAliveMs: number;
  /** How long the client may read nothing of an answer. */
  readonly unreadMs: number;
  /** How long the client has to read the answer before a connection is closed. */
  readonly lingerMs: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 10_000,
  maxPerAddress: null,
  headersMs: 15_000,
  requestMs: 120_000,
  checkMs: 5000,
  keepAliveMs: 72_000,
  unreadMs: 30_000,
  lingerMs: 2000,
};

/** Most clients send the next request only after an answer. */
const maxPipelinedRequests = 16;

/**
 * Creates the server of Node. It closes a connection on which the client sends many requests without reading their
 * answers: Node would run all that have arrived.
 */
export function createNodeServer(
  handle: RequestListener,
  tls: { cert: string; key: string } | null,
  { limits, running }: { readonly limits: ConnectionLimits; readonly running: () => RunningRequests },
): Server {
  const handleBounded: RequestListener = (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (running().repliesOn(socket).length < maxPipelinedRequests) handle(request, response);
    else socket.destroy();
  };
  const options = serverOptions(limits);
  return tls ? createTlsServer({ ...tls, ...options }, handleBounded) : createServer(options, handleBounded);
}

/** The limits that Node enforces, as options of its server. */
function serverOptions({ headersMs, requestMs, checkMs, keepAliveMs }: ConnectionLimits) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
    // Checked by `findHeaderFault`, so that the error has the usual format.
    requireHostHeader: false,
  };
}

/** Refuses connections above the limits, and closes idle ones. */
export function limitConnections(
  { server }: FastifyInstance,
  limits: ConnectionLimits,
  running: RunningRequests,
): void {
  server.maxConnections = limits.maxConnections;
  if (limits.maxPerAddress !== null) limitPerAddress(server, limits.maxPerAddress);
  server.setTimeout(limits.unreadMs);
  // Node emits this only when no byte was sent or received: a slow reader keeps its connection.
  server.on('timeout', (socket: Socket) => {
    if (running.repliesOn(socket).length === 0 || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(limits.unreadMs);
  });
}

function limitPerAddress(server: FastifyInstance['server'], maximum: number): void {
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = addressGroup(socket.remoteAddress ?? null);
    const count = counts.get(address) ?? 0;
    if (count >= maximum) return void socket.destroy();
    counts.set(address, count + 1);
    socket.once('close', () => {
      const remaining = (counts.get(address) ?? 1) - 1;
      if (remaining === 0) counts.delete(address);
      else counts.set(address, remaining);
    });
  });
}

/** Sends the last answer on a connection, and closes the connection even if the client does not read the answer. */
export function sendAndClose(socket: Socket, answer: string, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end(answer);
}
