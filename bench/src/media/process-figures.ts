import { readFile } from 'node:fs/promises';

/** The unit of `/proc/<pid>/stat` on Linux, in seconds. */
const tickSeconds = 0.01;

export interface ProcessFigures {
  /** CPU of the process and of its children that have ended, in seconds. */
  readonly cpuSeconds: number;
  /** CPU of its children that have ended, in seconds. */
  readonly childSeconds: number;
  readonly rssBytes: number;
}

/** Reads the figures of a running process from `/proc`. */
export async function readFigures(pid: number | 'self'): Promise<ProcessFigures> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  // The second field, the name, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
  const childSeconds = ((childUser ?? 0) + (childSystem ?? 0)) * tickSeconds;
  return {
    childSeconds,
    cpuSeconds: ((user ?? 0) + (system ?? 0)) * tickSeconds + childSeconds,
    rssBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
  };
}
