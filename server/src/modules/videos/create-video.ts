import type { videoEndpoints } from '@foyer/contract/resources/media/video.ts';
import type { Insertable } from 'kysely';
import type { Videos } from '../../database/tables.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, dryRun, inTransaction } from '../../events/change.ts';
import { conflict, Failure, forbidden, invalidInput } from '../../platform/failures.ts';
import type { Call } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';
import { lockAccountForUse } from '../accounts/index.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import { callbackAddress } from '../meetings/index.ts';
import { lockRoomForKeyShare, requireRoom, type RoomRow } from '../rooms/index.ts';
import { lockSubscriptionForUse, reserveStored } from '../subscriptions/index.ts';
import { askMediaServer, type MediaServer, mediaServerOfRoom } from './media-server.ts';
import { findProviderOfRoom, insertVideo, type VideoRow } from './store.ts';
import type { PrintedVideo } from './transformer.ts';
import { gigabyte, refuseBeyondRoomLimits } from './video-limits.ts';

const uploadMs = 24 * 3_600_000;

/**
 * Creates a video with an address to upload its file. The media server is asked first. If storing fails then, the
 * unused upload expires.
 * @throws 404, 409 and 403 if nothing can be created in the room, 422 `feature-limit-reached`, 503
 * `provider-unavailable`
 */
export async function createVideo(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId }, body: input }: Call<(typeof videoEndpoints)['createVideo']>,
): Promise<PrintedVideo> {
  const { db, clock } = dependencies;
  const room = await requireRoom(db, roomId);
  refuseUnusable(room);
  refuseContentType(input.content_type ?? null);
  const server = await mediaServerOfRoom(dependencies, room);
  const expiresAtMs = clock.nowMs() + uploadMs;
  const video: NewVideo = {
    id: newUuid(),
    room_id: room.id,
    customer_id: room.customer_id,
    subscription_id: room.subscription_id,
    service_provider_id: server.id,
    name: input.name,
    description: input.description ?? null,
    state: 'awaiting-upload',
    size_bytes: input.size_bytes,
    published: input.published ?? true,
    sort_order: input.sort_order ?? 0,
    video_metadata: JSON.stringify(input.video_metadata ?? {}),
    upload_expires_at: instantOfMicroseconds(expiresAtMs * 1000),
  };
  await dryRun(dependencies, actor, (change) => addVideo(change, room, video));
  const upload = await askMediaServer(() =>
    server.adapter.videos.prepare({
      videoId: video.id,
      roomId: room.id,
      sizeBytes: input.size_bytes,
      expiresAtMs,
      callbackUrl: callbackAddress(dependencies, 'media-events', server.id),
    }),
  );
  const stored = await storeOrWithdraw(server, video.id, () =>
    inTransaction(dependencies, actor, (change) => addVideo(change, room, video)),
  );
  const expiresAt = instantOfMicroseconds(upload.expiresAtMs * 1000);
  return { ...stored, upload: { protocol: 'tus', url: upload.url, expires_at: expiresAt } };
}

type NewVideo = Omit<Insertable<Videos>, 'created_at' | 'updated_at' | 'size_bytes'> & { readonly size_bytes: number };

function refuseUnusable({ room_type: type, status }: RoomRow): void {
  if (type !== 'video') throw conflict('not-a-video-room', `A room of the type ${type} has no videos.`);
  if (status !== 'active')
    throw forbidden('room-inactive', 'The room is inactive, so nothing new can be created in it.');
}

/** Some browsers do not know the type of a file: the media server looks at the file itself. */
function refuseContentType(type: string | null): void {
  if (
    type === null ||
    /^(?:video|audio)\//i.test(type) ||
    /^application\/(?:octet-stream|mp4|mxf|ogg|x-matroska)/i.test(type)
  )
    return;
  throw invalidInput({ content_type: ['The file is not a video.'] });
}

async function addVideo(change: Change, room: RoomRow, video: NewVideo): Promise<VideoRow> {
  const { tx, now, emit } = change;
  await lockCustomerForUse(tx, room.customer_id, 'room_id');
  await lockSubscriptionForUse(change, room.subscription_id, 'room_id');
  const current = await requireRoom(tx, room.id);
  await lockAccountForUse(tx, current.account_id, 'room_id');
  refuseUnusable(await lockRoomForKeyShare(tx, room.id));
  const row = await insertVideo(tx, { ...video, created_at: now, updated_at: now });
  await emit({
    name: 'video.created',
    resource: { type: 'Video', id: row.id },
    customerId: row.customer_id,
    after: { ...row },
  });
  const gigabytes = Math.ceil(video.size_bytes / gigabyte);
  await reserveStored(change, room.subscription_id, { max_videos: 1, max_storage: gigabytes });
  await refuseBeyondRoomLimits(tx, current, video.size_bytes);
  const other = await findProviderOfRoom(tx, room.id, row.id);
  // Another first video of the room was created at the same time on another media server.
  if (other !== null && other !== row.service_provider_id)
    throw conflict('conflict', 'Another video of the room was created at the same time. Try again.');
  return row;
}

/**
 * Cancels the upload of a refused video. If the outcome is unknown, the upload stays, and expires if it is not used.
 */
async function storeOrWithdraw(
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
