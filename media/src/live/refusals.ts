import { UnusableInput } from './media/frame.ts';

/** Recent refusals of encoders, so that one that keeps trying does not load the platform. */
export interface Refusals {
  /** @throws UnusableInput if the platform need not be asked now */
  check(attempt: Attempt): void;
  add(attempt: Attempt, refusal: UnusableInput): void;
}

export interface Attempt {
  readonly roomId: string;
  readonly key: string;
  readonly address: string;
}

interface Refused {
  readonly key: string;
  readonly refusal: UnusableInput;
  readonly untilMs: number;
}

/** The media server repeats a refusal for this long. A raised limit takes effect after that. */
const cacheMs = 3000;
/** Refused keys of one address and room before it has to wait. */
const maxKeys = 5;
const maxEntries = 10_000;

export function createRefusals(): Refusals {
  /** Of each room and address, the oldest first. */
  const entries = new Map<string, readonly Refused[]>();
  const keyOfEntry = ({ roomId, address }: Attempt) => `${roomId} ${address}`;
  const recent = (entryKey: string) => (entries.get(entryKey) ?? []).filter(({ untilMs }) => untilMs > Date.now());

  return {
    check(attempt) {
      const refused = recent(keyOfEntry(attempt));
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
      const refused = recent(entryKey);
      entries.delete(entryKey);
      entries.set(entryKey, [...refused, { key: attempt.key, refusal, untilMs: Date.now() + cacheMs }]);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
