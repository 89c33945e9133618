import type { FastifyBaseLogger } from 'fastify';
import type { Runner } from 'graphile-worker';

export interface SupervisedQueue {
  readonly isRunning: () => boolean;
  /** Schedules a job for now, or for `runAt`. Repeated calls schedule one run, on any node. */
  scheduleJob(name: string, runAt?: Date): void;
  stop(): Promise<void>;
}

const firstDelayMs = 1000;
const maxDelayMs = 60_000;
/** After this time without a failure, the delay starts again at its minimum. */
const stableMs = 60_000;

/**
 * Restarts the queue with increasing delays when it ends by itself.
 * @throws when it cannot be started the first time
 */
export async function superviseQueue(
  start: () => Promise<Runner>,
  logger: FastifyBaseLogger,
): Promise<SupervisedQueue> {
  let runner: Runner | null = null;
  let timer: NodeJS.Timeout | null = null;
  let starting: Promise<void> | null = null;
  let isStopped = false;
  let delayMs = firstDelayMs;

  async function startRunner(): Promise<void> {
    const startedRunner = await start();
    const startedAtMs = performance.now();
    runner = startedRunner;
    const onEnd = (reason: unknown) => {
      runner = null;
      if (performance.now() - startedAtMs > stableMs) delayMs = firstDelayMs;
      restartLater(reason);
    };
    startedRunner.promise.then(() => onEnd('it stopped unexpectedly'), onEnd);
  }
  function restartLater(reason: unknown): void {
    if (isStopped) return;
    logger.error({ reason: String(reason), retryInMs: delayMs }, 'the job queue failed and is restarted');
    timer = setTimeout(() => {
      starting = startRunner().catch(restartLater);
    }, delayMs);
    delayMs = Math.min(delayMs * 2, maxDelayMs);
  }

  await startRunner();
  return {
    isRunning: () => runner !== null,
    scheduleJob(name, runAt) {
      // A missed job runs at its next scheduled time.
      runner
        ?.addJob(name, {}, { jobKey: `${name}-now`, maxAttempts: 1, ...(runAt && { runAt }) })
        .catch((error: unknown) => logger.debug({ job: name, reason: String(error) }, 'job could not be scheduled'));
    },
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await starting;
      await runner?.stop();
    },
  };
}
