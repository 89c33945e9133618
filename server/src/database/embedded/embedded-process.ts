import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';

/** Distinguishes a process from a later one with the same id. Null when it has ended, even as a zombie. */
export function processIdentity(pid: number): string | null {
  if (process.platform !== 'linux') return identityFromPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    const startTicks = rest[18] ?? '';
    return `${bootId()} ${startTicks}`;
  } catch {
    return !existsSync('/proc/self/stat') && exists(pid) ? 'running' : null;
  }
}

/** Whether this is the working directory of the process, as the cluster is for its postmaster. */
export function isWorkingDirectoryOf(pid: number, directory: string): boolean {
  if (processIdentity(pid) === null) return false;
  if (process.platform !== 'linux') return commandFromPs(pid).includes(directory);
  try {
    const [workingDirectory, expected] = [statSync(`/proc/${pid}/cwd`), statSync(directory)];
    return workingDirectory.dev === expected.dev && workingDirectory.ino === expected.ino;
  } catch {
    return false;
  }
}

export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function identityFromPs(pid: number): string | null {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...started] = stdout.trim().split(/\s+/);
  return state === undefined || state === '' || state.startsWith('Z') ? null : started.join(' ');
}

function commandFromPs(pid: number): string {
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}
