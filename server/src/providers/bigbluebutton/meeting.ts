import type { Attendee, MeetingState } from '../meeting-provider.ts';
import {
  type Element,
  element,
  elements,
  headcount,
  isTrue,
  malformed,
  moment,
  text,
  texts,
  wholeNumber,
} from './answer.ts';

/** Reads a meeting; `expectedId`, when given, must be its id. @throws ProviderFailure `malformed`. */
export function readMeeting(providerId: string, meeting: Element, expectedId?: string): MeetingState {
  const meetingId = text(meeting, 'meetingID');
  const internalId = text(meeting, 'internalMeetingID');
  const createdAtMs = moment(meeting, 'createTime');
  const isComplete = meetingId && createdAtMs && text(meeting, 'running') !== null;
  if (!isComplete || (expectedId !== undefined && expectedId !== meetingId)) throw malformed(providerId);
  // A meeting that was ended stays listed for some seconds.
  const hasEnded = isTrue(meeting, 'hasBeenForciblyEnded') || (wholeNumber(meeting, 'endTime') ?? 0) > 0;
  const attendees = element(meeting, 'attendees');
  return {
    meetingId,
    exists: !hasEnded,
    running: !hasEnded && isTrue(meeting, 'running'),
    internalId: internalId || null,
    createdAtMs,
    startedAtMs: moment(meeting, 'startTime'),
    endedAtMs: moment(meeting, 'endTime'),
    participantCount: headcount(meeting, 'participantCount') ?? 0,
    moderatorCount: headcount(meeting, 'moderatorCount') ?? 0,
    listenerCount: headcount(meeting, 'listenerCount') ?? 0,
    voiceParticipantCount: headcount(meeting, 'voiceParticipantCount') ?? 0,
    videoCount: headcount(meeting, 'videoCount') ?? 0,
    recording: isTrue(meeting, 'recording'),
    attendees: attendees ? elements(attendees, 'attendee').map(readAttendee) : [],
    metadata: texts(meeting, 'metadata'),
  };
}

export function absentMeeting(meetingId: string): MeetingState {
  return {
    meetingId,
    exists: false,
    running: false,
    internalId: null,
    createdAtMs: null,
    startedAtMs: null,
    endedAtMs: null,
    participantCount: 0,
    moderatorCount: 0,
    listenerCount: 0,
    voiceParticipantCount: 0,
    videoCount: 0,
    recording: false,
    attendees: [],
    metadata: {},
  };
}

function readAttendee(attendee: Element): Attendee {
  return {
    userId: text(attendee, 'userID') ?? '',
    fullName: text(attendee, 'fullName') ?? '',
    isModerator: text(attendee, 'role')?.toUpperCase() === 'MODERATOR',
  };
}
