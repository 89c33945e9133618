import { hash, verify } from '@node-rs/argon2';
import { type FieldFaults, invalidInput } from '../failures.ts';
import { createSlots } from '../limits/slots.ts';

/** An argon2id hash in PHC string format. @throws 503 `busy` when too many passwords are waiting */
export function hashPassword(password: string): Promise<string> {
  return hashingSlots.run('', () => hash(password, cost));
}

/**
 * Whether the password is right. Without a hash (unknown name or no password) the result is false, after the same time
 * as for a wrong password.
 * @throws 503 `busy` when too many passwords are waiting
 */
export async function verifyPassword(hashed: string | null, password: string): Promise<boolean> {
  const matches = await hashingSlots.run('', () => verify(hashed ?? decoy, password));
  return matches && hashed !== null;
}

/** Whether a hash has other cost parameters than today's, and is to be replaced at the next sign-in. */
export function needsRehash(hashed: string): boolean {
  return !hashed.startsWith(currentCostPrefix);
}

/** Why a new password is not accepted, as sentences; empty when it is. */
export async function passwordFaults(password: string): Promise<string[]> {
  const length = Array.from(password).length;
  const faults: string[] = [];
  if (length < minLength) {
    faults.push(`The password field must be at least ${minLength} characters.`);
  }
  if (length > maxLength) {
    faults.push(`The password field must not be greater than ${maxLength} characters.`);
  }
  if (length <= maxLength && (await loadCommonPasswords()).has(password.toLowerCase())) {
    faults.push('This password is too common. Choose another one.');
  }
  return faults;
}

/** Errors on the member `password` of a body; none if it has no password. */
export async function newPasswordFaults(password: string | undefined): Promise<FieldFaults> {
  const sentences = password === undefined ? [] : await passwordFaults(password);
  return sentences.length > 0 ? { password: sentences } : {};
}

/** The hash of a new password. @throws 422 if it is not accepted */
export async function hashNewPassword(password: string): Promise<string> {
  await requireNewPassword(password);
  return await hashPassword(password);
}

/** @throws 422 if the new password is not accepted */
export async function requireNewPassword(password: string): Promise<void> {
  const faults = await newPasswordFaults(password);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}

const minLength = 12;
const maxLength = 128;
/** Argon2id takes about 10 ms at this cost. It is the default algorithm of the library. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The start of a hash with this algorithm and cost. */
const currentCostPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
/** The hash of a random password at the current cost, verified if there is no stored hash. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$CHp2qG4OI8h1D3I+hNcR8A$RKcxy9Tr3noegKJfk3jq1QYsy7/3Q6w6OSSxEZHhUHA';

/** Hashing shares libuv's threads with files and DNS, so a flood of sign-ins may use only some of them. */
const hashingSlots = createSlots(2, {
  maxWaiting: 64,
  busy: 'The server is checking too many passwords at the moment. Try again shortly.',
});

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  // Loaded only when a password is chosen, since the list takes half a megabyte.
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    // The most common passwords of the list that are long enough to be accepted if they were not on the list.
    const words = dictionary['passwords-common'].filter((word, rank) => rank < 10_000 || word.length >= minLength);
    return new Set(words.map((word) => word.toLowerCase()));
  });
  return commonPasswords;
}
