import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runChild } from '../child.ts';
import type { Tenants } from './tenants.ts';

export interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses with another status than 200. */
  readonly failures: number;
}

export interface Comparison {
  readonly idle: Latency;
  readonly attacked: Latency;
}

export interface MeasureOptions {
  readonly tenants: Tenants;
  /** The bundle with the command `attacker`. */
  readonly program: string;
  /** For the input and the log of the attacker. */
  readonly folder: string;
  /** Length of a phase in milliseconds. */
  readonly phaseMs: number;
  readonly rounds: number;
}

/** Measures the victim's latency in alternating idle and attacked phases. */
export async function compareUnderAttack(name: string, options: MeasureOptions): Promise<Comparison> {
  const { tenants, program, folder, phaseMs } = options;
  const attackerFile = join(folder, 'attacker.json');
  await writeFile(attackerFile, JSON.stringify(tenants.attacker), { mode: 0o600 });
  const idle: Sample[] = [];
  const attacked: Sample[] = [];
  const sampleUnderAttack = async () => {
    const attacker = await runChild(program, ['attacker', attackerFile, name], {}, join(folder, 'attacker.log'));
    await pause(settleMs);
    const samples = await sampleLatency(tenants, phaseMs);
    await attacker.stop();
    await pause(settleMs);
    return samples;
  };
  // The first phase is not measured, since a server that has just started still compiles its code.
  await sampleUnderAttack();
  for (let round = 0; round < options.rounds; round++) {
    idle.push(...(await sampleLatency(tenants, phaseMs)));
    attacked.push(...(await sampleUnderAttack()));
  }
  return { idle: latencyOf(idle), attacked: latencyOf(attacked) };
}

/** Time for an attack to reach full load, and to subside. */
const settleMs = 700;

interface Sample {
  readonly ms: number;
  readonly isOk: boolean;
}

/** Slower responses count as failures. */
const timeoutMs = 15_000;

/** The victim lists its rooms and reads one of them, with a request every few milliseconds. */
async function sampleLatency({ victim }: Tenants, milliseconds: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const headers = { authorization: `Bearer ${victim.token}` };
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    for (const path of ['/rooms?limit=20', `/rooms/${victim.roomId}`]) {
      const startedMs = performance.now();
      const isOk = await fetch(`${victim.url}/api/v1${path}`, { headers, signal: AbortSignal.timeout(timeoutMs) })
        .then(async (answer) => (await answer.arrayBuffer()) && answer.status === 200)
        .catch(() => false);
      samples.push({ ms: performance.now() - startedMs, isOk });
    }
    await pause(5);
  }
  return samples;
}

function latencyOf(samples: readonly Sample[]): Latency {
  const times = samples.map(({ ms }) => ms).sort((one, other) => one - other);
  const percentile = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return {
    requests: times.length,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    failures: samples.filter(({ isOk }) => !isOk).length,
  };
}
