import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { requireMediaServer } from '../media-server.ts';
import { findHiddenToSend, listVideosToHideOrShow, storeHiddenSent } from './removal-store.ts';

/**
 * Tells the media server whether the video is hidden, if it does not know. If it does not respond, the job tries again.
 * @returns whether the media server knows
 */
export async function hideOrShowVideo(dependencies: Dependencies, id: Uuid): Promise<boolean> {
  const { db, logger } = dependencies;
  // Reads the video again after each request, because another request may have changed it in the meantime.
  for (;;) {
    const next = await findHiddenToSend(db, id);
    if (!next) return true;
    const { service_provider_id: providerId, is_hidden: isHidden } = next;
    try {
      const { adapter } = await requireMediaServer(dependencies, providerId);
      await adapter.videos.setHidden(id, isHidden);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      logger.warn({ provider: providerId, kind: error.kind }, 'media server was not told that a video is hidden');
      return false;
    }
    await storeHiddenSent(db, id, isHidden);
  }
}

/** Does so for all videos of the media server, until it does not respond. */
export async function hideOrShowVideos(dependencies: Dependencies, providerId: Uuid): Promise<void> {
  for (const id of await listVideosToHideOrShow(dependencies.db, providerId))
    if (!(await hideOrShowVideo(dependencies, id))) return;
}
