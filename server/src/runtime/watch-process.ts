import type { FastifyBaseLogger } from 'fastify';
import type { Health } from '../platform/health.ts';

/** How long the readiness check reports an unhandled rejection. */
const reportedMs = 300_000;

/**
 * An unhandled rejection is logged and reported by the readiness check; the process continues. After an uncaught exception, the state
 * of the process is unknown: the exception is logged, and the process shuts down with exit code 1.
 */
export function watchProcess(logger: FastifyBaseLogger, health: Health, stop: () => Promise<void>): void {
  let rejectedAtMs = -Infinity;
  health.watch('process', () => (performance.now() - rejectedAtMs < reportedMs ? 'unhandled-rejection' : 'ok'));
  process.on('unhandledRejection', (error) => {
    rejectedAtMs = performance.now();
    logger.error({ err: error }, 'unhandled rejection');
  });
  process.once('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception: stopping');
    process.on('uncaughtException', (further) => logger.fatal({ err: further }, 'uncaught exception while stopping'));
    process.exitCode = 1;
    void stop();
  });
}
