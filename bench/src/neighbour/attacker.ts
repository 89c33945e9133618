import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { attackInEveryWay, attacks, type Target } from './attacks.ts';

/** Attacks until it is ended. `name` is one of `attacks`, or `all`. */
export async function runAttacker(targetFile: string, name: string): Promise<void> {
  const target = JSON.parse(readFileSync(targetFile, 'utf8')) as Target;
  const attack = name === 'all' ? attackInEveryWay : attacks[name];
  if (!attack) throw new TypeError(`There is no attack ${name}.`);
  // A real attacker has a machine of its own: what it computes is not to be taken from the server.
  setPriority(19);
  const ended = new AbortController();
  process.once('SIGTERM', () => ended.abort());
  console.log(`The attacker is ready at ${target.url}`);
  await attack(target, ended.signal);
  process.exit();
}
