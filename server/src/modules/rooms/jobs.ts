import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createNextTokens } from './tokens/create-batch-tokens.ts';
import { listOpenBatches } from './tokens/token-batch-store.ts';

/** Creates the tokens of batches, a part of each in turn, until none are left. @returns the number of rows processed. */
async function createBatchTokens(dependencies: Dependencies): Promise<number> {
  let done = 0;
  for (;;) {
    let round = 0;
    for (const batch of await listOpenBatches(dependencies.db)) round += await createNextTokens(dependencies, batch);
    if (round === 0) return done;
    done += round;
  }
}

export const roomJobs: Jobs = {
  'make-room-tokens': {
    description: 'Creates the room tokens of batches.',
    schedule: '* * * * *',
    counted: 'rows of batches done',
    run: createBatchTokens,
    wakeOn: { cacheKey: 'room-tokens' },
  },
};
