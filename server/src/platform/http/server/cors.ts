import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set where the route answers OPTIONS for these endpoints. */
    preflightOf?: readonly Endpoint[];
  }
}

/** Browsers cache a preflight for at most two hours. */
const preflightMaxAgeSeconds = 7200;
const allowedHeaders = 'authorization, content-type, idempotency-key, if-match, if-none-match, x-request-id';
const exposedHeaders =
  'allow, etag, idempotent-replayed, link, location, ratelimit, ratelimit-policy, retry-after, x-request-id';

/**
 * CORS: lets pages of allowed origins read answers of the API. Browser credentials are never allowed: the API uses
 * bearer tokens, and the cookie of the proxy logins is for our own pages only.
 */
export function addCorsHeaders(server: FastifyInstance, isAllowed: (origin: string) => Promise<boolean>): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!allowsOtherOrigins(request)) return done();
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined) return done();
    isAllowed(origin).then((allowed) => {
      if (allowed)
        reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
      done();
    }, done);
  });
}

/** Answers OPTIONS with the allowed methods, and preflight requests of allowed origins. */
export function answerOptions(
  server: FastifyInstance,
  url: string,
  endpoints: readonly Endpoint[],
  allow: string,
): void {
  server.options(url, { config: { preflightOf: endpoints } }, (request, reply) => {
    reply.status(204).header('allow', allow);
    if (request.headers['access-control-request-method'] && reply.hasHeader('access-control-allow-origin')) {
      reply
        .header('access-control-allow-methods', allow)
        .header('access-control-allow-headers', allowedHeaders)
        .header('access-control-max-age', String(preflightMaxAgeSeconds));
    }
    return reply.send();
  });
}

function allowsOtherOrigins({ url, routeOptions }: FastifyRequest): boolean {
  const { endpoint, preflightOf } = routeOptions.config;
  const endpoints = endpoint ? [endpoint] : preflightOf;
  if (endpoints) return !endpoints.some(({ sameOrigin }) => sameOrigin);
  // Pages of other origins can also read 404 and 405.
  return url.startsWith('/api/');
}
