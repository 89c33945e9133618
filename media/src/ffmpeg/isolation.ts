import { spawnSync } from 'node:child_process';

/** The sandbox of programs that read untrusted files, as far as the system supports it. */
export interface Isolation {
  /** Without network. */
  readonly network: boolean;
  /** With limited memory, CPU time and output. */
  readonly limits: boolean;
}

/** Detected once at the start: not every system or container supports it. */
export function findIsolation(): Isolation {
  const works = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { stdio: 'ignore', timeout: 5000 }).status === 0;
  return {
    network: works('unshare', ['-r', '-n', 'true']),
    limits: works('prlimit', ['--as=4000000000', 'true']),
  };
}

/** The address space of a process, in bytes. */
const memoryBytes = 6_000_000_000;
const processorSeconds = 12 * 3600;
/** The size of one file. */
const outputBytes = 100_000_000_000;

/** The command with its sandbox wrappers. */
export function confinedCommand({ network, limits }: Isolation, path: string, args: readonly string[]): string[] {
  return [
    ...(network ? ['unshare', '-r', '-n'] : []),
    ...(limits
      ? ['prlimit', `--as=${memoryBytes}`, `--cpu=${processorSeconds}`, `--fsize=${outputBytes}`, '--core=0', '--']
      : []),
    path,
    ...args,
  ];
}
