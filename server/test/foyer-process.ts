import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bundle = join(root, 'server', 'dist', `main-${process.pid}.js`);
const running = new Set<ChildProcess>();

/** Builds the bundle that `foyer` runs. */
export async function buildFoyer(): Promise<void> {
  const entryPoints = [join(root, 'server/src/main.ts')];
  await build({ ...bundleOptions, entryPoints, outfile: bundle, logLevel: 'error' });
}

export async function removeFoyer(): Promise<void> {
  for (const child of running) child.kill('SIGKILL');
  await rm(bundle, { force: true });
}

export interface Run {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
  /** Waits until the command is ready, and returns the address that it prints. */
  ready(): Promise<string>;
}

/** Runs a command of Foyer in a separate process. */
export function foyer(command: string[], environment: Record<string, string>): Run {
  const child = spawn(process.execPath, [bundle, ...command], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', FOYER_SANDBOX_PORT: '0', FOYER_MEDIA_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  void ended.then(() => running.delete(child));
  return {
    child,
    out: () => out,
    err: () => err,
    ended,
    ready: async () => {
      await expect
        .poll(() => out + (child.exitCode === null ? '' : `exited: ${err}`), { timeout: 30_000 })
        .toMatch(/Foyer is ready at http\S+\n$|exited/);
      const [, url] = /Foyer is ready at (http\S+)/.exec(out) ?? [];
      expect(url, err).toBeDefined();
      return url ?? '';
    },
  };
}
