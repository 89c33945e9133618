import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../failures.ts';

/** An argon2id hash in its usual text form. Throws the failure `busy` when too many are waiting. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost));
}

/**
 * False, too, when there is no hash (nobody of that name, or no password set): that takes as long as a wrong password.
 * Throws the failure `busy` when too many are waiting.
 */
export async function verifyPassword(hashed: string | null, password: string): Promise<boolean> {
  const matches = await inTurn(() => verify(hashed ?? decoy, password));
  return matches && hashed !== null;
}

/** Whether a hash was made at another cost than today's: to be replaced after the next right password. */
export function needsRehash(hashed: string): boolean {
  return !hashed.startsWith(todaysCost);
}

/** What speaks against a new password, as sentences; empty when nothing does. */
export async function passwordFaults(password: string): Promise<string[]> {
  const length = Array.from(password).length;
  const faults: string[] = [];
  if (length < minLength) {
    faults.push(`The password field must be at least ${minLength} characters.`);
  }
  if (length > maxLength) {
    faults.push(`The password field must not be greater than ${maxLength} characters.`);
  }
  if (length <= maxLength && (await commonPasswords()).has(password.toLowerCase())) {
    faults.push('The password is among the most common ones. Please choose another.');
  }
  return faults;
}

const minLength = 12;
const maxLength = 128;
/** Argon2id, about 10 ms a piece; the algorithm is the library's default. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** How a hash of that algorithm and cost begins. */
const todaysCost = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
/** Made at today's cost from a random password that nobody kept. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$CHp2qG4OI8h1D3I+hNcR8A$RKcxy9Tr3noegKJfk3jq1QYsy7/3Q6w6OSSxEZHhUHA';

/** Hashing shares its threads with files and name look-ups: a flood of logins must leave them some. */
const atOnce = 2;
const mayWait = 64;
const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) {
    if (waiting.length >= mayWait) {
      throw unavailable('busy', 'Too many passwords are being checked at once; try again shortly.');
    }
    await new Promise<void>((start) => waiting.push(start));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    // The place goes to the next in line without ever being free.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

let common: Promise<ReadonlySet<string>> | undefined;

function commonPasswords(): Promise<ReadonlySet<string>> {
  // Half a megabyte that only somebody who chooses a password needs.
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    // Lists differ in what is how common, and few of the first ten thousand are long enough to be taken at all.
    const words = dictionary['passwords-common'].filter((word, rank) => rank < 10_000 || word.length >= minLength);
    return new Set(words.map((word) => word.toLowerCase()));
  });
  return common;
}
