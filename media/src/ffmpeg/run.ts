import { createInterface } from 'node:readline';
import type { Isolation } from './isolation.ts';
import { spawnConfined } from './spawn.ts';

export interface Confinement {
  readonly isolation: Isolation;
  /** The program is killed after this time. */
  readonly timeoutSeconds: number;
  /** A program that writes its progress to stdout is killed after this time without progress. */
  readonly stallSeconds?: number;
  /** The working directory. */
  readonly directory: string;
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The last lines of stderr. */
  readonly stderr: string;
  readonly isTimedOut: boolean;
}

const maxStdoutLength = 4 * 1024 * 1024;
const maxErrorLines = 20;

/**
 * Runs a program on an untrusted file: with a minimal environment, in its own directory, sandboxed and with a watchdog.
 * @param onProgress gets the processed seconds of the medium from a program that writes its progress to stdout
 */
export async function runConfined(
  path: string,
  args: readonly string[],
  { isolation, timeoutSeconds, stallSeconds = timeoutSeconds, directory, signal }: Confinement,
  onProgress?: (seconds: number) => void,
): Promise<RunResult> {
  return await new Promise((resolve, reject) => {
    const program = spawnConfined(path, args, { isolation, directory });
    const { child, kill } = program;
    let stdout = '';
    const errorLines: string[] = [];
    let isTimedOut = false;
    const giveUp = () => {
      isTimedOut = true;
      kill();
    };
    const timeout = setTimeout(giveUp, timeoutSeconds * 1000);
    let stall = setTimeout(giveUp, stallSeconds * 1000);
    const progress = new Map<string, string>();
    createInterface(program.stdout).on('line', (line) => {
      const [, name, value] = /^(frame|out_time_us|out_time_ms|total_size)=(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined && progress.get(name) !== value) {
        progress.set(name, value);
        clearTimeout(stall);
        stall = setTimeout(giveUp, stallSeconds * 1000);
      }
      const [, microseconds] = /^out_time_(?:us|ms)=(\d+)/.exec(line) ?? [];
      if (microseconds !== undefined) onProgress?.(Number(microseconds) / 1_000_000);
      if (stdout.length < maxStdoutLength) stdout += `${line}\n`;
    });
    createInterface(program.stderr).on('line', (line) => {
      errorLines.push(line.slice(0, 500));
      if (errorLines.length > maxErrorLines) errorLines.shift();
    });
    signal?.addEventListener('abort', kill, { once: true });
    if (signal?.aborted) kill();
    const done = () => {
      clearTimeout(timeout);
      clearTimeout(stall);
      signal?.removeEventListener('abort', kill);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (exitCode) => {
      done();
      resolve({ exitCode, stdout, stderr: errorLines.join('\n'), isTimedOut });
    });
  });
}
