import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { addressGroup } from '../identity/address-group.ts';
import type { Clock } from '../time/clock.ts';
import { Failure } from '../failures.ts';
import { createSlots } from './slots.ts';

/**
 * Counts failed sign-ins, tokens and access codes in the database, for all processes. Ten failures in ten minutes
 * block for ten minutes. A room is blocked for one address. A sign-in is blocked for the address, with any
 * username. A username with ten failures from any addresses is blocked only for addresses with three of them, so that
 * an attacker cannot lock out the owner of the username.
 */
export interface AttemptCounter {
  /**
   * Runs `verify` and counts its verdict. Attempts of one address run one after the other in each process, so that
   * parallel attempts are counted before the next is verified.
   * @throws 429 with the seconds to wait, without running `verify`
   */
  attempt<Outcome>(
    attempt: Attempt,
    verify: () => Promise<Outcome>,
    judge: (outcome: Outcome) => Verdict,
  ): Promise<Outcome>;
  /** Removes failures that no longer count. @returns how many */
  prune(): Promise<number>;
}

export interface Attempt {
  readonly scope: 'admins' | 'users' | 'rooms';
  /** The id of the account or room, or an unknown name. Stored as a keyed hash. */
  readonly name: string;
  readonly address: string | null;
  /** Runs once, when this failure starts a block. */
  readonly onBlocked?: () => Promise<void>;
}

/** `right` clears the failures of the same name from the same address; `neither` changes nothing. */
export type Verdict = 'right' | 'wrong' | 'neither';

export interface AttemptCounterOptions {
  readonly db: Kysely<never>;
  readonly clock: Clock;
  readonly isEnabled: boolean;
  /** Keys the hashes of names. */
  readonly key: string;
}

const maxFailures = 10;
/** Failures from one address of a name that is under attack. */
const maxUnderAttack = 3;
const windowMs = 600_000;

export function createAttemptCounter({ db, clock, isEnabled, key }: AttemptCounterOptions): AttemptCounter {
  const slots = createSlots(1);
  return {
    async attempt(attempt, verify, judge) {
      if (!isEnabled) return await verify();
      const address = addressGroup(attempt.address);
      const attemptKey: AttemptKey = {
        scope: attempt.scope,
        nameHash: createHmac('sha256', key).update(attempt.name).digest(),
        address,
      };
      const slotKey = attempt.scope === 'rooms' ? `rooms ${attempt.name} ${address}` : `${attempt.scope} ${address}`;
      return await slots.run(slotKey, async () => {
        const failures = await failuresOf(db, attemptKey, clock.nowMs());
        refuseAfterTooMany(attempt.scope, failures, clock.nowMs());
        const outcome = await verify();
        const verdict = judge(outcome);
        if (verdict === 'right' && failures.last !== null && attempt.scope !== 'rooms')
          await deleteFailures(db, attemptKey);
        if (verdict === 'wrong') {
          await insertFailure(db, attemptKey, clock.now());
          if (attempt.onBlocked && startsBlock(await failuresOf(db, attemptKey, clock.nowMs()), failures))
            await attempt.onBlocked();
        }
        return outcome;
      });
    },
    prune: () => prune(db, clock.nowMs()),
  };
}

interface AttemptKey {
  readonly scope: string;
  readonly nameHash: Buffer;
  readonly address: string;
}

/**
 * The instants of the tenth-last failures of the address and of the name, and of the last and third-last of the name
 * from the address.
 */
interface Failures {
  readonly last: string | null;
  readonly third: string | null;
  readonly tenth: string | null;
  readonly tenth_of_address: string | null;
  readonly tenth_of_name: string | null;
}

/** Five index scans, however many failures there are. */
async function failuresOf(
  db: Kysely<never>,
  { scope, nameHash, address }: AttemptKey,
  nowMs: number,
): Promise<Failures> {
  const isSamePair = sql`name_hash = ${nameHash} and address = ${address}`;
  const nthNewest = (condition: typeof isSamePair, offset: number) => sql`(
    select failed_at from failed_attempts
    where scope = ${scope} and ${condition} and failed_at > ${new Date(nowMs - windowMs).toISOString()}
    order by failed_at desc limit 1 offset ${sql.lit(offset)}
  )`;
  const { rows } = await sql<Failures>`
    select ${nthNewest(isSamePair, 0)} as last, ${nthNewest(isSamePair, maxUnderAttack - 1)} as third,
      ${nthNewest(isSamePair, maxFailures - 1)} as tenth,
      ${nthNewest(sql`address = ${address}`, maxFailures - 1)} as tenth_of_address,
      ${nthNewest(sql`name_hash = ${nameHash}`, maxFailures - 1)} as tenth_of_name
  `.execute(db);
  return rows[0] ?? { last: null, third: null, tenth: null, tenth_of_address: null, tenth_of_name: null };
}

function refuseAfterTooMany(scope: Attempt['scope'], failures: Failures, nowMs: number): void {
  const { third, tenth, tenth_of_address: tenthOfAddress, tenth_of_name: tenthOfName } = failures;
  const endsMs =
    scope === 'rooms'
      ? [blockEndMs(tenth)]
      : [blockEndMs(tenthOfAddress), Math.min(blockEndMs(third), blockEndMs(tenthOfName))];
  const endMs = Math.max(...endsMs);
  if (endMs <= nowMs) return;
  throw new Failure('too-many-requests', 'Too many wrong attempts. Please wait a few minutes and try again.', {
    retryAfter: Math.ceil((endMs - nowMs) / 1000),
  });
}

/** When a failure leaves the window, and a block that it started ends. */
function blockEndMs(failedAt: string | null): number {
  return failedAt === null ? 0 : Date.parse(failedAt) + windowMs;
}

/** Each address and each name starts a block once, even when the attempts come from many addresses. */
function startsBlock(after: Failures, before: Failures): boolean {
  return (
    (after.tenth_of_address !== null && before.tenth_of_address === null) ||
    (after.tenth_of_name !== null && before.tenth_of_name === null)
  );
}

async function insertFailure(db: Kysely<never>, { scope, nameHash, address }: AttemptKey, now: string): Promise<void> {
  await sql`
    insert into failed_attempts (scope, name_hash, address, failed_at)
    values (${scope}, ${nameHash}, ${address}, ${now})
  `.execute(db);
}

async function deleteFailures(db: Kysely<never>, { scope, nameHash, address }: AttemptKey): Promise<void> {
  await sql`
    delete from failed_attempts where ctid = any(array(
      select ctid from failed_attempts where scope = ${scope} and name_hash = ${nameHash} and address = ${address}
      order by ctid for update))
  `.execute(db);
}

async function prune(db: Kysely<never>, nowMs: number): Promise<number> {
  const before = new Date(nowMs - windowMs).toISOString();
  const { numAffectedRows } = await sql`
    delete from failed_attempts where ctid = any(array(
      select ctid from failed_attempts where failed_at <= ${before} for update skip locked))
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
