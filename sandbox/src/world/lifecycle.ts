import { type EndReason, type Meeting, joinedUsers } from './meeting.ts';

export interface ScheduledEnd {
  at: number;
  reason: EndReason;
}

/** The time at which a live meeting ends without further calls; null for none. */
export function findScheduledEnd(meeting: Meeting): ScheduledEnd | null {
  const ends = [
    endByDuration(meeting),
    endWithoutFirstUser(meeting),
    endAfterLastUser(meeting),
    endAfterLastModerator(meeting),
  ].filter((end) => end !== null);
  return ends.reduce<ScheduledEnd | null>((first, end) => (first === null || end.at < first.at ? end : first), null);
}

/** The API no longer knows a meeting once it has ended. Its `meeting-ended` event follows this much later. */
export const endedEventDelayMs = 2_500;

const minuteMs = 60_000;

function endByDuration(meeting: Meeting): ScheduledEnd | null {
  const minutes = meeting.settings.duration;
  if (minutes === 0) return null;
  return { at: meeting.createTime + minutes * minuteMs, reason: 'duration' };
}

function endWithoutFirstUser(meeting: Meeting): ScheduledEnd | null {
  const minutes = meeting.settings.meetingExpireIfNoUserJoinedInMinutes;
  if (minutes === 0 || meeting.hasUserJoined) return null;
  return { at: meeting.createTime + minutes * minuteMs, reason: 'nobody-joined' };
}

function endAfterLastUser(meeting: Meeting): ScheduledEnd | null {
  const minutes = meeting.settings.meetingExpireWhenLastUserLeftInMinutes;
  if (minutes === 0 || meeting.lastUserLeftAt === null || joinedUsers(meeting).length > 0) {
    return null;
  }
  return { at: meeting.lastUserLeftAt + minutes * minuteMs, reason: 'last-user-left' };
}

function endAfterLastModerator(meeting: Meeting): ScheduledEnd | null {
  if (!meeting.settings.endWhenNoModerator || meeting.lastModeratorLeftAt === null) return null;
  const minutes = meeting.settings.endWhenNoModeratorDelayInMinutes;
  return { at: meeting.lastModeratorLeftAt + minutes * minuteMs, reason: 'no-moderator' };
}
