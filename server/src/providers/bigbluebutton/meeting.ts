import type { Attendee, MeetingState } from '../meet.ts';
import {
  type Element,
  element,
  elements,
  headcount,
  identifier,
  isTrue,
  malformed,
  moment,
  text,
  texts,
  wholeNumber,
} from './request/answer.ts';

/** Reads a meeting; `expectedId` must be its id. @throws ProviderFailure `malformed`. */
export function readMeeting(providerId: string, meeting: Element, expectedId: string): MeetingState {
  const state = readIfComplete(meeting);
  if (state?.meetingId !== expectedId) throw malformed(providerId);
  return state;
}

function readIfComplete(meeting: Element): MeetingState | null {
  const meetingId = identifier(meeting, 'meetingID');
  const internalId = identifier(meeting, 'internalMeetingID');
  const createdAtMs = moment(meeting, 'createTime');
  if (!meetingId || !createdAtMs || text(meeting, 'running') === null) return null;
  // An ended meeting stays listed for some seconds.
  const hasEnded = isTrue(meeting, 'hasBeenForciblyEnded') || (wholeNumber(meeting, 'endTime') ?? 0) > 0;
  const attendees = element(meeting, 'attendees');
  return {
    meetingId,
    exists: !hasEnded,
    running: !hasEnded && isTrue(meeting, 'running'),
    internalId,
    createdAtMs,
    startedAtMs: moment(meeting, 'startTime'),
    endedAtMs: moment(meeting, 'endTime'),
    participantCount: headcount(meeting, 'participantCount') ?? 0,
    moderatorCount: headcount(meeting, 'moderatorCount') ?? 0,
    listenerCount: headcount(meeting, 'listenerCount') ?? 0,
    voiceParticipantCount: headcount(meeting, 'voiceParticipantCount') ?? 0,
    videoCount: headcount(meeting, 'videoCount') ?? 0,
    recording: isTrue(meeting, 'recording'),
    attendees: attendees ? elements(attendees, 'attendee').slice(0, maxAttendees).map(readAttendee) : [],
    metadata: texts(meeting, 'metadata'),
  };
}

/** More than any meeting has. */
const maxAttendees = 5000;

/** More than any provider has. */
const maxMeetings = 20_000;

/**
 * Collects the meetings of a list, one for each id: an ended meeting may still be listed together with the next meeting
 * of the same id. Invalid entries are left out; callers request missing meetings separately.
 */
export function collectMeetings() {
  const meetings = new Map<string, MeetingState>();
  return {
    name: 'meeting',
    take(item: Element) {
      if (meetings.size === maxMeetings || isTrue(item, 'isBreakout')) return;
      const meeting = readIfComplete(item);
      const existing = meeting && meetings.get(meeting.meetingId);
      if (meeting && (!existing || isPreferred(meeting, existing))) meetings.set(meeting.meetingId, meeting);
    },
    meetings: () => [...meetings.values()],
  };
}

function isPreferred(one: MeetingState, other: MeetingState): boolean {
  if (one.exists !== other.exists) return one.exists;
  return (one.createdAtMs ?? 0) > (other.createdAtMs ?? 0);
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
