import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/** CPU time of each database process in milliseconds; available on Linux only. */
export async function databaseCpuMs(client: Client): Promise<Map<number, number>> {
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
  const times = new Map<number, number>();
  for (const { pid } of rows) {
    const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => null);
    if (text !== null) times.set(pid, Number(text.split(' ', 1)[0]) / 1e6);
  }
  return times;
}

/** Null if the platform does not report it. */
export function cpuMsBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number | null {
  if (after.size === 0) return null;
  let sum = 0;
  for (const [pid, ms] of after) sum += ms - (before.get(pid) ?? 0);
  return sum;
}

export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
