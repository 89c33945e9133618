import { afterCommit } from '../../database/one-transaction.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import { conflict, notFound } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { recomputeStoredUsage } from '../subscriptions/index.ts';
import { lockVideo, lockVideosOfRoom, removeVideos, type VideoRow } from './store.ts';
import { removeFiles } from './sync/remove-files.ts';
import { scheduleRemovals } from './sync/removal-store.ts';

/**
 * Deletes the video immediately. The request to the media server is repeated until the files are deleted. @throws 404
 */
export async function deleteVideo(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await checkAndDelete(dependencies, actor, id, () => {});
}

/** Deletes a video of the room whose file has not arrived completely. @throws 404, 409 `conflict` */
export async function discardUpload(
  dependencies: Dependencies,
  actor: Actor,
  { videoId, roomId }: { readonly videoId: Uuid; readonly roomId: Uuid },
): Promise<void> {
  await checkAndDelete(dependencies, actor, videoId, (video) => {
    if (video.room_id !== roomId) throw notFound();
    if (video.state !== 'awaiting-upload' && video.state !== 'uploading')
      throw conflict('conflict', 'The file has been uploaded completely.');
  });
}

async function checkAndDelete(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  check: (video: VideoRow) => void,
): Promise<void> {
  const row = await inTransaction(dependencies, actor, async (change) => {
    const locked = await lockVideo(change.tx, id);
    check(locked);
    await deleteVideos(change, [locked]);
    return locked;
  });
  await afterCommit(async () => {
    await removeFiles(dependencies, row.service_provider_id, id);
  });
}

export async function deleteVideosOfRoom(change: Change, { roomId }: ReactionSubjects['room.deleting']): Promise<void> {
  await deleteVideos(change, await lockVideosOfRoom(change.tx, roomId));
}

/** The caller locks the rows. */
async function deleteVideos(change: Change, rows: readonly VideoRow[]): Promise<void> {
  if (rows.length === 0) return;
  await scheduleRemovals(change.tx, rows, change.now);
  await removeVideos(
    change.tx,
    rows.map(({ id }) => id),
  );
  await change.emitAll(rows.map((row) => rowEvent('video.deleted', { customerId: row.customer_id, before: row })));
  await recomputeStoredUsage(change, [...new Set(rows.map((row) => row.subscription_id))]);
}
