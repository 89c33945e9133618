import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createCallbacks } from './callbacks.ts';
import type { MediaConfig } from './config.ts';
import { locatePrograms } from './ffmpeg/locate.ts';
import { createHttpServer } from './http/server.ts';
import { openRoute, type Route } from './http/route.ts';
import { sendJson } from './http/answer.ts';
import { serverRoutes } from './server-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { openSessions } from './sessions/sessions.ts';

export type { MediaConfig } from './config.ts';

export interface MediaServer {
  /** Where its API listens. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a media server, which takes up what an earlier process with the same data directory has left. */
export async function startMedia(config: MediaConfig): Promise<MediaServer> {
  await mkdir(config.dataDir, { recursive: true });
  const programs = await locatePrograms(config);
  const callbacks = createCallbacks(config.secret);
  const sessions = await openSessions(config.dataDir, callbacks);
  const routes: Route[] = [openRoute('GET', '/health', ({ response }) => sendJson(response, 200, { ok: true }))];
  const server = createHttpServer({
    secret: config.secret,
    routes,
    onError: (error, path) => console.error(JSON.stringify({ level: 'error', path, error: String(error) })),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const publicUrl = config.publicUrl ?? url;
  routes.push(...serverRoutes({ config, programs, sessions, publicUrl }), ...sessionRoutes(sessions));
  return {
    url,
    async close() {
      server.close();
      server.closeAllConnections();
      await sessions.close();
      await callbacks.close();
    },
  };
}
