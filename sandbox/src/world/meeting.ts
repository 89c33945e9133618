import type { CreateSettings } from '../api/create-parameters.ts';
import type { PresentationDocument } from '../api/documents.ts';

export type Role = 'MODERATOR' | 'VIEWER';
export type GuestStatus = 'ALLOW' | 'WAIT' | 'DENY';

/** Registered: the join call was made, but no client has connected yet. */
export type Presence = 'registered' | 'joined' | 'left';

export type EndReason =
  | 'end-call'
  | 'moderator'
  | 'duration'
  | 'nobody-joined'
  | 'last-user-left'
  | 'no-moderator'
  | 'parent-ended';

export interface Meeting {
  externalId: string;
  internalId: string;
  name: string;
  createTime: number;
  attendeePassword: string;
  moderatorPassword: string;
  voiceBridge: string;
  settings: CreateSettings;
  metadata: Map<string, string>;
  documents: PresentationDocument[];
  /** The parent's internal id when this is a breakout room. */
  parentId: string | null;
  /** By internal user id, in the order of registration. */
  users: Map<string, User>;
  hasUserJoined: boolean;
  lastUserLeftAt: number | null;
  lastModeratorLeftAt: number | null;
  isRecording: boolean;
  hasRecordingMarks: boolean;
  endedAt: number | null;
  endReason: EndReason | null;
}

export interface User {
  internalId: string;
  externalId: string;
  fullName: string;
  role: Role;
  isGuest: boolean;
  guestStatus: GuestStatus;
  authToken: string;
  sessionToken: string;
  presence: Presence;
  joinedAt: number | null;
  isListeningOnly: boolean;
  hasJoinedVoice: boolean;
  hasVideo: boolean;
  customData: Map<string, string>;
  /**
   * Every open client page, with the real time (`performance.now()`) at which it was last heard of; null when
   * nobody waits for a sign of life. The user is in the meeting while there is one.
   */
  connections: Map<string, number | null>;
}

export function joinedUsers(meeting: Meeting): User[] {
  return [...meeting.users.values()].filter((user) => user.presence === 'joined');
}

export function waitingUsers(meeting: Meeting): User[] {
  return [...meeting.users.values()].filter((user) => user.guestStatus === 'WAIT' && user.presence === 'registered');
}

export function isModerator(user: User): boolean {
  return user.role === 'MODERATOR';
}

export function isRunning(meeting: Meeting): boolean {
  return meeting.endedAt === null && joinedUsers(meeting).length > 0;
}

/** The first moderator who is in presents. */
export function presenterOf(meeting: Meeting): User | undefined {
  return joinedUsers(meeting).find(isModerator);
}
