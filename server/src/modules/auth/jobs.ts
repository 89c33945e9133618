import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { removeExpiredAuthorizations } from './authorization-code/authorization-store.ts';
import { removeExpiredFamilies } from './store.ts';

const batch = 1000;
const keptDays = 1;

/** Removes token families and codes that expired a day ago, and sessions that have ended. */
async function pruneTokens({ db, clock }: Dependencies): Promise<number> {
  const before = new Date(clock.nowMs() - keptDays * 86_400_000).toISOString();
  let total = await removeExpiredAuthorizations(db, before, clock.now());
  for (;;) {
    const removed = await removeExpiredFamilies(db, before, batch);
    total += removed;
    if (removed < batch) return total;
  }
}

export const authJobs: Jobs = {
  'prune-tokens': {
    description: 'Removes tokens that are no longer valid.',
    schedule: '37 * * * *',
    counted: 'tokens and codes removed',
    run: pruneTokens,
  },
};
