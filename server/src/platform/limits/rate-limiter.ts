import { LRUCache } from 'lru-cache';

/** The state of a key after a request was counted. */
export interface RateLimitState {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** The time until the window ends. */
  readonly resetsInMs: number;
}

/** Counts requests in windows of a minute, over all processes on one database. */
export interface RateLimiter {
  count(key: string, limit: number): Promise<RateLimitState>;
}

export interface LeaseRequest {
  readonly key: string;
  readonly limit: number;
  readonly nowMs: number;
  readonly windowMs: number;
}

/** Tokens that this process may grant until the window ends. */
export interface Lease {
  /** 0 when all tokens have been leased. */
  readonly leased: number;
  /** The tokens that all processes have leased in this window. */
  readonly granted: number;
  readonly endsAtMs: number;
}

export const windowMs = 60_000;

/** Bounds the memory. With more callers in one minute, each request of the oldest ones needs a statement. */
const maxWindows = 50_000;

interface Window {
  readonly limit: number;
  readonly endsAtMs: number;
  readonly granted: number;
  unspent: number;
}

/**
 * Grants tokens from leases in memory, so that most requests need no statement. Unused tokens expire with their
 * window. All processes together grant at most the limit.
 */
export function createRateLimiter(
  lease: (request: LeaseRequest) => Promise<Lease>,
  clock: { nowMs(): number },
): RateLimiter {
  const windows = new LRUCache<string, Window>({ max: maxWindows });
  const leasing = new Map<string, Promise<void>>();

  function countInMemory(key: string, limit: number): RateLimitState | null {
    const window = windows.get(key);
    if (!window || window.limit !== limit) return null;
    const resetsInMs = window.endsAtMs - clock.nowMs();
    if (resetsInMs <= 0 || resetsInMs > 2 * windowMs) return null;
    const leasable = Math.max(0, limit - window.granted);
    if (window.unspent > 0) {
      window.unspent -= 1;
      return { isGranted: true, remaining: window.unspent + leasable, resetsInMs };
    }
    return leasable === 0 ? { isGranted: false, remaining: 0, resetsInMs } : null;
  }

  async function leaseMore(key: string, limit: number): Promise<void> {
    const { leased, granted, endsAtMs } = await lease({ key, limit, nowMs: clock.nowMs(), windowMs });
    windows.set(key, { limit, endsAtMs, granted, unspent: leased });
  }

  /** Concurrent requests of the same key wait for one lease. */
  async function leaseOnce(key: string, limit: number): Promise<void> {
    const runningLease = leasing.get(key);
    if (runningLease) return await runningLease;
    const newLease = leaseMore(key, limit).finally(() => leasing.delete(key));
    leasing.set(key, newLease);
    await newLease;
  }

  return {
    async count(key, limit) {
      for (;;) {
        const state = countInMemory(key, limit);
        if (state) return state;
        await leaseOnce(key, limit);
      }
    },
  };
}
