import { type Client, createClient } from '@foyer/sdk';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/test/free-port.ts';

export interface RunningFoyer {
  readonly url: string;
  readonly sandboxUrl: string;
  /** The link of the demonstration room, for a moderator. */
  readonly demoLink: string;
  readonly admin: Client;
  stop(): Promise<number | null>;
}

export const credentials = { username: 'admin', password: 'correct horse battery' };

/** Starts the same as `npm start`, on free ports and with its own data directory. */
export async function startFoyer({ withMedia = false } = {}): Promise<RunningFoyer> {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-e2e-'));
  const bundle = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));
  const child = spawn(process.execPath, [bundle, 'start'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      FOYER_MEDIA_PORT: withMedia ? String(await freePort()) : '0',
      FOYER_MEDIA_RTMP_PORT: '0',
      FOYER_SANDBOX_PORT: String(await freePort()),
      FOYER_DATA_DIR: join(folder, 'data'),
      FOYER_ADMIN_PASSWORD: credentials.password,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const lines = await readUntilReady(child.stdout);
  const find = (label: string) => new RegExp(`${label}\\s+(http\\S+)`).exec(lines)?.[1] ?? '';
  const url = find('ready at');
  const { access_token: token } = await createClient({ baseUrl: url }).loginAdmin({ body: credentials });
  return {
    url,
    sandboxUrl: find('Sandbox'),
    demoLink: find('Demo room'),
    admin: createClient({ baseUrl: url, token }),
    async stop() {
      child.kill('SIGTERM');
      const code = await ended;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

async function readUntilReady(output: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk.toString();
    if (/Foyer is ready at \S+\n/.test(text)) return text;
  }
  throw new Error(`Foyer did not become ready:\n${text}`);
}
