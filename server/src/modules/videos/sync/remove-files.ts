import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { isOutage, ProviderFailure } from '../../../providers/provider-failure.ts';
import { requireMediaServer } from '../media-server.ts';
import { postponeRemoval, deleteRemoval, claimRemovals } from './removal-store.ts';

/**
 * Deletes the files of one deleted video on the media server, or of all that are due.
 * @returns how many were deleted
 */
export async function removeFiles(
  dependencies: Dependencies,
  providerId: Uuid,
  videoId: Uuid | null = null,
): Promise<number> {
  const { db, clock, logger } = dependencies;
  let removed = 0;
  for (;;) {
    const removals = await claimRemovals(db, providerId, clock.now(), videoId);
    if (removals.length === 0) return removed;
    for (const { video_id: id, attempts } of removals) {
      try {
        const { adapter } = await requireMediaServer(dependencies, providerId);
        await adapter.videos.remove(id);
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error;
        logger.warn({ provider: providerId, kind: error.kind, attempts }, 'media server did not delete the video');
        const seconds = isOutage(error) ? 60 : Math.min(attempts, 24) * 3600;
        await postponeRemoval(db, id, instantOfMicroseconds((clock.nowMs() + seconds * 1000) * 1000));
        if (isOutage(error)) return removed;
        continue;
      }
      await deleteRemoval(db, id);
      removed += 1;
    }
  }
}
