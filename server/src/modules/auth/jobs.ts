import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import { removeExpiredAuthorizations } from './authorization-code/authorization-store.ts';
import { lockExpiredFamilies, removeFamilies } from './store.ts';
import { deletionEvent } from './tokens/tokens.ts';
import { inBatches } from '../../platform/in-batches.ts';

const batch = 1000;
const keptDays = 1;

/** Removes token families and codes that expired a day ago, and sessions that have ended. */
async function pruneTokens(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const expiredBefore = new Date(clock.nowMs() - keptDays * 86_400_000).toISOString();
  const authorizations = await removeExpiredAuthorizations(db, expiredBefore, clock.now());
  return authorizations + (await inBatches(batch, () => removeExpiredFamilies(dependencies, expiredBefore)));
}

/** Emits no event for a revoked family, because its revocation emitted one. */
async function removeExpiredFamilies(dependencies: Dependencies, expiredBefore: string): Promise<number> {
  return await inTransaction(dependencies, system, async (change) => {
    const families = await lockExpiredFamilies(change.tx, expiredBefore, batch);
    await change.emitAll(families.filter((family) => family.revoked_at === null).map(deletionEvent));
    await removeFamilies(change.tx, families);
    return families.length;
  });
}

export const authJobs: Jobs = {
  'prune-tokens': {
    description: 'Removes tokens that are no longer valid.',
    schedule: '37 * * * *',
    counted: 'tokens and codes removed',
    run: pruneTokens,
  },
};
