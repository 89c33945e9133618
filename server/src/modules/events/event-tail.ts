import type { Dependencies } from '../../dependencies.ts';
import { readLastPosition } from './store.ts';

/** Watches for new events on behalf of all streams of this process, with one query for all of them. */
export interface EventTail {
  /**
   * Waits for a published event after the position, until the time-out or until the signal is aborted.
   * @returns the position of the last published event
   */
  waitForEventAfter(position: number, timeoutMs: number, signal: AbortSignal): Promise<number>;
}

const pollEveryMs = 200;

export function createEventTail({ db, logger }: Pick<Dependencies, 'db' | 'logger'>): EventTail {
  let lastPosition = 0;
  let polling: Promise<void> | null = null;
  const signals = new Set<AbortSignal>();

  async function poll(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    try {
      // Without open streams no position is needed, and at shutdown the database is closed.
      if ([...signals].some(({ aborted }) => !aborted)) lastPosition = await readLastPosition(db);
    } catch (error) {
      logger.warn({ err: error }, 'new events could not be read');
    }
    polling = null;
  }

  return {
    async waitForEventAfter(position, timeoutMs, signal) {
      const deadline = performance.now() + timeoutMs;
      signals.add(signal);
      while (lastPosition <= position && performance.now() < deadline && !signal.aborted) await (polling ??= poll());
      signals.delete(signal);
      return lastPosition;
    },
  };
}
