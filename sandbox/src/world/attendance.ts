import { type Meeting, type User, isModerator, joinedUsers } from './meeting.ts';

export interface Connection {
  name: string;
  /** Real time; null for a page that gives no signs of life. */
  heardAt: number | null;
}

export type Entry = 'joined' | 'waiting' | 'denied' | 'ended';

/** Puts a registered user into the meeting, or the lobby, through one client page; several can be open. */
export function enterMeeting(meeting: Meeting, user: User, now: number, connection: Connection): Entry {
  if (meeting.endedAt !== null) return 'ended';
  if (user.guestStatus === 'WAIT') {
    user.presence = 'registered';
    return 'waiting';
  }
  if (user.guestStatus === 'DENY') return 'denied';
  user.connections.set(connection.name, connection.heardAt);
  if (user.presence === 'joined') return 'joined';
  user.presence = 'joined';
  user.joinedAt = now;
  meeting.hasUserJoined = true;
  meeting.lastUserLeftAt = null;
  if (isModerator(user)) meeting.lastModeratorLeftAt = null;
  const { record, autoStartRecording } = meeting.settings;
  if (record && autoStartRecording && !meeting.hasRecordingMarks) setRecording(meeting, true);
  return 'joined';
}

/** A browser that crashed says no goodbye: pages not heard of for long are closed. `heardNow` is real time. */
export function closeSilentPages(meeting: Meeting, now: number, heardNow: number): void {
  for (const user of joinedUsers(meeting)) {
    for (const [connection, heardAt] of user.connections) {
      if (heardAt !== null && heardNow - heardAt >= silenceMs) {
        leaveMeeting(meeting, user, now, connection);
      }
    }
  }
}

/** Browsers let the timers of hidden pages run once a minute only. */
const silenceMs = 150_000;

/** Closes one client page, or all of them. The user has left when none remains. */
export function leaveMeeting(meeting: Meeting, user: User, now: number, connection?: string): void {
  if (connection === undefined) user.connections.clear();
  else user.connections.delete(connection);
  if (user.guestStatus === 'WAIT') user.presence = 'left';
  if (user.presence !== 'joined' || user.connections.size > 0) return;
  user.presence = 'left';
  const remaining = joinedUsers(meeting);
  if (remaining.length === 0) {
    meeting.lastUserLeftAt = now;
    meeting.isRecording = false;
  }
  if (isModerator(user) && !remaining.some(isModerator)) meeting.lastModeratorLeftAt = now;
}

export function setRecording(meeting: Meeting, isRecording: boolean): void {
  meeting.isRecording = isRecording;
  if (isRecording) meeting.hasRecordingMarks = true;
}
