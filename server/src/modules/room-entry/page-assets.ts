import type { FastifyInstance, FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { brandStyle } from './page-colors.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Addresses of what the pages load, below the path where rooms are; they change with what is in the files. */
export const assets = {
  style: `assets/page.css?v=${fingerprint(pageStyle)}`,
  script: `assets/page.js?v=${fingerprint(pageScript)}`,
  brand: (color: string) => `assets/brand/${digitsOf(color)}.css?v=${fingerprint(brandStyle('#000000'))}`,
  icon: (color: string) => `assets/brand/${digitsOf(color)}.svg`,
};

/** An open door, on a square of 24 by 24. */
export const doorMark = 'M3 22V11a9 9 0 0 1 18 0v11h-3.500V11a5.500 5.500 0 0 0-6.500-5.400V22z';

export function registerPageAssets(app: FastifyInstance): void {
  app.get('/rooms/assets/page.css', (_request, reply) => send(reply, 'text/css', pageStyle));
  app.get('/rooms/assets/page.js', (_request, reply) => send(reply, 'text/javascript', pageScript));
  app.get<{ Params: { color: string } }>('/rooms/assets/brand/:color(^[0-9a-f]{6}).css', ({ params }, reply) =>
    send(reply, 'text/css', brandStyle(`#${params.color}`)),
  );
  app.get<{ Params: { color: string } }>('/rooms/assets/brand/:color(^[0-9a-f]{6}).svg', ({ params }, reply) =>
    send(reply, 'image/svg+xml', icon(params.color)),
  );
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .header('content-type', `${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
    .send(text);
}

function icon(digits: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#${digits}" d="${doorMark}"/></svg>`;
}

function digitsOf(color: string): string {
  return color.replace('#', '').toLowerCase();
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
