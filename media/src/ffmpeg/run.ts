import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The sandbox of programs that read untrusted files, as far as the system supports it. */
export interface Isolation {
  /** Without network. */
  readonly network: boolean;
  /** With limited memory, CPU time and output. */
  readonly limits: boolean;
  /** They end with this process, even if it is killed. */
  readonly endsWithParent: boolean;
}

/** Detected once at the start: not every system or container supports it. */
export function findIsolation(): Isolation {
  const works = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { stdio: 'ignore', timeout: 5000 }).status === 0;
  return {
    network: works('unshare', ['-r', '-n', 'true']),
    limits: works('prlimit', ['--as=4000000000', 'true']),
    endsWithParent: works('setpriv', ['--pdeathsig', 'KILL', 'true']),
  };
}

/** The address space of a process, in bytes. */
const memoryBytes = 6_000_000_000;
const processorSeconds = 12 * 3600;
/** The size of one file. */
const outputBytes = 100_000_000_000;

export interface Confinement {
  readonly isolation: Isolation;
  /** The longest run, in seconds. */
  readonly timeoutSeconds: number;
  /** The longest time without progress, in seconds, of a program that writes its progress to stdout. */
  readonly stallSeconds?: number;
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

const maximumOutput = 4 * 1024 * 1024;
const keptErrorLines = 20;

/**
 * Runs a program on an untrusted file: with an empty environment, in its own directory, sandboxed and with a watchdog.
 * @param onProgress gets the processed seconds of the medium from a program that writes its progress to stdout
 */
export async function runConfined(
  path: string,
  args: readonly string[],
  { isolation, timeoutSeconds, stallSeconds = timeoutSeconds, directory, signal }: Confinement,
  onProgress?: (seconds: number) => void,
): Promise<RunResult> {
  const [command = path, ...rest] = confinedCommand(isolation, path, args);
  return await new Promise((resolve, reject) => {
    const child = spawn(command, rest, {
      cwd: directory,
      // Its own process group, so that the wrappers and their children are killed together.
      detached: true,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C', HOME: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    const errorLines: string[] = [];
    let isTimedOut = false;
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has already exited.
      }
    };
    const giveUp = () => {
      isTimedOut = true;
      kill();
    };
    const timeout = setTimeout(giveUp, timeoutSeconds * 1000);
    let stall = setTimeout(giveUp, stallSeconds * 1000);
    const reached = new Map<string, string>();
    createInterface(child.stdout).on('line', (line) => {
      const [, name, value] = /^(frame|out_time_us|out_time_ms|total_size)=(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined && reached.get(name) !== value) {
        reached.set(name, value);
        clearTimeout(stall);
        stall = setTimeout(giveUp, stallSeconds * 1000);
      }
      const [, microseconds] = /^out_time_(?:us|ms)=(\d+)/.exec(line) ?? [];
      if (microseconds !== undefined) onProgress?.(Number(microseconds) / 1_000_000);
      if (stdout.length < maximumOutput) stdout += `${line}\n`;
    });
    createInterface(child.stderr).on('line', (line) => {
      errorLines.push(line.slice(0, 500));
      if (errorLines.length > keptErrorLines) errorLines.shift();
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

/** The command with its sandbox wrappers. */
export function confinedCommand(
  { network, limits, endsWithParent }: Isolation,
  path: string,
  args: readonly string[],
): string[] {
  return [
    ...(network ? ['unshare', '-r', '-n'] : []),
    // After unshare, because its change of user would reset it.
    ...(endsWithParent ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []),
    ...(limits
      ? ['prlimit', `--as=${memoryBytes}`, `--cpu=${processorSeconds}`, `--fsize=${outputBytes}`, '--core=0', '--']
      : []),
    path,
    ...args,
  ];
}
