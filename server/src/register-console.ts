import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Dependencies } from './dependencies.ts';
import { listMediaOrigins } from './modules/service-providers/index.ts';

/** Serves the built console, whose router handles every path below `/console`. */
export async function registerConsole(server: FastifyInstance, { db, logger }: Dependencies): Promise<void> {
  const root = fileURLToPath(new URL('../../web/admin/dist/', import.meta.url));
  if (!existsSync(root)) return;
  await server.register(fastifyStatic, {
    root,
    prefix: '/console/',
    wildcard: false,
    index: false,
    // The build writes a `.br` and a `.gz` file beside each asset.
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    setHeaders: (reply, path) => {
      if (!path.includes('/assets/')) reply.header('cache-control', 'no-cache');
      reply.header('x-content-type-options', 'nosniff');
    },
  });
  server.get('/', (_request, reply) => reply.redirect('/console/'));
  // An asset of an earlier release must not return the page of the console.
  server.get('/console/assets/*', (_request, reply) => reply.callNotFound());
  for (const url of ['/console', '/console/*']) {
    server.get(url, async (_request, reply) => {
      // Without the database, the console is still served, and says that the platform does not respond.
      const origins = await listMediaOrigins(db).catch((error: unknown) => {
        logger.warn({ err: error }, 'the origins of the media servers could not be read');
        return [];
      });
      return await reply
        .header('content-security-policy', consolePolicy(origins))
        .header('referrer-policy', 'same-origin')
        .header('cache-control', 'no-cache')
        .sendFile('index.html', { maxAge: 0, immutable: false });
    });
  }
}

/** The console uploads videos to the media servers, shows their posters, and frames the pages of rooms as previews. */
function consolePolicy(origins: readonly string[]): string {
  const sources = (...names: readonly string[]) => [...names, ...origins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src ${sources("'self'", 'data:', 'https:')}`,
    "font-src 'self'",
    `connect-src ${sources("'self'")}`,
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
