import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { refuseChanged, withoutUndefined } from '../../platform/immutable.ts';
import { lockVideo, storeVideo, type VideoRow } from './store.ts';
import { hideOrShowVideo } from './sync/hide-videos.ts';

/** @throws 404 */
export async function updateVideo(
  dependencies: Dependencies,
  { actor, params: { video_id: id }, body: input, immutable }: CallOf<'updateVideo'>,
): Promise<VideoRow> {
  const video = await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockVideo(tx, id);
    refuseChanged(immutable, row);
    const { name, description, published, sort_order, video_metadata: metadata } = input;
    const changes = withoutUndefined({ name, description, published, sort_order });
    const isChanged =
      Object.entries(changes).some(([member, value]) => row[member as keyof VideoRow] !== value) ||
      (metadata !== undefined && JSON.stringify(metadata ?? {}) !== JSON.stringify(row.video_metadata));
    if (!isChanged) return row;
    const updated = await storeVideo(tx, id, {
      ...changes,
      ...(metadata === undefined ? {} : { video_metadata: JSON.stringify(metadata ?? {}) }),
      updated_at: now,
    });
    await emit(rowEvent('video.updated', { customerId: row.customer_id, before: row, after: updated }));
    return updated;
  });
  await hideOrShowVideo(dependencies, id);
  return video;
}
