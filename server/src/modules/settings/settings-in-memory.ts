import type { InvalidationBus } from '../../database/invalidation-bus.ts';
import type { Database } from '../../database/connect.ts';
import type { Settings } from '../../platform/settings.ts';
import { readSettings } from './store.ts';

export interface SettingsInMemory {
  readonly current: () => Settings;
  /** Resolves when what was announced has been read again. */
  readonly settled: () => Promise<void>;
}

/** The settings as this process knows them, read again when any process changes them. */
export async function keepSettings(
  db: Database,
  invalidations: InvalidationBus,
  onError: (error: unknown) => void,
): Promise<SettingsInMemory> {
  let settings = await readSettings(db);
  let reading: Promise<void> = Promise.resolve();
  invalidations.subscribe('settings', async () => {
    reading = reading
      .then(async () => {
        settings = await readSettings(db);
      })
      .catch(onError);
    await reading;
  });
  return { current: () => settings, settled: () => reading };
}
