import type { Capabilities, MeetingPlan, FullMeetingProvider, OpenedMeeting } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { identifier, isTrue, malformed, moment, text } from './request/answer.ts';
import { callApi, callWithLongParameters, callForList, type ProviderParts } from './request/call-api.ts';
import { readAttendance, readEvents, readRecordingReady } from './callbacks.ts';
import { checkProvider, readVersion } from './check-provider.ts';
import { createParameters, ownershipMark } from './create-parameters.ts';
import { listen, stopListening } from './hooks.ts';
import { absentMeeting, collectMeetings, readMeeting } from './meeting.ts';
import { deleteRecording, findRecordings, publishRecording, recordings, updateRecording } from './recordings.ts';
import { signedUrl } from './request/signed-request.ts';
import { textTracks } from './text-tracks.ts';

export const bigbluebuttonCapabilities: Capabilities = {
  hooks: true,
  sendChatMessage: true,
  textTracks: true,
  redirectFalse: true,
  recordingPagination: true,
  sha384: true,
  adminApi: false,
  recordingSizes: true,
  canHideList: false,
};

/** A BigBlueButton server, or another server with its API; `differences` describes where it differs. */
export function createBigBlueButton(
  parts: ProviderParts,
  { type = 'bigbluebutton', capabilities = bigbluebuttonCapabilities, callCreate = callWithLongParameters } = {},
): FullMeetingProvider {
  const { providerId, signer } = parts;
  return {
    type,
    capabilities,
    open: (plan) => openMeeting(parts, plan, callCreate),
    entryFor(meeting, participant) {
      return signedUrl(signer, 'join', {
        fullName: participant.fullName,
        meetingID: meeting.meetingId,
        userID: participant.userId,
        role: participant.role === 'moderator' ? 'MODERATOR' : 'VIEWER',
        createTime: String(meeting.createdAtMs),
        ...(participant.role === 'guest' ? { guest: 'true' } : {}),
        ...(participant.mayShareWebcam === false ? { 'userdata-bbb_enable_video': 'false' } : {}),
        ...(participant.refusalUrl === undefined ? {} : { errorRedirectUrl: participant.refusalUrl }),
      });
    },
    async state(meetingId) {
      try {
        return readMeeting(providerId, await callApi(parts, 'getMeetingInfo', { meetingID: meetingId }), meetingId);
      } catch (error) {
        if (isUnknown(error)) return absentMeeting(meetingId);
        throw error;
      }
    },
    async states() {
      const list = collectMeetings();
      await callForList(parts, 'getMeetings', {}, list);
      return list.meetings();
    },
    async isRunning(meetingId) {
      const answer = await callApi(parts, 'isMeetingRunning', { meetingID: meetingId });
      if (text(answer, 'running') === null) throw malformed(providerId);
      return isTrue(answer, 'running');
    },
    async end(meetingId) {
      try {
        await callApi(parts, 'end', { meetingID: meetingId });
      } catch (error) {
        if (!isUnknown(error)) throw error;
      }
    },
    async say(meetingId, message, sender) {
      await callApi(parts, 'sendChatMessage', {
        meetingID: meetingId,
        message: message.slice(0, 500),
        userName: sender,
      });
    },
    listen: (callbackUrl) => listen(parts, callbackUrl),
    stopListening: (hookId) => stopListening(parts, hookId),
    readEvents: (call) => readEvents(signer.secret, call),
    readAttendance: (call) => readAttendance(signer.secret, call),
    recordings: (filter) => recordings(parts, filter, capabilities.recordingPagination),
    findRecordings: (recordingIds) => findRecordings(parts, recordingIds),
    publishRecording: (recordingId, isPublished) => publishRecording(parts, recordingId, isPublished),
    deleteRecording: (recordingId) => deleteRecording(parts, recordingId),
    updateRecording: (recordingId, metadata) => updateRecording(parts, recordingId, metadata),
    textTracks: (recordingId) => (capabilities.textTracks ? textTracks(parts, recordingId) : Promise.resolve([])),
    readRecordingReady: (signed) => readRecordingReady(signer.secret, signed),
    version: () => readVersion(parts),
    obstacle: () => Promise.resolve(null),
    check: () => checkProvider(parts),
  };
}

async function openMeeting(
  parts: ProviderParts,
  plan: MeetingPlan,
  callCreate: typeof callApi,
): Promise<OpenedMeeting> {
  const { meetingId } = plan;
  const parameters = createParameters(plan);
  try {
    const answer = await callCreate(parts, 'create', parameters);
    const internalId = identifier(answer, 'internalMeetingID');
    const createdAtMs = moment(answer, 'createTime');
    if (!internalId || !createdAtMs) throw malformed(parts.providerId);
    if (isTrue(answer, 'hasBeenForciblyEnded')) throw stillEnding(parts.providerId);
    return { meetingId, internalId, createdAtMs, already: text(answer, 'messageKey') === 'duplicateWarning' };
  } catch (error) {
    if (error instanceof ProviderFailure && error.messageKey === 'idNotUnique') return await adopt(parts, plan, error);
    throw error;
  }
}

/**
 * Whether a meeting with this id but other passwords is ours, as after a change of the secret from which passwords are
 * derived.
 */
async function adopt(parts: ProviderParts, { meetingId }: MeetingPlan, refusal: ProviderFailure) {
  const answer = await callApi(parts, 'getMeetingInfo', { meetingID: meetingId });
  const { exists, metadata, internalId, createdAtMs } = readMeeting(parts.providerId, answer, meetingId);
  const isOurs = metadata[ownershipMark] === meetingId;
  if (!exists || !isOurs || internalId === null || createdAtMs === null) throw refusal;
  return { meetingId, internalId, createdAtMs, already: true };
}

/** For some seconds after its end, a meeting still exists but cannot be joined. */
function stillEnding(providerId: string): ProviderFailure {
  return new ProviderFailure('refused', providerId, 'The meeting was ended and is not gone yet.', {
    messageKey: 'meetingForciblyEnded',
  });
}

function isUnknown(error: unknown): boolean {
  return error instanceof ProviderFailure && error.messageKey === 'notFound';
}
