import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { Failure } from '../../../platform/failures.ts';
import { parseIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import type { MediaEvent } from '../../../providers/media.ts';
import { consumeWithinLimit } from '../../subscriptions/index.ts';
import { lockRoomForVideos } from '../add-video.ts';
import { findVideo, lockVideo, storeVideo } from '../store.ts';
import { readVideoLimits } from '../video-limits.ts';
import { applyStates } from './apply-states.ts';

export type VideoEvent = Extract<MediaEvent, { readonly type: 'video.uploaded' | 'video.changed' }>;

/** The answer to the media server. */
export type TranscodingAnswer =
  | { readonly allow: true; readonly max_height: number | null }
  | { readonly allow: false; readonly code: string; readonly message: string };

/**
 * Handles a signed event of a media server.
 * @returns for `video.uploaded` whether the video may be transcoded. The first such answer charges the minutes.
 */
export async function handleVideoEvent(
  dependencies: Dependencies,
  provider: { readonly id: Uuid },
  event: VideoEvent,
): Promise<TranscodingAnswer | null> {
  if (event.type === 'video.uploaded') return await allowTranscoding(dependencies, provider.id, event);
  await applyStates(dependencies, system, provider.id, [event.video]);
  return null;
}

type UploadedVideo = Extract<VideoEvent, { readonly type: 'video.uploaded' }>;

async function allowTranscoding(
  dependencies: Dependencies,
  providerId: Uuid,
  { videoId, probe }: UploadedVideo,
): Promise<TranscodingAnswer> {
  const id = parseIdentifier('video', videoId);
  const video = id === null ? undefined : await findVideo(dependencies.db, id);
  if (!video || video.service_provider_id !== providerId) return unknownVideo;
  try {
    return await inTransaction(dependencies, system, async (change) => {
      const { tx } = change;
      const room = await lockRoomForVideos(change, { ...video, id: video.room_id });
      const row = await lockVideo(tx, video.id);
      const { max_resolution: maxHeight } = await readVideoLimits(tx, room);
      if (row.charged_minutes === null) {
        const minutes = Math.max(1, Math.ceil(probe.durationSeconds / 60));
        await storeVideo(tx, row.id, { charged_minutes: minutes });
        await consumeWithinLimit(change, row.subscription_id, 'transcoding_minutes', minutes);
      }
      return { allow: true, max_height: maxHeight };
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'conflict') throw error;
    if (error.code === 'not-found') return unknownVideo;
    const code = error.code === 'feature-limit-reached' ? 'transcoding-minutes-used-up' : error.code;
    return { allow: false, code, message: error.message };
  }
}

const unknownVideo: TranscodingAnswer = {
  allow: false,
  code: 'video-unknown',
  message: 'The platform has no such video on this media server.',
};
