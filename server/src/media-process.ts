import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';

export interface MediaProcess {
  /** The address of its API. */
  readonly url: string;
  readonly secret: string;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('../../media/dist/main.js', import.meta.url));
const firstWaitMs = 500;
const maxWaitMs = 30_000;
/** After this uptime, the next restart waits only `firstWaitMs`. */
const healthyMs = 60_000;
const stopMs = 5000;
const readyMs = 20_000;

/**
 * Runs the media server in a child process, and restarts it when it exits. The platform also starts if the media server
 * cannot start.
 * @returns null if it is disabled, not built, or does not become ready
 */
export async function startMediaProcess(config: Config, logger: FastifyBaseLogger): Promise<MediaProcess | null> {
  const { mediaPort, mediaRtmpPort, dataDir } = config;
  if (mediaPort === 0 || !existsSync(program)) return null;
  const secret = config.mediaSecret ?? (await readSecret(dataDir));
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;
  let waitMs = firstWaitMs;

  function run(): Promise<boolean> {
    const startedAt = performance.now();
    const started = spawn(process.execPath, [program], {
      env: {
        ...config.mediaEnvironment,
        FOYER_MEDIA_SECRET: secret,
        FOYER_MEDIA_PORT: String(mediaPort),
        FOYER_MEDIA_RTMP_PORT: String(mediaRtmpPort),
        FOYER_MEDIA_DATA_DIR: join(dataDir, 'media'),
        FOYER_MEDIA_STOPS_WITH_STDIN: 'true',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child = started;
    createInterface(started.stderr).on('line', (line) => logger.warn({ media: line.slice(0, 500) }, 'media server'));
    started.once('exit', (code, signal) => {
      child = null;
      if (isClosed) return;
      if (performance.now() - startedAt > healthyMs) waitMs = firstWaitMs;
      logger.warn({ code, signal, waitMs }, 'the media server exited and is restarted');
      timer = setTimeout(() => void run(), waitMs);
      waitMs = Math.min(waitMs * 2, maxWaitMs);
    });
    return new Promise((resolve) => {
      createInterface(started.stdout).once('line', () => resolve(true));
      setTimeout(() => resolve(false), readyMs).unref();
      started.once('error', () => resolve(false));
      started.once('exit', () => resolve(false));
    });
  }

  async function close(): Promise<void> {
    isClosed = true;
    if (timer) clearTimeout(timer);
    const running = child;
    if (!running) return;
    running.kill('SIGTERM');
    const killTimer = setTimeout(() => running.kill('SIGKILL'), stopMs);
    await once(running, 'exit');
    clearTimeout(killTimer);
  }

  if (await run()) return { url: `http://127.0.0.1:${mediaPort}`, secret, close };
  await close();
  return null;
}

async function readSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'media-secret');
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(dataDir, { recursive: true });
  const secret = randomBytes(32).toString('base64url');
  // Written to a draft and renamed, so that a kill never leaves an empty file.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  await rename(draft, path);
  return secret;
}
