import { sql } from 'kysely';
import type { Lease, LeaseRequest } from '../platform/limits/rate-limiter.ts';
import type { Clock } from '../platform/time/clock.ts';
import type { Database } from './connect.ts';
import { isWriteRefused } from './write-refused.ts';

/**
 * Leases a tenth of the tokens that are left for the key in its current window, and starts a window if none is
 * running. The statement locks the row, so no token is leased twice.
 */
export async function leaseTokens(db: Database, request: LeaseRequest): Promise<Lease> {
  try {
    return await storeLease(db, request);
  } catch (error) {
    if (!isWriteRefused(error)) throw error;
    // While the database is read-only, each process counts by itself, so that reads are still answered.
    const { limit, nowMs, windowMs } = request;
    return { leased: limit, granted: limit, endsAtMs: nowMs + windowMs };
  }
}

async function storeLease(db: Database, { key, limit, nowMs, windowMs }: LeaseRequest): Promise<Lease> {
  const now = instant(nowMs);
  const firstLease = leaseSizeOf(sql`${limit}::int`);
  const nextLease = leaseSizeOf(sql`${limit}::int - rate_limits.granted`);
  // A window that ends too far in the future was started before the clock was set back.
  const isRunning = sql`rate_limits.ends_at > ${now} and rate_limits.ends_at <= ${instant(nowMs + 2 * windowMs)}`;
  const { rows } = await sql<Lease>`
    insert into rate_limits (key, ends_at, granted, leased)
    values (${key}, ${instant(nowMs + windowMs)}, ${firstLease}, ${firstLease})
    on conflict (key) do update set
      ends_at = case when ${isRunning} then rate_limits.ends_at else excluded.ends_at end,
      granted = case when ${isRunning} then rate_limits.granted + ${nextLease} else excluded.granted end,
      leased = case when ${isRunning} then ${nextLease} else excluded.leased end
    returning leased, granted, (extract(epoch from ends_at) * 1000)::int8 as "endsAtMs"
  `.execute(db);
  const [lease] = rows;
  if (!lease) throw new Error('The database returned no lease.');
  return lease;
}

const batchSize = 5000;

/** Removes windows that have ended. @returns how many were removed */
export async function pruneRateLimits({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const now = instant(clock.nowMs());
  let total = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from rate_limits where key in (
        select key from rate_limits where ends_at <= ${now} limit ${batchSize} for update skip locked
      )
    `.execute(db);
    total += Number(numAffectedRows);
    if (numAffectedRows < batchSize) return total;
  }
}

function leaseSizeOf(remainder: ReturnType<typeof sql>) {
  return sql`(greatest(${remainder}, 0) + 9) / 10`;
}

function instant(ms: number) {
  return sql`${new Date(ms).toISOString()}::timestamptz`;
}
