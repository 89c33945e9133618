import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { runAllAttacks, attacks, type Attacker } from './attacks.ts';

/** Runs attacks until the process is stopped. `name` is one of `attacks`, or `all`. */
export async function runAttacker(attackerFile: string, name: string): Promise<void> {
  const attacker = JSON.parse(readFileSync(attackerFile, 'utf8')) as Attacker;
  const attack = name === 'all' ? runAllAttacks : attacks[name];
  if (!attack) throw new TypeError(`There is no attack ${name}.`);
  // Low priority: a real attacker does not use the server's CPU.
  setPriority(19);
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  console.log(`The attacker is ready at ${attacker.url}`);
  await attack(attacker, stopping.signal);
  process.exit();
}
