import type { Meeting, User } from './meeting.ts';

export interface Session {
  meeting: Meeting;
  user: User;
}

/** All running meetings and those that ended in the last seconds, indexed by each of their ids. */
export interface MeetingTable {
  /** In the order of creation. */
  all(): Iterable<Meeting>;
  findByInternalId(id: string): Meeting | undefined;
  /** In the order of creation. */
  listByExternalId(id: string): readonly Meeting[];
  /** The breakout rooms of the meeting with this internal id. */
  roomsOf(internalId: string): readonly Meeting[];
  /** Whether a running meeting uses the voice bridge. */
  isVoiceBridgeTaken(voiceBridge: string): boolean;
  findSession(sessionToken: string): Session | undefined;
  add(meeting: Meeting): void;
  /** Must be used for all users of stored meetings, since it also adds the session. */
  addUser(meeting: Meeting, user: User): void;
  remove(meeting: Meeting): void;
  clear(): void;
}

export function createMeetingTable(): MeetingTable {
  const meetings = new Map<string, Meeting>();
  const byExternal = new Map<string, Meeting[]>();
  const rooms = new Map<string, Meeting[]>();
  const bridges = new Map<string, Meeting>();
  const sessions = new Map<string, Session>();
  return {
    all: () => meetings.values(),
    findByInternalId: (id) => meetings.get(id),
    listByExternalId: (id) => byExternal.get(id) ?? [],
    roomsOf: (internalId) => rooms.get(internalId) ?? [],
    isVoiceBridgeTaken: (voiceBridge) => bridges.get(voiceBridge)?.endedAt === null,
    findSession: (sessionToken) => sessions.get(sessionToken),
    add(meeting) {
      meetings.set(meeting.internalId, meeting);
      addToIndex(byExternal, meeting.externalId, meeting);
      if (meeting.parentId !== null) addToIndex(rooms, meeting.parentId, meeting);
      bridges.set(meeting.voiceBridge, meeting);
    },
    addUser(meeting, user) {
      meeting.users.set(user.internalId, user);
      sessions.set(user.sessionToken, { meeting, user });
    },
    remove(meeting) {
      meetings.delete(meeting.internalId);
      removeFromIndex(byExternal, meeting.externalId, meeting);
      if (meeting.parentId !== null) removeFromIndex(rooms, meeting.parentId, meeting);
      if (bridges.get(meeting.voiceBridge) === meeting) bridges.delete(meeting.voiceBridge);
      for (const user of meeting.users.values()) sessions.delete(user.sessionToken);
    },
    clear() {
      for (const index of [meetings, byExternal, rooms, bridges, sessions]) index.clear();
    },
  };
}

function addToIndex(index: Map<string, Meeting[]>, key: string, meeting: Meeting): void {
  index.set(key, [...(index.get(key) ?? []), meeting]);
}

function removeFromIndex(index: Map<string, Meeting[]>, key: string, meeting: Meeting): void {
  const remaining = (index.get(key) ?? []).filter((other) => other !== meeting);
  if (remaining.length > 0) index.set(key, remaining);
  else index.delete(key);
}
