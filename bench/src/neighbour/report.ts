import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@foyer/sdk';
import type { Client as DatabaseClient } from 'pg';
import { type Child, runChild } from '../child.ts';
import { attacks } from './attacks.ts';
import { compareUnderAttack, type Latency } from './measure.ts';
import { prepareTenants } from './tenants.ts';

export interface NeighbourOptions {
  readonly admin: Client;
  readonly database: DatabaseClient;
  readonly foyer: Child;
  /** The bundle that has the commands `attacker` and `hostile-server`. */
  readonly program: string;
  readonly rounds: number;
  readonly seconds: number;
  /** Folder for a `.cpuprofile` of the server under each attack; null writes none. */
  readonly profile: string | null;
}

/** Measures p50 and p99 of one tenant while the other is idle, and under each attack of the other. */
export async function benchNeighbour(options: NeighbourOptions): Promise<string> {
  const { admin, database, foyer, program, rounds, seconds, profile } = options;
  const folder = await mkdtemp(join(tmpdir(), 'foyer-neighbour-'));
  const hostile = await runChild(program, ['hostile-server'], {}, join(folder, 'hostile.log'));
  try {
    const tenants = await prepareTenants(admin, database, { url: foyer.url, hostileUrl: hostile.url });
    const lines = [
      'One tenant lists and reads its rooms while another attacks; milliseconds, memory of the server in MB',
    ];
    for (const name of [...Object.keys(attacks), 'all']) {
      if (profile !== null) await foyer.startProfile();
      const { idle, attacked } = await compareUnderAttack(name, {
        tenants,
        program,
        folder,
        rounds,
        phaseMs: seconds * 1000,
      });
      if (profile !== null) await foyer.endProfile(join(profile, `${name.replaceAll(' ', '-')}.cpuprofile`));
      const { rssBytes } = await foyer.usage();
      const ratio = (attacked.p99Ms / idle.p99Ms).toFixed(2);
      lines.push(
        `  ${name.padEnd(40)} idle ${figures(idle)}  attacked ${figures(attacked)}  p99 ratio ${ratio}  memory ${Math.round(rssBytes / 1e6)}`,
      );
    }
    return lines.join('\n');
  } finally {
    await hostile.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function figures({ p50Ms, p99Ms, failures }: Latency): string {
  return `p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)}${failures > 0 ? ` (${failures} failed)` : ''}`;
}
