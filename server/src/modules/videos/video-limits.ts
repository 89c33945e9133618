import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { Failure } from '../../platform/failures.ts';
import { featuresOfRoom, type RoomRow } from '../rooms/index.ts';
import { sumVideosOfRoom } from './store.ts';

export const gigabyte = 1_000_000_000;

export type VideoLimit = 'max_videos' | 'max_storage' | 'max_upload_size' | 'max_resolution';

/** The effective limits of the room; null for unlimited. */
export async function readVideoLimits(db: Database | Tx, room: RoomRow): Promise<Record<VideoLimit, number | null>> {
  const values = new Map((await featuresOfRoom(db, room)).map(({ tag, used }) => [tag, used]));
  const limit = (tag: VideoLimit) => limitOf(values.get(tag) ?? '0');
  return {
    max_videos: limit('max_videos'),
    max_storage: limit('max_storage'),
    max_upload_size: limit('max_upload_size'),
    max_resolution: limit('max_resolution'),
  };
}

/**
 * The result is exact only if the caller has locked the usages of the subscription and stored the video.
 * @throws 422 `feature-limit-reached` if a limit of the room is exceeded
 */
export async function refuseBeyondRoomLimits(
  tx: Tx,
  room: RoomRow,
  { sizeBytes, isUpload }: { readonly sizeBytes: number; readonly isUpload: boolean },
): Promise<void> {
  const limits = await readVideoLimits(tx, room);
  const { videos, bytes } = await sumVideosOfRoom(tx, room.id);
  const gigabytes = (count: number) => `${count / gigabyte} GB`;
  const limitReached = (tag: VideoLimit, used: number, message: string) =>
    new Failure('feature-limit-reached', message, {
      errors: { [tag]: [message] },
      limit: { subscriptionId: room.subscription_id, tag, limit: String(limits[tag]), used },
    });
  if (isUpload && exceeds(sizeBytes, limits.max_upload_size))
    throw limitReached(
      'max_upload_size',
      Math.ceil(sizeBytes / gigabyte),
      `Files can have up to ${limits.max_upload_size} GB. This file has ${gigabytes(sizeBytes)}.`,
    );
  if (limits.max_videos !== null && videos > limits.max_videos)
    throw limitReached('max_videos', videos - 1, `The room can have up to ${limits.max_videos} videos.`);
  if (exceeds(bytes, limits.max_storage))
    throw limitReached(
      'max_storage',
      Math.ceil((bytes - sizeBytes) / gigabyte),
      `The videos of the room can use up to ${limits.max_storage} GB. With this video they would use ${gigabytes(bytes)}.`,
    );
}

function exceeds(bytes: number, limit: number | null): boolean {
  return limit !== null && bytes > limit * gigabyte;
}
