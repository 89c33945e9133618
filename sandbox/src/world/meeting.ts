import type { CreateSettings } from '../api/create-parameters.ts';
import type { PresentationDocument } from '../api/documents.ts';

export type Role = 'MODERATOR' | 'VIEWER';
export type GuestStatus = 'ALLOW' | 'WAIT' | 'DENY';

/**
 * Registered: the join call was made, but no client has connected yet. Ejected: replaced by newer sessions of the same
 * external user id.
 */
export type Presence = 'registered' | 'joined' | 'left' | 'ejected';

export type EndReason =
  | 'end-call'
  | 'moderator'
  | 'duration'
  | 'nobody-joined'
  | 'last-user-left'
  | 'no-moderator'
  | 'parent-ended';

/** An event for hooks. It is recorded immediately, and sent by the next `runDueTasks`. */
export interface MeetingEvent {
  /** Such as `user-joined`; sent as `id`. */
  type: string;
  at: number;
  /** The meeting's ids are not included. They are added when the event is sent. */
  attributes: Record<string, unknown>;
}

export interface Meeting {
  externalId: string;
  internalId: string;
  name: string;
  createTime: number;
  attendeePassword: string;
  moderatorPassword: string;
  voiceBridge: string;
  settings: CreateSettings;
  /** The metadata in getMeetingInfo. */
  metadata: Map<string, string>;
  /** The addresses that receive the recording and the attendance. Scalelite removes them from the metadata. */
  callbackUrls: CallbackUrls;
  documents: PresentationDocument[];
  /** The client settings of create, as JSON; null if absent. */
  clientSettings: string | null;
  /** `plugin_*` without the prefix. */
  pluginParameters: Map<string, string>;
  /** The parent's internal id, for breakout rooms. */
  parentId: string | null;
  /** By internal user id, in the order of registration. */
  users: Map<string, User>;
  hasUserJoined: boolean;
  lastUserLeftAt: number | null;
  lastModeratorLeftAt: number | null;
  isRecording: boolean;
  hasRecordingMarks: boolean;
  /** When the record button was pressed, if it is on. */
  recordingSince: number | null;
  /** The recorded time until the button was last released. */
  recordedMs: number;
  endedAt: number | null;
  endReason: EndReason | null;
  chat: ChatMessage[];
  /** The feedback that users sent after leaving. */
  feedback: object[];
  /** Events that were not sent to hooks yet. */
  events: MeetingEvent[];
}

export interface ChatMessage {
  id: string;
  at: number;
  userName: string;
  message: string;
}

export interface CallbackUrls {
  recordingReady: string | null;
  analytics: string | null;
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
  /** All stays; a current one has no end. */
  stays: Stay[];
  isListeningOnly: boolean;
  hasJoinedVoice: boolean;
  hasVideo: boolean;
  customData: Map<string, string>;
  preferences: JoinPreferences;
  /**
   * The open client pages, with the real time (`performance.now()`) of their last request; null for pages without
   * heartbeats. The user is in the meeting while at least one page is open.
   */
  connections: Map<string, number | null>;
}

/** The parameters of a join for one user; empty if absent. */
export interface JoinPreferences {
  /** Takes precedence over the `logoutURL` of the meeting. */
  logoutURL: string;
  enforceLayout: string;
  avatarURL: string;
  webcamBackgroundURL: string;
  excludeFromDashboard: boolean;
}

export interface Stay {
  joinedAt: number;
  leftAt: number | null;
}

type NewMeeting = Pick<
  Meeting,
  | 'externalId'
  | 'internalId'
  | 'name'
  | 'createTime'
  | 'attendeePassword'
  | 'moderatorPassword'
  | 'voiceBridge'
  | 'settings'
  | 'metadata'
  | 'callbackUrls'
  | 'documents'
  | 'clientSettings'
  | 'pluginParameters'
  | 'parentId'
>;

/** A new meeting without users. */
export function newMeeting(properties: NewMeeting): Meeting {
  return {
    ...properties,
    users: new Map(),
    hasUserJoined: false,
    lastUserLeftAt: null,
    lastModeratorLeftAt: null,
    isRecording: false,
    hasRecordingMarks: false,
    recordingSince: null,
    recordedMs: 0,
    endedAt: null,
    endReason: null,
    chat: [],
    feedback: [],
    events: [],
  };
}

/** Stores an event for the hooks. */
export function addEvent(
  meeting: Meeting,
  at: number,
  type: string,
  attributes: MeetingEvent['attributes'] = {},
): void {
  meeting.events.push({ type, at, attributes });
}

export function joinedUsers(meeting: Meeting): User[] {
  return [...meeting.users.values()].filter((user) => user.presence === 'joined');
}

export function waitingUsers(meeting: Meeting): User[] {
  return [...meeting.users.values()].filter((user) => user.guestStatus === 'WAIT' && user.presence === 'registered');
}

export function logoutUrlOf(meeting: Meeting, user: User): string {
  return user.preferences.logoutURL || meeting.settings.logoutURL;
}

export function isModerator(user: User): boolean {
  return user.role === 'MODERATOR';
}

export function isRunning(meeting: Meeting): boolean {
  return meeting.endedAt === null && joinedUsers(meeting).length > 0;
}

/** The first moderator in the meeting is the presenter. */
export function presenterOf(meeting: Meeting): User | undefined {
  return joinedUsers(meeting).find(isModerator);
}
