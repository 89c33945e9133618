import type { FastifyInstance } from 'fastify';
import { assetsPath, fingerprint, sendAsset } from '../../../platform/page/page-assets.ts';
import { pageScript } from './script.ts';

/** Below the path of the assets. */
export const scriptAsset = `page.js?v=${fingerprint(pageScript)}`;

export function registerScript(server: FastifyInstance): void {
  server.get(`${assetsPath}/page.js`, (_request, reply) => sendAsset(reply, 'text/javascript', pageScript));
}
