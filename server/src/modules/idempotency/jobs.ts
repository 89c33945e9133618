import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';

const keptMs = 86_400_000;

/** Forgets keys that are older than a day. */
export async function pruneIdempotencyKeys({ db, clock }: Dependencies): Promise<number> {
  const before = new Date(clock.nowMs() - keptMs).toISOString();
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where id in (
      select id from idempotency_keys where claimed_at < ${before} for update skip locked)
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
