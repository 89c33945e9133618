import { pino } from 'pino';
import { createApp, type App } from '../../server/src/app.ts';
import type { Clock } from '../../server/src/platform/time/clock.ts';
import { parseSecretKeys } from '../../server/src/platform/crypto/secret-box.ts';

/** Database and encryption keys of an installation. */
export interface Installation {
  readonly connectionString: string;
  readonly secretKeys: string;
  readonly publicUrl: string;
}

/** The application without sockets, for measurements in this process. */
export async function createBenchApp(installation: Installation, clock?: Clock): Promise<App> {
  const keys = parseSecretKeys(installation.secretKeys);
  return await createApp({
    connectionString: installation.connectionString,
    secretKeys: keys.ok ? keys.keys : [],
    logger: pino({ level: 'silent' }),
    rateLimits: false,
    ...(clock ? { clock } : {}),
    fallbackUrl: () => installation.publicUrl,
    publicUrl: installation.publicUrl,
  });
}
