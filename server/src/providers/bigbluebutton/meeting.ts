import type { Attendee, MeetingState } from '../meeting-provider.ts';
import { ProviderFailure } from '../provider-failure.ts';
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
} from './answer.ts';

/** Reads a meeting; `expectedId`, when given, must be its id. @throws ProviderFailure `malformed`. */
export function readMeeting(providerId: string, meeting: Element, expectedId?: string): MeetingState {
  const meetingId = identifier(meeting, 'meetingID');
  const internalId = identifier(meeting, 'internalMeetingID');
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
    attendees: attendees ? elements(attendees, 'attendee').slice(0, mostAttendees).map(readAttendee) : [],
    metadata: texts(meeting, 'metadata'),
  };
}

/** More people than any meeting has. */
const mostAttendees = 5000;

/**
 * The meetings of a list, each once: one that was ended may still be listed beside the next one of the same id. What
 * cannot be read is left out, and asked for by whoever misses it.
 */
export function readMeetings(providerId: string, listed: readonly Element[]): MeetingState[] {
  const meetings = new Map<string, MeetingState>();
  for (const each of listed) {
    if (isTrue(each, 'isBreakout')) continue;
    const meeting = readIfReadable(providerId, each);
    const other = meeting && meetings.get(meeting.meetingId);
    if (meeting && (!other || isRather(meeting, other))) meetings.set(meeting.meetingId, meeting);
  }
  return [...meetings.values()];
}

function readIfReadable(providerId: string, meeting: Element): MeetingState | null {
  try {
    return readMeeting(providerId, meeting);
  } catch (error) {
    if (error instanceof ProviderFailure) return null;
    throw error;
  }
}

function isRather(one: MeetingState, other: MeetingState): boolean {
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
