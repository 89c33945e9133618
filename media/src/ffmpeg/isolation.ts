import { spawnSync } from 'node:child_process';

/** The sandbox of programs that read untrusted files, as far as the system supports it. */
export interface Isolation {
  /** Whether programs run without network. */
  readonly blocksNetwork: boolean;
  /** Whether memory, CPU time and file sizes are limited. */
  readonly limitsResources: boolean;
}

/** Detected once at the start: not every system or container supports it. */
export function findIsolation(): Isolation {
  const works = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { stdio: 'ignore', timeout: 5000 }).status === 0;
  return {
    blocksNetwork: works('unshare', ['-r', '-n', 'true']),
    limitsResources: works('prlimit', ['--as=4000000000', 'true']),
  };
}

/** The address space of a process. */
const memoryBytes = 6_000_000_000;
const processorSeconds = 12 * 3600;
/** The largest file that a program may write. */
const maxFileBytes = 100_000_000_000;

/** The command with its sandbox wrappers. */
export function confinedCommand(
  { blocksNetwork, limitsResources }: Isolation,
  path: string,
  args: readonly string[],
): string[] {
  return [
    ...(blocksNetwork ? ['unshare', '-r', '-n'] : []),
    ...(limitsResources
      ? ['prlimit', `--as=${memoryBytes}`, `--cpu=${processorSeconds}`, `--fsize=${maxFileBytes}`, '--core=0', '--']
      : []),
    path,
    ...args,
  ];
}
