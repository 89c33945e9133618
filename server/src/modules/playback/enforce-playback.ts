import type { Dependencies } from '../../dependencies.ts';
import type { Background } from '../../module.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { endMeetings } from '../meetings/index.ts';
import { mediaProvider } from '../service-providers/index.ts';
import { hasSessions, listRevokedViewers } from './store.ts';

/** Frequent enough that revoked playback stops within a minute, even if a run is slow. */
const intervalMs = 15_000;

/**
 * Ends sessions that must end, and removes viewers whose access was revoked, several times a minute. All state is in
 * the database, so any worker can do this.
 */
export function enforcePlayback(dependencies: Dependencies): Background {
  let round: Promise<void> | null = null;
  const timer = setInterval(() => {
    round ??= runRound(dependencies)
      .catch((error: unknown) => dependencies.logger.warn({ err: error }, 'playback could not be checked'))
      .finally(() => {
        round = null;
      });
  }, intervalMs);
  return {
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}

async function runRound(dependencies: Dependencies): Promise<void> {
  if (!(await hasSessions(dependencies.db))) return;
  await removeRevokedViewers(dependencies);
  await endMeetings(dependencies);
}

/** Tells the media servers to reject the playback addresses of viewers without access. @returns their number */
export async function removeRevokedViewers(dependencies: Dependencies): Promise<number> {
  const { db, clock, logger } = dependencies;
  let removed = 0;
  for (const viewer of await listRevokedViewers(db, clock.now())) {
    const { provider_id: id, provider_type, properties } = viewer;
    try {
      const adapter = await mediaProvider(dependencies, { id, provider_type, properties });
      await adapter.removeViewer(viewer.room_id, viewer.entry_id);
      removed += 1;
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      // The next round tries again.
      logger.warn({ provider: id, kind: error.kind }, 'a viewer could not be removed');
    }
  }
  return removed;
}
