import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Child, runChild } from '../child.ts';
import { runLoad, type LoadFigures } from '../measure/load.ts';
import type { MediaServer } from './media-server.ts';
import { freePort } from '../../../server/test/free-port.ts';

/** The address and bytes of the newest complete part of a live stream. */
export interface Part {
  readonly url: string;
  readonly bytes: Buffer;
}

/** @throws when the stream does not begin within 20 seconds */
export async function fetchNewestPart(media: MediaServer, roomId: string): Promise<Part> {
  const base = `${await media.playbackUrl(roomId)}/live/source`;
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    const playlist = await fetch(`${base}/index.m3u8`);
    const parts = [...(await playlist.text()).matchAll(/#EXT-X-PART:.*URI="([^"]+)"/g)];
    const name = playlist.ok ? parts.at(-1)?.[1] : undefined;
    if (name !== undefined && parts.length >= 8) {
      const response = await fetch(`${base}/${name}`);
      return { url: `${base}/${name}`, bytes: Buffer.from(await response.arrayBuffer()) };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The live stream did not begin.');
}

export async function loadPart(url: string, seconds: number): Promise<LoadFigures> {
  const { origin, pathname } = new URL(url);
  const scenario = { name: 'part', method: 'GET', paths: [pathname], body: null, status: 200 } as const;
  return await runLoad(origin, scenario, 'none', seconds);
}

/** Serves one file from memory in response to every request. Prints its URL. */
export async function serveBarePart(file: string): Promise<void> {
  const bytes = await readFile(file);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'video/iso.segment', 'content-length': bytes.length }).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(`The bare handler is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  process.once('SIGTERM', () => process.exit());
}

export async function startBarePart(program: string, file: string, folder: string): Promise<Child> {
  return await runChild(program, ['bare-part', file], {}, join(folder, 'bare-part.log'));
}

const nginxPath = '/usr/sbin/nginx';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts nginx with one worker, which serves the files of the folder. @returns null if nginx is not installed */
export async function startNginx(folder: string): Promise<Nginx | null> {
  if (!existsSync(nginxPath)) return null;
  const port = await freePort();
  const configuration = `
    daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
    events { worker_connections 512; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server { listen 127.0.0.1:${port}; root ${folder}; }
    }`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  const child = spawn(nginxPath, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'user root;'], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(url, child);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isReady = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nginx ended with ${child.exitCode}.`);
}
