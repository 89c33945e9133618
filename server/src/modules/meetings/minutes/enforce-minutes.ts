import type { Dependencies } from '../../../dependencies.ts';
import type { Background } from '../../../module.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { findDueMeetings, endDueMeetings } from './end-in-time.ts';
import { groupByProvider } from '../ending/end-on-provider.ts';

/** The longest time between two counts. Limits may change without a notification. */
const maxIntervalMs = 20_000;
/** The shortest time between two counts. */
const minIntervalMs = 100;
const retryDelayMs = 2000;

/**
 * Ends meetings at the instant at which their minutes are used up. Providers are handled in parallel. All state is in
 * the database: if this process dies, another one takes over, or the job `end-meetings`, which runs every minute.
 */
export function enforceMinutes(dependencies: Dependencies): Background {
  const { clock, logger } = dependencies;
  const endingByProvider = new Map<Uuid | null, Promise<void>>();
  let timer: NodeJS.Timeout | null = null;
  let timerMs = Infinity;
  let round: Promise<void> | null = null;
  let isStopped = false;

  function scheduleNext(ms: number): void {
    const atMs = performance.now() + Math.min(Math.max(ms, minIntervalMs), maxIntervalMs);
    if (isStopped || (timer !== null && timerMs <= atMs)) return;
    if (timer !== null) clearTimeout(timer);
    timerMs = atMs;
    timer = setTimeout(startRound, atMs - performance.now());
  }
  function startRound(): void {
    timer = null;
    // Changes during a round are handled by the next one.
    if (round) return scheduleNext(minIntervalMs);
    round = count().finally(() => {
      round = null;
    });
  }
  async function count(): Promise<void> {
    try {
      const { due, nextMs } = await findDueMeetings(dependencies);
      for (const [id, meetings] of groupByProvider(due)) {
        if (!endingByProvider.has(id)) endingByProvider.set(id, end(id, meetings));
      }
      scheduleNext(nextMs - clock.nowMs());
    } catch (error) {
      logger.warn({ err: error }, 'minutes could not be counted');
      scheduleNext(retryDelayMs);
    }
  }
  async function end(id: Uuid | null, meetings: Parameters<typeof endDueMeetings>[2]): Promise<void> {
    try {
      await endDueMeetings(dependencies, id, meetings);
      scheduleNext(minIntervalMs);
    } catch (error) {
      logger.warn({ err: error, provider: id }, 'meetings could not be ended in time');
      scheduleNext(retryDelayMs);
    } finally {
      endingByProvider.delete(id);
    }
  }

  scheduleNext(minIntervalMs);
  return {
    wakeOn: { cacheKey: 'minutes', wake: () => scheduleNext(minIntervalMs) },
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
      await Promise.all(endingByProvider.values());
    },
  };
}
