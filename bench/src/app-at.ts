import { pino } from 'pino';
import { createApp, type App } from '../../server/src/app.ts';
import type { Clock } from '../../server/src/platform/time/clock.ts';
import { parseSecretKeys } from '../../server/src/platform/crypto/secret-box.ts';

/** Where a process finds the database, and what opens its secrets. */
export interface Place {
  readonly connectionString: string;
  readonly secretKeys: string;
  readonly publicUrl: string;
}

/** The server without its sockets, for what is measured or recorded in this process. */
export async function appAt(place: Place, clock?: Clock): Promise<App> {
  const keys = parseSecretKeys(place.secretKeys);
  return await createApp({
    connectionString: place.connectionString,
    secretKeys: keys.ok ? keys.keys : [],
    logger: pino({ level: 'silent' }),
    rateLimits: false,
    ...(clock ? { clock } : {}),
    fallbackUrl: () => place.publicUrl,
    publicUrl: place.publicUrl,
  });
}
