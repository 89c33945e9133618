import type { FastifyInstance, FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { brandStyle } from './page-colors.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Addresses of what the pages load, below the path where rooms are; they change with what is in the files. */
export const assets = {
  style: `assets/page.css?v=${fingerprint(pageStyle)}`,
  script: `assets/page.js?v=${fingerprint(pageScript)}`,
  brand: (color: string) => `assets/brand/${color.replace('#', '').toLowerCase()}.css?v=1`,
};

export function registerPageAssets(app: FastifyInstance): void {
  app.get('/rooms/assets/page.css', (_request, reply) => send(reply, 'text/css', pageStyle));
  app.get('/rooms/assets/page.js', (_request, reply) => send(reply, 'text/javascript', pageScript));
  app.get<{ Params: { color: string } }>('/rooms/assets/brand/:color(^[0-9a-f]{6}).css', ({ params }, reply) =>
    send(reply, 'text/css', brandStyle(`#${params.color}`)),
  );
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .header('content-type', `${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
    .send(text);
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
