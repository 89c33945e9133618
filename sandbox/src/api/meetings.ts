import type { Answer } from '../http/answer.ts';
import { endMeeting } from '../world/ending.ts';
import { type Meeting, isRunning } from '../world/meeting.ts';
import { findMeeting, listExistingMeetings } from '../world/world.ts';
import type { ApiCall } from './request/call.ts';
import { readMeetingId } from './request/parameters.ts';
import { printMeeting } from './print-meeting.ts';
import { refusal } from './request/refusals.ts';
import { success } from './request/xml.ts';

export function isMeetingRunning({ world, parameters }: ApiCall): Answer {
  const meeting = findMeeting(world, readMeetingId(parameters));
  return success({ running: meeting !== undefined && isRunning(meeting) });
}

export function getMeetingInfo(call: ApiCall): Answer {
  return success(printMeeting(call.world, existingMeeting(call)));
}

export function getMeetings({ world }: ApiCall): Answer {
  const meetings = listExistingMeetings(world).map((meeting) => printMeeting(world, meeting));
  if (meetings.length > 0) return success({ meetings: { meeting: meetings } });
  return success({
    meetings: '',
    messageKey: 'noMeetings',
    message: 'no meetings were found on this server',
  });
}

/** The meeting no longer exists after the response. */
export function end(call: ApiCall): Answer {
  const meeting = existingMeeting(call);
  endMeeting(call.world, meeting, call.world.clock.now(), 'end-call');
  return success({
    messageKey: 'sentEndMeetingRequest',
    message:
      'A request to end the meeting was sent.  Please wait a few seconds, and then use the getMeetingInfo or isMeetingRunning API calls to verify that it was ended.',
  });
}

export function getSessions({ world }: ApiCall): Answer {
  const sessions = listExistingMeetings(world).flatMap(sessionsOf);
  if (sessions.length > 0) return success({ sessions: { meeting: sessions } });
  return success({
    sessions: '',
    messageKey: 'noSessions',
    message: 'no sessions were found on this server',
  });
}

function existingMeeting({ world, parameters }: ApiCall): Meeting {
  const meeting = findMeeting(world, readMeetingId(parameters));
  if (!meeting) throw refusal('meetingUnknown');
  return meeting;
}

function sessionsOf(meeting: Meeting) {
  return [...meeting.users.values()]
    .filter((user) => user.presence === 'registered' || user.presence === 'joined')
    .map((user) => ({
      meetingID: meeting.internalId,
      meetingName: meeting.name,
      userName: user.fullName,
    }));
}
