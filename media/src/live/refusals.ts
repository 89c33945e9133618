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

/** A refusal is repeated for this long. After that, a limit that was raised counts. */
const keptMs = 3000;
/** Of one address for one room. */
const maxKeys = 5;
const maxEntries = 10_000;

export function createRefusals(): Refusals {
  /** Of each room and address, the oldest first. */
  const entries = new Map<string, readonly Refused[]>();
  const nameOf = ({ roomId, address }: Attempt) => `${roomId} ${address}`;
  const recent = (name: string) => (entries.get(name) ?? []).filter(({ untilMs }) => untilMs > Date.now());

  return {
    check(attempt) {
      const refused = recent(nameOf(attempt));
      const same = refused.find(({ key }) => key === attempt.key);
      if (same) throw same.refusal;
      if (refused.length >= maxKeys)
        throw new UnusableInput('too-many-attempts', 'Too many stream keys were wrong. Try again in a few seconds.');
    },
    add(attempt, refusal) {
      const name = nameOf(attempt);
      const refused = recent(name);
      entries.delete(name);
      entries.set(name, [...refused, { key: attempt.key, refusal, untilMs: Date.now() + keptMs }]);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
