import { scopeOf } from '@foyer/contract/conventions/permissions.ts';
import type { Dependencies } from '../../dependencies.ts';
import { conflict, forbidden, invalidInput } from '../../platform/failures.ts';
import type { Principal, CallOf } from '../../platform/http/input/call.ts';
import { inScope, requirePermission, requireRight } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { isMediaProvider, type MediaProvider } from '../../providers/media.ts';
import { rightsOf } from '../memberships/index.ts';
import { isReady, type RecordingRow, requireRecording } from '../recordings/index.ts';
import { requireRoom } from '../rooms/index.ts';
import { findServiceProvider, meetingProvider } from '../service-providers/index.ts';
import { addVideo, newVideoColumns, refuseUnusableRoom } from './add-video.ts';
import { callMediaServer, chooseMediaServer } from './media-server.ts';
import type { VideoRow } from './store.ts';

/**
 * Creates a video whose file the media server of the room copies from the recording.
 * @throws as `addVideo`, and 404, 409 `recording-not-ready` and `recording-not-copyable`
 */
export async function copyRecordingToRoom(
  dependencies: Dependencies,
  { actor, principal, params: { recording_id: recordingId }, body: { room_id: roomId } }: CallOf<'copyRecordingToRoom'>,
): Promise<VideoRow> {
  const { db } = dependencies;
  await requireAccess(dependencies, principal, roomId);
  const recording = await requireRecording(db, recordingId);
  const room = await requireRoom(db, roomId);
  if (room.customer_id !== recording.customer_id)
    throw invalidInput({ room_id: ["The room must be of the recording's customer."] });
  refuseUnusableRoom(room);
  const source = await requireSource(dependencies, recording);
  const server = await chooseMediaServer(dependencies, room);
  const video = {
    ...newVideoColumns(dependencies, room, server),
    name: recording.name,
    size_bytes: recording.size_bytes ?? 0,
    published: recording.published,
  };
  const key = { roomId: recording.room_id, recordingId: recording.provider_recording_id };
  const { stored } = await addVideo(dependencies, actor, { room, server, video, isUpload: false }, (plan) =>
    server.adapter.videos.copy(plan, source.copyAddress(key, plan.expiresAtMs)),
  );
  return stored;
}

/**
 * Checks the rights that the access rule of the endpoint does not cover.
 * @throws 403, 422 for a room that the user cannot see
 */
async function requireAccess({ db }: Dependencies, principal: Principal | null, roomId: Uuid): Promise<void> {
  if (principal?.kind !== 'user') {
    if (principal) requirePermission(principal, 'read-recordings');
    return;
  }
  if (!inScope(principal, 'read-recordings'))
    throw forbidden('forbidden', `This needs the scope ${scopeOf('read-recordings')}.`);
  const userRights = await rightsOf(db, principal.id, 'room', roomId);
  if (!userRights?.rights.has('read-room')) throw invalidInput({ room_id: ['The selected room id is invalid.'] });
  requireRight(userRights, 'manage-videos');
}

/** The media server that has the recording. @throws 409 */
async function requireSource(dependencies: Dependencies, recording: RecordingRow): Promise<MediaProvider> {
  const { service_provider_id: providerId, state, size_bytes: size } = recording;
  const row = providerId === null ? undefined : await findServiceProvider(dependencies.db, providerId);
  const adapter = row && (await callMediaServer(() => meetingProvider(dependencies, row)));
  if (!adapter || !isMediaProvider(adapter))
    throw conflict('recording-not-copyable', 'Only recordings of media servers can be copied to a room.');
  if (!isReady(state) || !size)
    throw conflict('recording-not-ready', 'The recording is still being processed. Try again later.');
  return adapter;
}
