import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set where the route answers OPTIONS for these endpoints. */
    preflightOf?: readonly Endpoint[];
  }
}

/** Browsers ask again after two hours, the longest that they remember. */
const rememberSeconds = 7200;
const allowedHeaders = 'authorization, content-type, idempotency-key, if-match, if-none-match, x-request-id';
const exposedHeaders =
  'allow, etag, idempotent-replayed, link, location, ratelimit, ratelimit-policy, retry-after, x-request-id';

/**
 * Lets the pages of allowed origins read the answers of the API. Never with credentials of the browser: the bearer
 * token is what opens, and the cookie of the proxy logins is for our own pages alone.
 */
export function answerOtherOrigins(server: FastifyInstance, isAllowed: (origin: string) => Promise<boolean>): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!isForOthers(request)) return;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(await isAllowed(origin))) return;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
  });
}

/** OPTIONS on a path of the API: what it answers to, and for the pages of allowed origins the preflight. */
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
        .header('access-control-max-age', String(rememberSeconds));
    }
    return reply.send();
  });
}

function isForOthers({ url, routeOptions }: FastifyRequest): boolean {
  const { endpoint, preflightOf } = routeOptions.config;
  const endpoints = endpoint ? [endpoint] : preflightOf;
  if (endpoints) return !endpoints.some(({ sameOrigin }) => sameOrigin);
  // Pages are told as well that a path is unknown, or does not answer to a verb.
  return url.startsWith('/api/');
}
