import type { FastifyBaseLogger } from 'fastify';
import type { Health } from './platform/health.ts';

/** How long readiness tells of an unhandled rejection. */
const toldMs = 300_000;

/**
 * A rejection that nobody handles ends nothing: it is logged, and readiness tells of it. After an exception that
 * nobody catches the state of the process is unknown: it is logged, and the process stops in order with exit code 1.
 */
export function watchProcess(logger: FastifyBaseLogger, health: Health, stop: () => Promise<void>): void {
  let rejectedAtMs = -Infinity;
  health.watch('process', () => (performance.now() - rejectedAtMs < toldMs ? 'unhandled-rejection' : 'ok'));
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
