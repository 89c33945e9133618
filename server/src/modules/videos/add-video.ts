import type { Insertable } from 'kysely';
import type { Videos } from '../../database/tables.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, dryRun, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict, Failure, forbidden } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { epochMs, instantOfMicroseconds } from '../../platform/time/instant.ts';
import type { UploadPlan } from '../../providers/media.ts';
import { lockAccountForUse } from '../accounts/index.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import { callbackAddress } from '../meetings/index.ts';
import { lockRoomForKeyShare, requireRoom, type RoomRow } from '../rooms/index.ts';
import { lockSubscriptionForUse, reserveStoredAmounts } from '../subscriptions/index.ts';
import { callMediaServer, type MediaServer } from './media-server.ts';
import { findProviderOfRoom, insertVideo, type VideoRow } from './store.ts';
import { gigabyte, refuseBeyondRoomLimits } from './video-limits.ts';

/** How long the file may take to arrive. */
const transferMs = 24 * 3_600_000;

export interface VideoToAdd {
  readonly room: RoomRow;
  readonly server: MediaServer;
  readonly video: NewVideo;
  /** Whether the file is uploaded, so that `max_upload_size` applies. */
  readonly isUpload: boolean;
}

type NewVideo = Omit<Insertable<Videos>, 'created_at' | 'updated_at' | 'size_bytes'> & {
  readonly size_bytes: number;
  readonly upload_expires_at: string;
};

/** The columns that uploaded and copied videos have in common. */
export function newVideoColumns({ clock }: Pick<Dependencies, 'clock'>, room: RoomRow, server: MediaServer) {
  return {
    id: newUuid(),
    room_id: room.id,
    customer_id: room.customer_id,
    subscription_id: room.subscription_id,
    service_provider_id: server.id,
    state: 'awaiting-upload' as const,
    upload_expires_at: instantOfMicroseconds((clock.nowMs() + transferMs) * 1000),
  };
}

/**
 * Adds a video to the room. Asks the media server first: if the video cannot be stored afterwards, the unused file
 * expires there.
 * @param prepare sends the request to the media server
 * @throws 404, 409 and 403 if nothing can be created in the room, 422 `feature-limit-reached`, 503
 * `provider-unavailable`
 */
export async function addVideo<Answer>(
  dependencies: Dependencies,
  actor: Actor,
  videoToAdd: VideoToAdd,
  prepare: (plan: UploadPlan) => Promise<Answer>,
): Promise<{ readonly stored: VideoRow; readonly answer: Answer }> {
  const { server, video } = videoToAdd;
  await dryRun(dependencies, actor, (change) => insertInRoom(change, videoToAdd));
  const answer = await callMediaServer(() =>
    prepare({
      videoId: video.id,
      roomId: video.room_id,
      sizeBytes: video.size_bytes,
      expiresAtMs: epochMs(video.upload_expires_at),
      callbackUrl: callbackAddress(dependencies, 'media-events', server.id),
    }),
  );
  const stored = await storeOrRemoveFile(server, video.id, () =>
    inTransaction(dependencies, actor, (change) => insertInRoom(change, videoToAdd)),
  );
  return { stored, answer };
}

export function refuseUnusableRoom({ room_type: type, status }: RoomRow): void {
  if (type !== 'video') throw conflict('not-a-video-room', `A room of the type ${type} has no videos.`);
  if (status !== 'active')
    throw forbidden('room-inactive', 'The room is inactive, so nothing new can be created in it.');
}

/** @throws 403, 409, 422 if the room, its account, subscription or customer may not be used */
export async function lockRoomForVideos(
  change: Change,
  room: Pick<RoomRow, 'id' | 'customer_id' | 'subscription_id'>,
): Promise<RoomRow> {
  const { tx } = change;
  await lockCustomerForUse(tx, room.customer_id, 'room_id');
  await lockSubscriptionForUse(change, room.subscription_id, 'room_id');
  const current = await requireRoom(tx, room.id);
  await lockAccountForUse(tx, current.account_id, 'room_id');
  refuseUnusableRoom(await lockRoomForKeyShare(tx, room.id));
  return current;
}

async function insertInRoom(change: Change, { room, video, isUpload }: VideoToAdd): Promise<VideoRow> {
  const { tx, now, emit } = change;
  const current = await lockRoomForVideos(change, room);
  const row = await insertVideo(tx, { ...video, created_at: now, updated_at: now });
  await emit(rowEvent('video.created', { customerId: row.customer_id, after: row }));
  const gigabytes = Math.ceil(video.size_bytes / gigabyte);
  await reserveStoredAmounts(change, room.subscription_id, { max_videos: 1, max_storage: gigabytes });
  await refuseBeyondRoomLimits(tx, current, { sizeBytes: video.size_bytes, isUpload });
  const otherProviderId = await findProviderOfRoom(tx, room.id, row.id);
  // Another first video of the room was created at the same time on another media server.
  if (otherProviderId !== null && otherProviderId !== row.service_provider_id)
    throw conflict('conflict', 'Another video of the room was created at the same time. Try again.');
  return row;
}

/** Removes the file if the video is rejected. If the outcome is unknown, an unused file expires. */
async function storeOrRemoveFile(
  { adapter }: MediaServer,
  id: string,
  store: () => Promise<VideoRow>,
): Promise<VideoRow> {
  try {
    return await store();
  } catch (error) {
    if (error instanceof Failure) await adapter.videos.remove(id).catch(() => undefined);
    throw error;
  }
}
