import { UnusableInput } from './media/frame.ts';

/** Recent refusals of encoders, so that an encoder that keeps retrying does not load the platform. */
export interface Refusals {
  /** @throws UnusableInput if the attempt can be refused without asking the platform */
  check(attempt: Attempt): void;
  add(attempt: Attempt, refusal: UnusableInput): void;
}

export interface Attempt {
  readonly roomId: string;
  readonly key: string;
  readonly address: string;
}

interface RefusedAttempt {
  readonly key: string;
  readonly refusal: UnusableInput;
  readonly untilMs: number;
}

/** The media server repeats a refusal for this long. A raised limit takes effect after that. */
const cacheMs = 3000;
/** After this many refused keys for one room, an address has to wait. */
const maxKeys = 5;
const maxEntries = 10_000;

export function createRefusals(): Refusals {
  /** The refused attempts of each room and address, the oldest first. */
  const entries = new Map<string, readonly RefusedAttempt[]>();
  const keyOfEntry = ({ roomId, address }: Attempt) => `${roomId} ${address}`;
  const listRecent = (entryKey: string) => (entries.get(entryKey) ?? []).filter(({ untilMs }) => untilMs > Date.now());

  return {
    check(attempt) {
      const refused = listRecent(keyOfEntry(attempt));
      const same = refused.find(({ key }) => key === attempt.key);
      if (same) throw same.refusal;
      if (refused.length >= maxKeys)
        throw new UnusableInput(
          'too-many-attempts',
          'Too many refused attempts from this address. Try again in a few seconds.',
        );
    },
    add(attempt, refusal) {
      const entryKey = keyOfEntry(attempt);
      const refused = listRecent(entryKey);
      entries.delete(entryKey);
      entries.set(entryKey, [...refused, { key: attempt.key, refusal, untilMs: Date.now() + cacheMs }]);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
