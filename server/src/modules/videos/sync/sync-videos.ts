import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { recomputeStoredUsage } from '../../subscriptions/index.ts';
import { mediaServerNamed } from '../media-server.ts';
import { lockVideos, storeVideo, type VideoRow } from '../store.ts';
import { applyStates } from './apply-states.ts';
import { demandRemovals, mediaServersToAsk, unfinishedVideos } from './removal-store.ts';
import { removeFiles } from './remove-files.ts';

const batchSize = 100;

/**
 * Asks the media servers for all videos that are not final, fails uploads that never came, and has the files of deleted
 * videos deleted. A media server that does not answer keeps no other waiting; the next run asks it again.
 * @returns how many videos changed
 */
export async function syncVideos(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const servers = await mediaServersToAsk(db, clock.now());
  const changed = await Promise.all(servers.map((id) => syncServer(dependencies, id)));
  return changed.reduce((sum, count) => sum + count, 0);
}

async function syncServer(dependencies: Dependencies, providerId: Uuid): Promise<number> {
  const { db } = dependencies;
  let changed = await removeFiles(dependencies, providerId);
  let after: Uuid | null = null;
  for (;;) {
    const ids: Uuid[] = await unfinishedVideos(db, providerId, after, batchSize);
    if (ids.length === 0) return changed;
    changed += await askFor(dependencies, providerId, ids);
    changed += await failExpired(dependencies, ids);
    after = ids.at(-1) ?? null;
  }
}

async function askFor(dependencies: Dependencies, providerId: Uuid, ids: readonly Uuid[]): Promise<number> {
  try {
    const { adapter } = await mediaServerNamed(dependencies, providerId);
    return await applyStates(dependencies, system, providerId, await adapter.videos.find(ids));
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: providerId, kind: error.kind }, 'media server told nothing of its videos');
    return 0;
  }
}

/** Uploads that were not complete in time release their storage; what arrived of them is deleted. */
async function failExpired(dependencies: Dependencies, ids: readonly Uuid[]): Promise<number> {
  return await inTransaction(dependencies, system, async (change) => {
    const { tx, now } = change;
    const rows = await lockVideos(tx, ids);
    const expired = rows.filter((row) => isUploading(row) && epochMs(row.upload_expires_at) <= epochMs(now));
    for (const row of expired) {
      const failure = { code: 'upload-expired', message: 'The file was not uploaded in time.' };
      const updated = await storeVideo(tx, row.id, {
        state: 'failed',
        failure: JSON.stringify(failure),
        stored_bytes: 0,
        // Nothing that the media server tells later counts.
        revision: Number.MAX_SAFE_INTEGER,
        updated_at: now,
      });
      await change.emit({
        name: 'video.failed',
        resource: { type: 'Video', id: row.id },
        customerId: row.customer_id,
        before: { ...row },
        after: { ...updated },
      });
    }
    await demandRemovals(tx, expired, now);
    await recomputeStoredUsage(change, [...new Set(expired.map((row) => row.subscription_id))]);
    return expired.length;
  });
}

function isUploading({ state }: VideoRow): boolean {
  return state === 'awaiting-upload' || state === 'uploading';
}
