import { useSyncExternalStore } from 'react';
import { client, describeFailure, refreshEverything } from '../../../kit/api/client.ts';
import { createUploadQueue, type QueuedUpload, titleOf } from '../../../kit/uploads/upload-queue.ts';
import { describeUploadFailure } from './upload-words.ts';

/** Global, so that uploads continue while other screens are shown. */
export const uploadQueue = createUploadQueue({
  async create(roomId, file) {
    const { data: video } = await client.createVideo({
      params: { room_id: roomId },
      body: { name: titleOf(file.name), size_bytes: file.size, content_type: file.type || null },
    });
    const { url = '', expires_at: expiresAt = '' } = video.upload ?? {};
    return { videoId: video.id, url, expiresAt };
  },
  async discard(videoId) {
    await client.deleteVideo({ params: { video_id: videoId } });
  },
  emptyFile: 'The file is empty.',
  describeFailure,
  describeRefusal: describeUploadFailure,
  onVideoChange: () => void refreshEverything(),
});

export function useUploads(): readonly QueuedUpload[] {
  return useSyncExternalStore(uploadQueue.subscribe, uploadQueue.uploads);
}
