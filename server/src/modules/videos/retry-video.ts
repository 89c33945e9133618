import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { recomputeStoredUsage, reserveStoredAmounts } from '../subscriptions/index.ts';
import { callMediaServer, requireMediaServer } from './media-server.ts';
import { lockVideo, requireVideo, storeVideo, type VideoRow } from './store.ts';
import { applyStates } from './sync/apply-states.ts';
import { gigabyte } from './video-limits.ts';

/**
 * Processes a failed video again.
 * @throws 404, 409 `video-not-failed`, 422 `feature-limit-reached`, 503 `provider-unavailable`
 */
export async function retryVideo(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<VideoRow> {
  const row = await reserveStorage(dependencies, actor, id);
  try {
    const { adapter } = await callMediaServer(() => requireMediaServer(dependencies, row.service_provider_id));
    const state = await callMediaServer(() => adapter.videos.retry(id), createNoFileError);
    if (state.state === 'failed') throw createNoFileError();
    await applyStates(dependencies, actor, row.service_provider_id, [state]);
  } catch (error) {
    await undoReservation(dependencies, row);
    throw error;
  }
  return await requireVideo(dependencies.db, id);
}

function createNoFileError() {
  return conflict(
    'video-not-failed',
    'The media server does not have the complete file. Create another video and upload the file again.',
  );
}

/** Reserves the storage of the video as for a new upload. @returns the row before this change */
async function reserveStorage(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<VideoRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const row = await lockVideo(change.tx, id);
    if (row.state !== 'failed') throw conflict('video-not-failed', 'Only a failed video can be processed again.');
    if (row.failure?.code === 'upload-expired')
      throw conflict(
        'video-not-failed',
        'The upload was not completed. Create another video and upload the file again.',
      );
    await storeVideo(change.tx, id, { stored_bytes: null });
    const additionalGigabytes = Math.ceil((row.size_bytes - (row.stored_bytes ?? row.size_bytes)) / gigabyte);
    if (additionalGigabytes > 0)
      await reserveStoredAmounts(change, row.subscription_id, { max_storage: additionalGigabytes });
    return row;
  });
}

/** Called if the media server did not start processing. */
async function undoReservation(dependencies: Dependencies, { id, stored_bytes: stored }: VideoRow): Promise<void> {
  await inTransaction(dependencies, system, async (change) => {
    const row = await lockVideo(change.tx, id);
    if (row.state !== 'failed' || row.stored_bytes !== null) return;
    await storeVideo(change.tx, id, { stored_bytes: stored });
    await recomputeStoredUsage(change, [row.subscription_id]);
  });
}
