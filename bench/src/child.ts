import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Resource usage of a process since its start. */
export interface Usage {
  /** User and system time. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** A child process that reports its resource usage. */
export interface Child {
  /** The URL from its ready message; empty for a worker. */
  readonly url: string;
  usage(): Promise<Usage>;
  startProfile(): Promise<void>;
  /** Writes the samples since `startProfile` to a `.cpuprofile`. */
  endProfile(file: string): Promise<void>;
  stop(): Promise<void>;
}

const probe = new URL('../src/probe.mjs', import.meta.url).href;

/**
 * Starts a program and waits until it prints ` ready` or ` ready at <url>`. Its log goes to `logFile`.
 * @throws if it exits before that.
 */
export async function runChild(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  logFile: string,
): Promise<Child> {
  const log = openSync(logFile, 'a');
  const child = fork(program, [...args], {
    // Same as in the start scripts: a heap that is collected when it has grown by 60 % keeps memory flat under load, and
    // more than one helper thread for garbage collection competes with the database for the processor.
    execArgv: ['--max-semi-space-size=16', '--heap-growing-percent=60', '--v8-pool-size=1', '--import', probe],
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  closeSync(log);
  const request = createRequester(child);
  const url = await waitForReadyUrl(child, program, logFile);
  return {
    url,
    usage: async () => (await request('usage')) as Usage,
    startProfile: async () => void (await request('startProfile')),
    endProfile: async (file) => void (await request('endProfile', file)),
    stop: () => stopProcess(child),
  };
}

/** The bundle of the server that `npm start` runs too. */
export const serverProgram = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));

/** Resolves when the process has ended. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

export function waitForReadyUrl(child: ChildProcess, program: string, logFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const ready = / ready(?: at (\S+))?\n/.exec(text);
      if (ready) resolve(ready[1] ?? '');
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code} before it served; see ${logFile}.`)));
  });
}

function createRequester(child: ChildProcess): (command: string, file?: string) => Promise<unknown> {
  const pending = new Map<number, (result: unknown) => void>();
  let lastNumber = 0;
  child.on('message', ({ number, result }: { number: number; result: unknown }) => {
    pending.get(number)?.(result);
    pending.delete(number);
  });
  return (command, file = '') =>
    new Promise((resolve, reject) => {
      lastNumber += 1;
      pending.set(lastNumber, resolve);
      child.send({ number: lastNumber, command, file }, (error) => error && reject(error));
    });
}
