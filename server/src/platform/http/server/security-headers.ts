import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for pages that another site opens in a window and keeps a reference to, such as the consent page. */
    isOpenedByOthers?: true;
  }
}

/** Answers are not executed, framed or sniffed, unless a page sets its own policy. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), display-capture=(), geolocation=(), payment=(), usb=()',
};

/** Answers of the API are private. Only answers to reads may be cached, and must be revalidated. */
export function addSecurityHeaders(server: FastifyInstance): void {
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
