import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { makeSomeTokens } from './tokens/make-tokens.ts';
import { openTokenBatches } from './tokens/token-batch-store.ts';

/** Makes the tokens of batches, some of each in turn, until none are left. @returns how many rows it did. */
async function makeRoomTokens(dependencies: Dependencies): Promise<number> {
  let done = 0;
  for (;;) {
    let round = 0;
    for (const batch of await openTokenBatches(dependencies.db)) round += await makeSomeTokens(dependencies, batch);
    if (round === 0) return done;
    done += round;
  }
}

export const roomJobs: Jobs = {
  'make-room-tokens': {
    description: 'Creates the room tokens of batches.',
    schedule: '* * * * *',
    counted: 'rows of batches done',
    run: makeRoomTokens,
    wakeOn: { cacheKey: 'room-tokens' },
  },
};
