import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import { removeExpiredAuthorizations } from './authorization-code/authorization-store.ts';
import { lockExpiredFamilies, removeFamilies } from './store.ts';
import { deletionOf } from './tokens/tokens.ts';
import { inBatches } from '../../platform/in-batches.ts';

const batch = 1000;
const keptDays = 1;

/** Removes token families and codes that expired a day ago, and sessions that have ended. */
async function pruneTokens(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const before = new Date(clock.nowMs() - keptDays * 86_400_000).toISOString();
  const authorizations = await removeExpiredAuthorizations(db, before, clock.now());
  return authorizations + (await inBatches(batch, () => removeExpiredFamilies(dependencies, before)));
}

/** A session that was ended before has had its event. */
async function removeExpiredFamilies(dependencies: Dependencies, before: string): Promise<number> {
  return await inTransaction(dependencies, system, async (change) => {
    const families = await lockExpiredFamilies(change.tx, before, batch);
    await change.emitAll(families.filter((family) => family.revoked_at === null).map(deletionOf));
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
