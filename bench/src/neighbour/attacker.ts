import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { runAllAttacks, attacks, type Attacker } from './attacks.ts';

/** Runs attacks until the process is stopped. `name` is one of `attacks`, or `all`. */
export async function runAttacker(attackerFile: string, name: string): Promise<void> {
  const attacker = JSON.parse(readFileSync(attackerFile, 'utf8')) as Attacker;
  const attack = name === 'all' ? runAllAttacks : attacks[name];
  if (!attack) throw new TypeError(`There is no attack ${name}.`);
  yieldCpu();
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  console.log(`The attacker is ready at ${attacker.url}`);
  await attack(attacker, stopping.signal);
  process.exit();
}

/** Runs this process only on idle CPUs, since a real attacker does not use those of the server. */
function yieldCpu(): void {
  setPriority(19);
  // On Linux, a priority applies to one thread, so the scheduling policy of all threads is set, if chrt is installed.
  spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)]);
}
