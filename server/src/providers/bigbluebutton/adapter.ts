import type { Capabilities, MeetingPlan, FullMeetingProvider, OpenedMeeting } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { identifier, isTrue, malformed, moment, text } from './request/answer.ts';
import { callApi, callWithLongParameters, callForList, type BigBlueButtonConnection } from './request/call-api.ts';
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

/** A BigBlueButton server, or another server with its API, whose differences are in the second parameter. */
export function createBigBlueButton(
  connection: BigBlueButtonConnection,
  { type = 'bigbluebutton', capabilities = bigbluebuttonCapabilities, callCreate = callWithLongParameters } = {},
): FullMeetingProvider {
  const { providerId, signer } = connection;
  return {
    type,
    capabilities,
    open: (plan) => openMeeting(connection, plan, callCreate),
    joinUrlFor(meeting, participant) {
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
        return readMeeting(
          providerId,
          await callApi(connection, 'getMeetingInfo', { meetingID: meetingId }),
          meetingId,
        );
      } catch (error) {
        if (isUnknown(error)) return absentMeeting(meetingId);
        throw error;
      }
    },
    async states() {
      const list = collectMeetings();
      await callForList(connection, 'getMeetings', {}, list);
      return list.meetings();
    },
    async isRunning(meetingId) {
      const answer = await callApi(connection, 'isMeetingRunning', { meetingID: meetingId });
      if (text(answer, 'running') === null) throw malformed(providerId);
      return isTrue(answer, 'running');
    },
    async end(meetingId) {
      try {
        await callApi(connection, 'end', { meetingID: meetingId });
      } catch (error) {
        if (!isUnknown(error)) throw error;
      }
    },
    async sendChatMessage(meetingId, message, sender) {
      await callApi(connection, 'sendChatMessage', {
        meetingID: meetingId,
        message: message.slice(0, 500),
        userName: sender,
      });
    },
    listen: (callbackUrl) => listen(connection, callbackUrl),
    stopListening: (hookId) => stopListening(connection, hookId),
    readEvents: (call) => readEvents(signer.secret, call),
    readAttendance: (call) => readAttendance(signer.secret, call),
    recordings: (filter) => recordings(connection, filter, capabilities.recordingPagination),
    findRecordings: (recordingIds) => findRecordings(connection, recordingIds),
    publishRecording: (recordingId, isPublished) => publishRecording(connection, recordingId, isPublished),
    deleteRecording: (recordingId) => deleteRecording(connection, recordingId),
    updateRecording: (recordingId, metadata) => updateRecording(connection, recordingId, metadata),
    textTracks: (recordingId) => (capabilities.textTracks ? textTracks(connection, recordingId) : Promise.resolve([])),
    readRecordingReady: (signed) => readRecordingReady(signer.secret, signed),
    version: () => readVersion(connection),
    readProblem: () => Promise.resolve(null),
    check: () => checkProvider(connection),
  };
}

async function openMeeting(
  connection: BigBlueButtonConnection,
  plan: MeetingPlan,
  callCreate: typeof callApi,
): Promise<OpenedMeeting> {
  const { meetingId } = plan;
  const parameters = createParameters(plan);
  try {
    const answer = await callCreate(connection, 'create', parameters);
    const internalId = identifier(answer, 'internalMeetingID');
    const createdAtMs = moment(answer, 'createTime');
    if (!internalId || !createdAtMs) throw malformed(connection.providerId);
    if (isTrue(answer, 'hasBeenForciblyEnded')) throw stillEnding(connection.providerId);
    return { meetingId, internalId, createdAtMs, wasOpen: text(answer, 'messageKey') === 'duplicateWarning' };
  } catch (error) {
    if (error instanceof ProviderFailure && error.messageKey === 'idNotUnique')
      return await findOwnMeeting(connection, plan, error);
    throw error;
  }
}

/**
 * Returns the open meeting that has this id but other passwords, if it is ours. This happens after a change of the secret
 * from which passwords are derived.
 * @throws the refusal for another meeting
 */
async function findOwnMeeting(
  connection: BigBlueButtonConnection,
  { meetingId }: MeetingPlan,
  refusal: ProviderFailure,
) {
  const answer = await callApi(connection, 'getMeetingInfo', { meetingID: meetingId });
  const { exists, metadata, internalId, createdAtMs } = readMeeting(connection.providerId, answer, meetingId);
  const isOurs = metadata[ownershipMark] === meetingId;
  if (!exists || !isOurs || internalId === null || createdAtMs === null) throw refusal;
  return { meetingId, internalId, createdAtMs, wasOpen: true };
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
