import type { Dependencies } from '../../../dependencies.ts';
import type { Background } from '../../../module.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { dueMeetings, endDueOn } from './end-in-time.ts';
import { byProvider } from '../ending/end-on-provider.ts';

/** The longest time between two counts, since limits change and time passes. */
const maxMs = 20_000;
/** The shortest time between two counts. */
const minMs = 100;
const afterFailureMs = 2000;

/**
 * Ends meetings at the instant at which their minutes are used up. Providers are handled in parallel. All state is in
 * the database: if this process dies, others take over, or the job that runs every minute.
 */
export function enforceMinutes(dependencies: Dependencies): Background {
  const { clock, logger } = dependencies;
  const busy = new Map<Uuid | null, Promise<void>>();
  let timer: NodeJS.Timeout | null = null;
  let timerMs = Infinity;
  let round: Promise<void> | null = null;
  let isStopped = false;

  function scheduleNext(ms: number): void {
    const atMs = performance.now() + Math.min(Math.max(ms, minMs), maxMs);
    if (isStopped || (timer !== null && timerMs <= atMs)) return;
    if (timer !== null) clearTimeout(timer);
    timerMs = atMs;
    timer = setTimeout(begin, atMs - performance.now());
  }
  function begin(): void {
    timer = null;
    // Changes during a round are handled by the next one.
    if (round) return scheduleNext(minMs);
    round = count().finally(() => {
      round = null;
    });
  }
  async function count(): Promise<void> {
    try {
      const { due, nextMs } = await dueMeetings(dependencies);
      for (const [id, meetings] of byProvider(due)) {
        if (!busy.has(id)) busy.set(id, end(id, meetings));
      }
      scheduleNext(nextMs - clock.nowMs());
    } catch (error) {
      logger.warn({ err: error }, 'minutes could not be counted');
      scheduleNext(afterFailureMs);
    }
  }
  async function end(id: Uuid | null, meetings: Parameters<typeof endDueOn>[2]): Promise<void> {
    try {
      await endDueOn(dependencies, id, meetings);
      scheduleNext(minMs);
    } catch (error) {
      logger.warn({ err: error, provider: id }, 'meetings could not be ended in time');
      scheduleNext(afterFailureMs);
    } finally {
      busy.delete(id);
    }
  }

  scheduleNext(minMs);
  return {
    wakeOn: { cacheKey: 'minutes', wake: () => scheduleNext(minMs) },
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
      await Promise.all(busy.values());
    },
  };
}
