import type { Dependencies } from '../../../dependencies.ts';
import type { Background } from '../../../module.ts';
import { executeOrders } from '../orders/execute-orders.ts';
import { endExhaustedSessions } from '../sessions/end-exhausted.ts';

/** The longest time between two rounds, since limits change and orders are retried. */
const maxPauseMs = 10_000;
const minPauseMs = 100;

/**
 * Ends streams at the instant at which their minutes are used up, and retries orders that a media server did not
 * answer. All state is in the database: if this process dies, another process or the job `sync-streams` takes over.
 */
export function enforceStreamLimits(dependencies: Dependencies): Background {
  let timer: NodeJS.Timeout | null = null;
  let round: Promise<void> | null = null;
  let isStopped = false;

  function wakeIn(ms: number): void {
    if (isStopped) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(startRound, Math.min(Math.max(ms, minPauseMs), maxPauseMs));
  }
  function startRound(): void {
    timer = null;
    round = runRound().finally(() => {
      round = null;
    });
  }
  async function runRound(): Promise<void> {
    let nextMs = Infinity;
    try {
      nextMs = await endExhaustedSessions(dependencies);
      await executeOrders(dependencies);
    } catch (error) {
      dependencies.logger.warn({ err: error }, 'streams could not be ended in time');
    }
    wakeIn(nextMs - dependencies.clock.nowMs());
  }

  wakeIn(minPauseMs);
  return {
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
    },
  };
}
