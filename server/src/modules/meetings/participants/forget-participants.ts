import type { Dependencies } from '../../../dependencies.ts';
import { inBatches } from '../../../platform/in-batches.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';

const daySeconds = 86_400;
const batchSize = 5000;

/**
 * Removes the names of participants who left more days ago than the setting `participant_names_days` allows; 0 removes
 * all names. Names of current participants stay.
 * @returns how many names were removed
 */
export async function forgetParticipants({ db, clock, settings }: Dependencies): Promise<number> {
  const before = clock.after(-settings().participant_names_days * daySeconds);
  return await inBatches(batchSize, () => forgetNames(db, before, batchSize));
}

/** Removes at most `limit` names, and skips rows that another node has locked. @returns how many names were removed */
async function forgetNames(db: Database, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update room_entries set full_name = null, user_id = null
    where id in (
      select entry.id from room_entries entry
      where (entry.full_name is not null or entry.user_id is not null) and entry.left_at <= ${before}
        and not exists (
          select from room_entries later
          where later.first_entry_id = entry.id and (later.left_at is null or later.left_at > ${before}))
      order by entry.left_at limit ${limit} for update skip locked)
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
