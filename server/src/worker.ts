import { Logger, type Runner, run } from 'graphile-worker';
import type { Pool } from 'pg';
import type { App } from './app.ts';
import type { Dependencies } from './dependencies.ts';
import { jobs, modules } from './modules.ts';
import { superviseQueue } from './runtime/supervise-queue.ts';

/** Runs the jobs of all modules. If there are several workers, each scheduled run is taken by one of them. */
export async function startWorker({
  jobDependencies: dependencies,
  pools,
  invalidations,
  health,
}: App): Promise<Pick<Runner, 'stop'>> {
  const { logger } = dependencies;
  const queue = await superviseQueue(() => runQueue(dependencies, pools.queue.pool), logger);
  health.watch('worker', () => (queue.isRunning() ? 'ok' : 'restarting'));
  for (const [name, { wakeOn }] of Object.entries(jobs)) {
    if (!wakeOn) continue;
    const { cacheKey, delayMs = 0 } = wakeOn;
    invalidations.subscribe(cacheKey, () =>
      queue.scheduleJob(name, delayMs === 0 ? undefined : new Date(dependencies.clock.nowMs() + delayMs)),
    );
  }
  const backgrounds = modules.flatMap(({ background }) => (background ? [background(dependencies)] : []));
  for (const { wakeOn } of backgrounds) if (wakeOn) invalidations.subscribe(wakeOn.cacheKey, wakeOn.wake);
  return {
    async stop() {
      await Promise.all([...backgrounds.map(({ stop }) => stop()), queue.stop()]);
    },
  };
}

function runQueue(dependencies: Dependencies, pgPool: Pool): Promise<Runner> {
  const { logger } = dependencies;
  return run({
    pgPool,
    concurrency: 2,
    pollInterval: 2000,
    noHandleSignals: true,
    // Without batches, graphile-worker does not handle failures to store the end of a job.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === 'error') logger.error({ worker: true }, message);
      else if (level === 'warning') logger.warn({ worker: true }, message);
      else logger.debug({ worker: true }, message);
    }),
    crontab: Object.entries(jobs)
      .map(([name, job]) => `${job.schedule} ${name} ?max=3&jobKey=${name}`)
      .join('\n'),
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, job]) => [
        name,
        async () => {
          const count = await job.run(dependencies);
          logger.debug({ job: name, count }, 'job done');
        },
      ]),
    ),
  });
}
