import { type Endpoint, canRunInOneTransaction } from '../conventions/endpoint.ts';
import type { Header, Parameter, Reference } from './document.ts';

/** The request headers that Foyer reads, besides `Authorization`. */
export const headerParameters: Readonly<Record<string, Parameter>> = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Your own id for the request. The server replaces an id that it does not accept with a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A key of printable ASCII characters, new for each operation. If you send the same request again within 24 hours, it is not executed again: you get the first response, with `Idempotent-Replayed: true`. With another body or path you get a 422, and while the first request is still running a 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'b2f7c1de-3a51-4a8e-9e57-0a44a2b7c1de',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` that you read. If the resource has changed since, the response is 412 and nothing is written. Without this header the last write wins.',
    schema: { type: 'string' },
    example: '"Yk3v9q2xaT4mQ8vXk2Ry7W"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the copy that you have. If it is still current, the response is 304 without a body.',
    schema: { type: 'string' },
    example: '"Yk3v9q2xaT4mQ8vXk2Ry7W"',
  },
};

export const headers: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'The id of the request in the log: yours if you sent one, otherwise a new one.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The version of the resource, for `If-None-Match` in a read and `If-Match` in a write.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'Present when this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description:
      'How to authenticate; with `error="invalid_token"` or `error="insufficient_scope"` when the request had a token.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'The remaining requests of each rate limit, and the seconds until it is reset: `"default";r=57;t=31`.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The requests that each rate limit allows, and its window in seconds: `"default";q=600;w=60`.',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
};

export function headerReferences(endpoint: Endpoint, canHaveIfMatch: boolean): Reference[] {
  return [
    ...(acceptsIdempotencyKey(endpoint) ? ['Idempotency-Key'] : []),
    ...(canHaveIfMatch ? ['If-Match'] : []),
    ...(hasETag(endpoint) && endpoint.method === 'GET' ? ['If-None-Match'] : []),
    'X-Request-Id',
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Whether it supports `Idempotency-Key`. */
export function acceptsIdempotencyKey({ method, access }: Endpoint): boolean {
  return method === 'POST' && access.kind !== 'public';
}

/** Whether its answer has an `ETag`. */
export function hasETag({ answer }: Endpoint): boolean {
  return answer.kind === 'resource' || (answer.kind === 'object' && answer.enveloped);
}

/**
 * The writes that support `If-Match`. It is compared with the resource at the same path, or for an action with the
 * resource above it.
 */
export function comparableWrites(endpoints: readonly Endpoint[]): ReadonlySet<Endpoint> {
  const reads = new Set(
    endpoints
      .filter(({ method, answer }) => method === 'GET' && (answer.kind === 'resource' || answer.kind === 'object'))
      .map(({ path }) => path),
  );
  return new Set(
    endpoints.filter((endpoint) => {
      const { method, path } = endpoint;
      const parentPath = path.slice(0, path.lastIndexOf('/'));
      return method !== 'GET' && canRunInOneTransaction(endpoint) && (reads.has(path) || reads.has(parentPath));
    }),
  );
}

/** The headers that every answer has, and the named ones. */
export function answerHeaders(...names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(
    ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}
