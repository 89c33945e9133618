import { LRUCache } from 'lru-cache';
import { Failure } from './failures.ts';

/** Counts failed attempts per key, in this process; whoever failed too often waits until the window passes. */
export interface AttemptThrottle {
  /** @throws 429 with the seconds to wait. */
  refuseAfterTooMany(key: string, nowMs: number): void;
  countFailure(key: string, nowMs: number): void;
}

const mostFailures = 10;
const windowMs = 600_000;

export function createAttemptThrottle(isOn: boolean): AttemptThrottle {
  const failures = new LRUCache<string, { readonly count: number; readonly untilMs: number }>({ max: 50_000 });
  return {
    refuseAfterTooMany(key, nowMs) {
      const known = failures.get(key);
      if (!isOn || !known || known.count < mostFailures || known.untilMs <= nowMs) return;
      throw new Failure('too-many-requests', 'Too many wrong attempts. Please wait a few minutes and try again.', {
        retryAfter: Math.ceil((known.untilMs - nowMs) / 1000),
      });
    },
    countFailure(key, nowMs) {
      const known = failures.get(key);
      const current = known && known.untilMs > nowMs ? known : { count: 0, untilMs: nowMs + windowMs };
      failures.set(key, { ...current, count: current.count + 1 });
    },
  };
}
