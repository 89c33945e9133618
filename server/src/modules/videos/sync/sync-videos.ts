import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { recomputeStoredUsage } from '../../subscriptions/index.ts';
import { requireMediaServer } from '../media-server.ts';
import { lockVideos, storeVideo, type VideoRow } from '../store.ts';
import { applyStates } from './apply-states.ts';
import { hideOrShowVideos } from './hide-videos.ts';
import { scheduleRemovals, listExpiredUploads, listMediaServersToPoll, listUnfinishedVideos } from './removal-store.ts';
import { removeFiles } from './remove-files.ts';

const batchSize = 100;

/**
 * Reads all videos that are not final from the media servers, fails overdue uploads, deletes the files of deleted
 * videos, and tells the media servers which videos are hidden. Media servers are polled in parallel. A server that does not respond is polled again by the next run.
 * @returns how many videos changed
 */
export async function syncVideos(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const servers = await listMediaServersToPoll(db, clock.now());
  const changed = await Promise.all(servers.map((id) => syncServer(dependencies, id)));
  return changed.reduce((sum, count) => sum + count, 0);
}

async function syncServer(dependencies: Dependencies, providerId: Uuid): Promise<number> {
  const { db } = dependencies;
  let changed = await removeFiles(dependencies, providerId);
  await hideOrShowVideos(dependencies, providerId);
  let isAvailable = true;
  let after: Uuid | null = null;
  for (;;) {
    const ids: Uuid[] = await listUnfinishedVideos(db, providerId, after, batchSize);
    if (ids.length === 0) return changed;
    const polled: number | null = isAvailable ? await pollVideos(dependencies, providerId, ids) : null;
    isAvailable = polled !== null;
    changed += (polled ?? 0) + (await failExpired(dependencies, ids));
    after = ids.at(-1) ?? null;
  }
}

/** @returns how many changed; null if the media server does not respond */
async function pollVideos(dependencies: Dependencies, providerId: Uuid, ids: readonly Uuid[]): Promise<number | null> {
  try {
    const { adapter } = await requireMediaServer(dependencies, providerId);
    return await applyStates(dependencies, system, providerId, await adapter.videos.find(ids));
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: providerId, kind: error.kind }, 'media server did not return its videos');
    return null;
  }
}

/** Uploads that were not completed in time fail and release their storage; partial files are deleted. */
async function failExpired(dependencies: Dependencies, videoIds: readonly Uuid[]): Promise<number> {
  const ids = await listExpiredUploads(dependencies.db, videoIds, dependencies.clock.now());
  if (ids.length === 0) return 0;
  return await inTransaction(dependencies, system, async (change) => {
    const { tx, now } = change;
    const expired = (await lockVideos(tx, ids)).filter(isUploading);
    for (const row of expired) {
      const failure = { code: 'upload-expired', message: 'The file was not uploaded in time.' };
      const updated = await storeVideo(tx, row.id, {
        state: 'failed',
        failure: JSON.stringify(failure),
        stored_bytes: 0,
        // Later reports of the media server are ignored.
        revision: Number.MAX_SAFE_INTEGER,
        updated_at: now,
      });
      await change.emit(rowEvent('video.failed', { customerId: row.customer_id, before: row, after: updated }));
    }
    await scheduleRemovals(tx, expired, now);
    await recomputeStoredUsage(change, [...new Set(expired.map((row) => row.subscription_id))]);
    return expired.length;
  });
}

function isUploading({ state }: VideoRow): boolean {
  return state === 'awaiting-upload' || state === 'uploading';
}
