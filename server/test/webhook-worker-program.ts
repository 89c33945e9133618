import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { deliverWebhooks } from '../src/modules/webhooks/index.ts';
import { parseSecretKeys } from '../src/platform/crypto/secret-box.ts';

/** The input of the process, as JSON in its environment. */
export interface WorkerTask {
  readonly connectionString: string;
  readonly secretKeys: string;
}

// Runs in a separate process and delivers webhooks until it is killed.

const task = JSON.parse(process.env['WORKER_TASK'] ?? '') as WorkerTask;
const keys = parseSecretKeys(task.secretKeys);
const app = await createApp({
  connectionString: task.connectionString,
  secretKeys: keys.ok ? keys.keys : [],
  logger: pino({ level: 'silent' }),
  rateLimits: false,
  fallbackUrl: () => 'http://127.0.0.1',
  publicUrl: null,
});
process.stdin.resume();
process.stdin.on('end', () => process.exit());
deliverWebhooks(app.jobDependencies);
