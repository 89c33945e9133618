import type { Dependencies } from '../../../dependencies.ts';
import { forgetNames } from './forget-store.ts';
import { inBatches } from '../../../platform/in-batches.ts';

const daySeconds = 86_400;
const batchSize = 5000;

/**
 * Removes the names of participants who left longer ago than the setting `participant_names_days`; with 0 all names.
 * Names of current participants stay. @returns how many were removed
 */
export async function forgetParticipants({ db, clock, settings }: Dependencies): Promise<number> {
  const before = clock.after(-settings().participant_names_days * daySeconds);
  return await inBatches(batchSize, () => forgetNames(db, before, batchSize));
}
