import type { Dependencies } from '../../dependencies.ts';
import { makeSomeTokens } from './make-tokens.ts';
import { openTokenBatches } from './token-batch-store.ts';

/** Makes the tokens of batches, some of each in turn, until none are left. @returns how many rows it did. */
export async function makeRoomTokens(dependencies: Dependencies): Promise<number> {
  let done = 0;
  for (;;) {
    let round = 0;
    for (const batch of await openTokenBatches(dependencies.db)) round += await makeSomeTokens(dependencies, batch);
    if (round === 0) return done;
    done += round;
  }
}
