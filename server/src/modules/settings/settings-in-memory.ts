import type { InvalidationBus } from '../../database/invalidation-bus.ts';
import type { Database } from '../../database/connect.ts';
import type { Settings } from '../../platform/settings.ts';
import { readSettings } from './store.ts';

export interface SettingsCache {
  readonly current: () => Settings;
  /** Resolves when a running reload has finished. */
  readonly waitForReload: () => Promise<void>;
}

/** Caches the settings, and reloads them when any process changes them. */
export async function cacheSettings(
  db: Database,
  invalidations: InvalidationBus,
  onError: (error: unknown) => void,
): Promise<SettingsCache> {
  let settings = await readSettings(db);
  let loading: Promise<void> = Promise.resolve();
  invalidations.subscribe('settings', async () => {
    loading = loading
      .then(async () => {
        settings = await readSettings(db);
      })
      .catch(onError);
    await loading;
  });
  return { current: () => settings, waitForReload: () => loading };
}
