import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';
import { errorCodes } from '@foyer/contract/conventions/error-codes.ts';
import type { FastifyBaseLogger } from 'fastify';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { sendAndClose } from '../server/connections.ts';
import { securityHeaders } from '../server/security-headers.ts';

/**
 * Answers requests that cannot be parsed, or are too long or too late, in the usual error format, and closes the
 * connection.
 */
export function respondToClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  logger: FastifyBaseLogger,
  lingerMs: number,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const requestId = randomUUID();
  const [code, message] = describe(error.code);
  const [status] = errorCodes[code];
  logger.info({ reqId: requestId, status, address: socket.remoteAddress, reason: error.code }, 'unreadable request');
  const body = JSON.stringify({ message, errors: {}, code, request_id: requestId });
  const headers = {
    ...securityHeaders,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  sendAndClose(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'), lingerMs);
}

function describe(code: string | undefined): readonly [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['headers-too-large', 'The header fields are too large.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['request-timeout', 'The request did not arrive in time.'];
  return ['malformed-request', 'The request is malformed.'];
}
