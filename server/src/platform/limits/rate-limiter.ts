import { LRUCache } from 'lru-cache';

/** What is left of a key's allowance after a request was counted. */
export interface Counted {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Until the window ends and the allowance is whole again. */
  readonly resetsInMs: number;
}

/** Counts requests in windows of a minute, over all processes on one database. */
export interface RateLimiter {
  count(key: string, limit: number): Promise<Counted>;
}

export interface LeaseRequest {
  readonly key: string;
  readonly limit: number;
  readonly nowMs: number;
  readonly windowMs: number;
}

/** A part of an allowance that this process alone may grant until the window ends. */
export interface Lease {
  /** Nothing when the whole allowance has been given out. */
  readonly leased: number;
  /** To all processes together, in this window. */
  readonly granted: number;
  readonly endsAtMs: number;
}

export const windowMs = 60_000;

/** More callers than this in one minute cost a statement each rather than memory. */
const mostWindows = 50_000;

interface Window {
  readonly limit: number;
  readonly endsAtMs: number;
  readonly granted: number;
  unspent: number;
}

/**
 * Grants from leases in memory, so that most requests cost no statement. What is left of a lease when its window ends
 * is forgotten, never granted later: all processes together grant the limit at most, and one alone exactly that.
 */
export function createRateLimiter(
  lease: (request: LeaseRequest) => Promise<Lease>,
  clock: { nowMs(): number },
): RateLimiter {
  const windows = new LRUCache<string, Window>({ max: mostWindows });
  const leasing = new Map<string, Promise<void>>();

  function countInMemory(key: string, limit: number): Counted | null {
    const window = windows.get(key);
    if (!window || window.limit !== limit) return null;
    const resetsInMs = window.endsAtMs - clock.nowMs();
    if (resetsInMs <= 0 || resetsInMs > 2 * windowMs) return null;
    const elsewhere = Math.max(0, limit - window.granted);
    if (window.unspent > 0) {
      window.unspent -= 1;
      return { isGranted: true, remaining: window.unspent + elsewhere, resetsInMs };
    }
    return elsewhere === 0 ? { isGranted: false, remaining: 0, resetsInMs } : null;
  }

  async function leaseMore(key: string, limit: number): Promise<void> {
    const { leased, granted, endsAtMs } = await lease({ key, limit, nowMs: clock.nowMs(), windowMs });
    windows.set(key, { limit, endsAtMs, granted, unspent: leased });
  }

  /** Whoever needs more of the same key meanwhile waits for the one lease. */
  async function leaseOnce(key: string, limit: number): Promise<void> {
    const underWay = leasing.get(key);
    if (underWay) return await underWay;
    const begun = leaseMore(key, limit).finally(() => leasing.delete(key));
    leasing.set(key, begun);
    await begun;
  }

  return {
    async count(key, limit) {
      for (;;) {
        const counted = countInMemory(key, limit);
        if (counted) return counted;
        await leaseOnce(key, limit);
      }
    },
  };
}
