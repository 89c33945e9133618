import type { Dependencies } from '../../dependencies.ts';
import { removeExpiredFamilies } from './store.ts';

const batch = 1000;
const keptDays = 1;

/** Removes token families of which nothing has been valid for a day. */
export async function pruneTokens({ db, clock }: Dependencies): Promise<number> {
  const before = new Date(clock.nowMs() - keptDays * 86_400_000).toISOString();
  let total = 0;
  for (;;) {
    const removed = await removeExpiredFamilies(db, before, batch);
    total += removed;
    if (removed < batch) return total;
  }
}
