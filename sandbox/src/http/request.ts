import type { IncomingMessage } from 'node:http';

export interface SandboxRequest {
  method: string;
  /** Without repeated or trailing slashes; `/` for the root. */
  path: string;
  /** The raw query: one character per byte of the request line. */
  query: string;
  /** Scheme and host as the caller sees them. */
  origin: string;
  message: IncomingMessage;
}

export function readRequest(message: IncomingMessage, fallbackOrigin: string): SandboxRequest {
  const target = message.url ?? '/';
  const queryMark = target.indexOf('?');
  const path = (queryMark < 0 ? target : target.slice(0, queryMark)).replace(/\/{2,}/g, '/');
  const { host } = message.headers;
  return {
    method: message.method ?? 'GET',
    path: path === '/' ? path : path.replace(/\/$/, ''),
    query: queryMark < 0 ? '' : target.slice(queryMark + 1),
    origin: host && hostPattern.test(host) ? `http://${host}` : fallbackOrigin,
    message,
  };
}

/** Decodes percent signs, plus signs and UTF-8. If a name is repeated, its first value is used. */
export function decodeQuery(rawQuery: string): Map<string, string> {
  return keepFirstValues(new URLSearchParams(Buffer.from(rawQuery, 'latin1').toString('utf8')));
}

export function keepFirstValues(pairs: Iterable<[string, string]>): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

/** @param accept the Accept header; without it, the client accepts everything */
export function acceptsJson(accept = '*/*'): boolean {
  const types = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return types.some((type) => ['*/*', 'application/*', 'application/json', 'text/json'].includes(type));
}

const hostPattern = /^[A-Za-z0-9.:[\]-]+$/;
