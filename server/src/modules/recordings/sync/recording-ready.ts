import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { formFieldsOf } from '../../../platform/page/page-form.ts';
import { parseIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import { callbackRoute, readCallbackAddress } from '../../meetings/index.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { attempt } from './attempt.ts';
import { makeCheckDue, findCheck } from './check-store.ts';
import { findReadyByProviderId, findRecordedMeeting } from '../store.ts';
import { checkRooms } from './sync-recordings.ts';

/**
 * The callback for finished recordings. A call only makes Foyer read the recordings from the provider, so lost, repeated
 * and late calls do no harm.
 */
export function registerRecordingCallbacks(server: FastifyInstance, dependencies: Dependencies): void {
  server.post(
    callbackRoute('recording-ready'),
    { config: { hasSecretPath: true, isCallback: true } },
    async (request, reply) => {
      const status = await receiveRecordingReady(dependencies, request);
      return await (reply as FastifyReply).status(status).header('cache-control', 'no-store').send();
    },
  );
}

/** @returns 200, 401 without a valid signature, 404 for an invalid address, 410 for a deleted room */
async function receiveRecordingReady(dependencies: Dependencies, request: FastifyRequest): Promise<number> {
  const { db, clock } = dependencies;
  const { address = '' } = request.params as { address?: string };
  const meetingId = readCallbackAddress(dependencies, 'recording-ready', address);
  if (meetingId === null) return 404;
  const meeting = await findRecordedMeeting(db, meetingId);
  const providerId = meeting?.service_provider_id ?? null;
  if (!meeting || providerId === null) return 410;
  const lookup = await attempt(() => findMeetingProvider(dependencies, providerId));
  const adapter = 'answer' in lookup ? lookup.answer : null;
  const readyRecording = await adapter?.readRecordingReady?.(formFieldsOf(request)['signed_parameters'] ?? '');
  if (!adapter || !readyRecording || readyRecording.meetingId !== meeting.provider_meeting_id) return 401;
  await makeCheckDue(db, providerId, meeting.room_id, clock.now());
  if (await wasJustRead(dependencies, providerId, readyRecording.recordingId)) return 200;
  await checkRoom(dependencies, { providerId, adapter }, meeting.room_id);
  return 200;
}

/** Handles the signed event of a media server that a recording of the room has changed. */
export async function handleRecordingEvent(
  dependencies: Dependencies,
  server: { readonly providerId: Uuid; readonly adapter: MeetingProvider },
  event: { readonly roomId: string },
): Promise<void> {
  const { db, clock } = dependencies;
  const roomId = parseIdentifier('room', event.roomId);
  if (roomId === null) return;
  await makeCheckDue(db, server.providerId, roomId, clock.now());
  await checkRoom(dependencies, server, roomId);
}

/** A failure is ignored, since the job repeats the check. */
async function checkRoom(
  dependencies: Dependencies,
  { providerId, adapter }: { readonly providerId: Uuid; readonly adapter: MeetingProvider },
  roomId: Uuid,
): Promise<void> {
  const check = await findCheck(dependencies.db, providerId, roomId);
  if (check) await checkRooms(dependencies, providerId, adapter, [check]);
}

/** Whether the recording was read from the provider a moment ago. A provider calls once for each format. */
async function wasJustRead({ db, clock }: Dependencies, providerId: Uuid, recordingId: string): Promise<boolean> {
  const row = await findReadyByProviderId(db, providerId, recordingId);
  return typeof row?.synced_at === 'string' && clock.nowMs() - epochMs(row.synced_at) < 10_000;
}
