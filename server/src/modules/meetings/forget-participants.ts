import type { Dependencies } from '../../dependencies.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import { forgetNames } from './forget-store.ts';

const dayMs = 86_400_000;
const batchSize = 5000;

/**
 * Forgets the names of who left longer ago than the setting `participant_names_days`; with 0 all there are. Meetings
 * that go on keep theirs until they end. @returns how many were forgotten
 */
export async function forgetParticipants({ db, clock, settings }: Dependencies): Promise<number> {
  const before = instantOfMicroseconds((clock.nowMs() - settings().participant_names_days * dayMs) * 1000);
  let forgotten = 0;
  for (;;) {
    const some = await forgetNames(db, before, batchSize);
    forgotten += some;
    if (some < batchSize) return forgotten;
  }
}
