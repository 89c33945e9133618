import { type Meeting, type User, isModerator, joinedUsers, addEvent, presenterOf } from './meeting.ts';
import type { World } from './world.ts';

export interface Connection {
  name: string;
  /** From `performance.now()`, independent of the clock of the sandbox; null for a page without heartbeats. */
  lastRequestMs: number | null;
}

/** Above `maxUserConcurrentAccesses` sessions of one external user id, the oldest session is ejected. */
export function registerUser(world: World, meeting: Meeting, user: User): void {
  const { maxUserConcurrentAccesses: limit, meetings, clock } = world;
  const sessions = [...meeting.users.values()].filter(
    ({ externalId, presence }) => externalId === user.externalId && presence !== 'ejected',
  );
  if (limit > 0) {
    for (const oldest of sessions.slice(0, Math.max(0, sessions.length - limit + 1))) {
      leaveMeeting(meeting, oldest, clock.now());
      oldest.presence = 'ejected';
    }
  }
  meetings.addUser(meeting, user);
}

export type Entry = 'joined' | 'waiting' | 'denied' | 'ended';

/** Moves a registered user into the meeting or the lobby, with a client page. A user can have several pages. */
export function enterMeeting(meeting: Meeting, user: User, now: number, connection: Connection): Entry {
  if (meeting.endedAt !== null) return 'ended';
  if (user.presence === 'ejected') return 'denied';
  if (user.guestStatus === 'WAIT') {
    user.presence = 'registered';
    return 'waiting';
  }
  if (user.guestStatus === 'DENY') return 'denied';
  user.connections.set(connection.name, connection.lastRequestMs);
  if (user.presence === 'joined') return 'joined';
  changePresence(meeting, now, () => {
    user.presence = 'joined';
    user.joinedAt = now;
    user.stays.push({ joinedAt: now, leftAt: null });
    addEvent(meeting, now, 'user-joined', { user: describeUser(user) });
    addMediaEvents(meeting, user, now);
  });
  meeting.hasUserJoined = true;
  meeting.lastUserLeftAt = null;
  if (isModerator(user)) meeting.lastModeratorLeftAt = null;
  const { record, autoStartRecording } = meeting.settings;
  if (record && autoStartRecording && !meeting.hasRecordingMarks) setRecording(meeting, true, now);
  return 'joined';
}

/**
 * Closes pages without a recent request, since a crashed browser sends no leave.
 * @param realNowMs from `performance.now()`
 */
export function closeInactivePages(meeting: Meeting, now: number, realNowMs: number): void {
  for (const user of joinedUsers(meeting)) {
    for (const [connection, lastRequestMs] of user.connections) {
      if (lastRequestMs !== null && realNowMs - lastRequestMs >= maxInactivityMs) {
        leaveMeeting(meeting, user, now, connection);
      }
    }
  }
}

/** Browsers run the timers of hidden pages only once a minute. */
const maxInactivityMs = 150_000;

/** Closes one client page, or all. The user leaves with the last one. */
export function leaveMeeting(meeting: Meeting, user: User, now: number, connection?: string): void {
  if (connection === undefined) user.connections.clear();
  else user.connections.delete(connection);
  if (user.guestStatus === 'WAIT') user.presence = 'left';
  if (user.presence !== 'joined' || user.connections.size > 0) return;
  changePresence(meeting, now, () => markLeft(meeting, user, now));
  const remaining = joinedUsers(meeting);
  if (remaining.length === 0) {
    meeting.lastUserLeftAt = now;
    setRecording(meeting, false, now);
  }
  if (isModerator(user) && !remaining.some(isModerator)) meeting.lastModeratorLeftAt = now;
}

/** Removes all participants without ending the meeting. */
export function removeAllUsers(meeting: Meeting, at: number): void {
  for (const user of meeting.users.values()) {
    user.connections.clear();
    if (user.presence === 'joined') markLeft(meeting, user, at);
  }
}

export function setRecording(meeting: Meeting, isRecording: boolean, at: number): void {
  if (meeting.isRecording === isRecording) return;
  meeting.isRecording = isRecording;
  if (isRecording) {
    meeting.hasRecordingMarks = true;
    meeting.recordingSince = at;
  } else {
    meeting.recordedMs += at - (meeting.recordingSince ?? at);
    meeting.recordingSince = null;
  }
  addEvent(meeting, at, isRecording ? 'meeting-recording-started' : 'meeting-recording-stopped');
}

function markLeft(meeting: Meeting, user: User, at: number): void {
  user.presence = 'left';
  const stay = user.stays.at(-1);
  if (stay) stay.leftAt = at;
  if (user.hasVideo)
    addEvent(meeting, at, 'user-cam-broadcast-end', { user: { ...idsOf(user), stream: streamOf(user) } });
  if (user.hasJoinedVoice || user.isListeningOnly) {
    const audioState = { 'listening-only': false, 'sharing-mic': false, muted: true };
    addEvent(meeting, at, 'user-audio-voice-disabled', { user: { ...idsOf(user), ...audioState } });
  }
  addEvent(meeting, at, 'user-left', { user: { ...idsOf(user), guest: user.isGuest } });
}

function addMediaEvents(meeting: Meeting, user: User, at: number): void {
  if (user.hasJoinedVoice || user.isListeningOnly) {
    const listening = user.isListeningOnly;
    const audioState = { 'listening-only': listening, 'sharing-mic': !listening, muted: false };
    addEvent(meeting, at, 'user-audio-voice-enabled', { user: { ...idsOf(user), ...audioState } });
  }
  if (user.hasVideo) {
    addEvent(meeting, at, 'user-cam-broadcast-start', { user: { ...idsOf(user), stream: streamOf(user) } });
  }
}

/** Makes the change, and adds events if it changes the presenter. */
function changePresence(meeting: Meeting, at: number, change: () => void): void {
  const before = presenterOf(meeting);
  change();
  const after = presenterOf(meeting);
  if (before === after) return;
  if (before?.presence === 'joined') addEvent(meeting, at, 'user-presenter-unassigned', { user: idsOf(before) });
  if (after) addEvent(meeting, at, 'user-presenter-assigned', { user: idsOf(after) });
}

function describeUser(user: User): Record<string, unknown> {
  return {
    ...idsOf(user),
    name: user.fullName,
    role: user.role,
    presenter: false,
    userdata: Object.fromEntries(user.customData),
    guest: user.isGuest,
  };
}

function idsOf(user: User) {
  return { 'internal-user-id': user.internalId, 'external-user-id': user.externalId };
}

function streamOf(user: User): string {
  return `${user.internalId}_camera`;
}
