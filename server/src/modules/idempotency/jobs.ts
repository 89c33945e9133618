import type { Jobs } from '../../module.ts';
import { sql } from 'kysely';
import { removeUnlocked } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';

const retentionMs = 86_400_000;
/** Limits per caller. */
export const maxKeys = 10_000;
export const maxBytes = 32 * 1_048_576;

async function pruneIdempotencyKeys({ db, clock }: Dependencies): Promise<number> {
  const before = new Date(clock.nowMs() - retentionMs).toISOString();
  const removed = await removeUnlocked(db, 'idempotency_keys', sql`claimed_at < ${before}`);
  const isExcess = sql`id in (
    select id from (
      select id, row_number() over newest as position, sum(body_bytes) over newest as bytes
      from idempotency_keys where status is not null and caller in (
        select caller from idempotency_keys group by caller
        having count(*) > ${maxKeys} or sum(body_bytes) > ${maxBytes})
      window newest as (partition by caller order by claimed_at desc, id desc rows unbounded preceding)
    ) ranked where position > ${maxKeys} or bytes > ${maxBytes})`;
  return removed + (await removeUnlocked(db, 'idempotency_keys', isExcess));
}

export const idempotencyJobs: Jobs = {
  'prune-idempotency-keys': {
    description:
      'Removes stored responses of idempotent requests after a day, and the oldest ones of a caller above 10,000 responses or 32 MiB.',
    schedule: '* * * * *',
    counted: 'responses removed',
    run: pruneIdempotencyKeys,
  },
};
