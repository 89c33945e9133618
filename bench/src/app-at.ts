import { pino } from 'pino';
import { createApp, type App } from '../../server/src/app.ts';
import type { Clock } from '../../server/src/platform/time/clock.ts';
import { parseSecretKeys } from '../../server/src/platform/crypto/secret-box.ts';

/** Database and encryption keys of an installation. */
export interface Place {
  readonly connectionString: string;
  readonly secretKeys: string;
  readonly publicUrl: string;
}

/** The application without sockets, for measurements in this process. */
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
