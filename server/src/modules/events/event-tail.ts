import type { Dependencies } from '../../dependencies.ts';
import { lastPosition } from './store.ts';

/** Watches for new events on behalf of all streams of this process, with one query for all of them. */
export interface EventTail {
  /**
   * Resolves with the position of the last published event: at once if it is greater, when one is published, after the
   * time, or when the signal is aborted.
   */
  after(position: number, withinMs: number, signal: AbortSignal): Promise<number>;
}

const pollEveryMs = 200;

export function createEventTail({ db, logger }: Pick<Dependencies, 'db' | 'logger'>): EventTail {
  let last = 0;
  let looking: Promise<void> | null = null;
  const waiting = new Set<AbortSignal>();

  async function poll(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    try {
      // Without open streams no position is needed, and at shutdown the database is closed.
      if ([...waiting].some(({ aborted }) => !aborted)) last = await lastPosition(db);
    } catch (error) {
      logger.warn({ err: error }, 'new events could not be read');
    }
    looking = null;
  }

  return {
    async after(position, withinMs, signal) {
      const deadline = performance.now() + withinMs;
      waiting.add(signal);
      while (last <= position && performance.now() < deadline && !signal.aborted) await (looking ??= poll());
      waiting.delete(signal);
      return last;
    },
  };
}
