import { type Change, inTransaction, system } from '../../events/change.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Background } from '../../module.ts';
import { hasUnpublished, numberEvents } from './store.ts';

const publishEveryMs = 200;
const afterFailureMs = 2000;
/** Events per transaction. Each customer gets an equal share. */
const batchSize = 500;

/**
 * Gives all committed events a position in the order of publication, and runs the reactions of other modules to them. A
 * position is visible only when all lower ones are, so that readers of the stream miss no event.
 * @returns the number of events published
 */
export async function publishAll(dependencies: Dependencies): Promise<number> {
  let total = 0;
  for (;;) {
    const published = await inTransaction(dependencies, system, publishBatch);
    total += published;
    if (published === 0) return total;
  }
}

async function publishBatch(change: Change): Promise<number> {
  const events = await numberEvents(change.tx, batchSize);
  if (events === null || events.length === 0) return 0;
  await change.react('events.published', { events });
  return events.length;
}

/** Publishes events within a fraction of a second. Of several workers, one at a time publishes. */
export function publishEvents(dependencies: Dependencies): Background {
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let round: Promise<void> | null = null;

  function startRound(): void {
    round = publish();
  }
  async function publish(): Promise<void> {
    let waitMs = publishEveryMs;
    try {
      if (await hasUnpublished(dependencies.db)) await publishAll(dependencies);
    } catch (error) {
      dependencies.logger.warn({ err: error }, 'events could not be published');
      waitMs = afterFailureMs;
    }
    if (!isStopped) timer = setTimeout(startRound, waitMs);
  }

  startRound();
  return {
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
    },
  };
}
