import type { FastifyInstance, FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { brandStyle } from './page-colors.ts';
import { pageStyle } from './page-style.ts';

/** Paths of the assets of pages; they contain a digest of the content. */
export const assets = {
  style: `page.css?v=${fingerprint(pageStyle)}`,
  brand: (color: string) => `brand/${digitsOf(color)}.css?v=${fingerprint(brandStyle('#000000'))}`,
  icon: (color: string) => `brand/${digitsOf(color)}.svg`,
};

/** The path of the assets, below the path of the public address. */
export const assetsPath = '/rooms/assets';

/** The logo, an open door, in a viewBox of 24 by 24. */
export const logoPath = 'M3 22V11a9 9 0 0 1 18 0v11h-3.500V11a5.500 5.500 0 0 0-6.500-5.400V22z';

export function registerPageAssets(server: FastifyInstance): void {
  server.get(`${assetsPath}/page.css`, (_request, reply) => sendAsset(reply, 'text/css', pageStyle));
  server.get<{ Params: { color: string } }>(`${assetsPath}/brand/:color(^[0-9a-f]{6}).css`, ({ params }, reply) =>
    sendAsset(reply, 'text/css', brandStyle(`#${params.color}`)),
  );
  server.get<{ Params: { color: string } }>(`${assetsPath}/brand/:color(^[0-9a-f]{6}).svg`, ({ params }, reply) =>
    sendAsset(reply, 'image/svg+xml', icon(params.color)),
  );
}

/** Cached for a year, since the path changes with the content. */
export function sendAsset(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .header('content-type', `${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
    .send(text);
}

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function icon(digits: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#${digits}" d="${logoPath}"/></svg>`;
}

function digitsOf(color: string): string {
  return color.replace('#', '').toLowerCase();
}
