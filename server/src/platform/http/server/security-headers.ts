import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages that another site opens in a window of its own and keeps hold of, as for consent. */
    isOpenedByOthers?: true;
  }
}

/** Nothing of an answer is run, framed or guessed at, unless the page that it is says otherwise. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), display-capture=(), geolocation=(), payment=(), usb=()',
};

/** Answers of the API are for one caller, and only those to reads may be kept, to be asked for again. */
export function secureAnswers(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders);
    if (request.routeOptions.config.isOpenedByOthers) reply.header('cross-origin-opener-policy', 'unsafe-none');
    if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000');
    if (request.routeOptions.config.endpoint) {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      reply.header('cache-control', isRead ? 'private, no-cache' : 'no-store');
    }
    done();
  });
}
