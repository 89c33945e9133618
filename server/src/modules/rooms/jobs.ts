import { setTimeout as pause } from 'node:timers/promises';
import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createNextTokens } from './tokens/create-batch-tokens.ts';
import { listOpenBatches } from './tokens/token-batch-store.ts';

/** The pause after each transaction, as a multiple of its duration, so that large batches do not slow other requests. */
const pauseFactor = 2;
const maxPauseMs = 500;

/**
 * Creates the tokens of all batches, some tokens of each batch in turn.
 * @returns the number of rows processed
 */
async function createBatchTokens(dependencies: Dependencies): Promise<number> {
  let processed = 0;
  for (;;) {
    let processedInRound = 0;
    for (const batch of await listOpenBatches(dependencies.db)) {
      const startMs = performance.now();
      processedInRound += await createNextTokens(dependencies, batch);
      await pause(Math.min(pauseFactor * (performance.now() - startMs), maxPauseMs));
    }
    if (processedInRound === 0) return processed;
    processed += processedInRound;
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
