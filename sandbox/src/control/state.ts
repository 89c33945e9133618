import type { CreateSettings } from '../api/create-parameters.ts';
import type { PresentationDocument } from '../api/documents.ts';
import type { Fault } from '../faults.ts';
import type { Callback } from '../world/callbacks/callbacks.ts';
import type { Hook } from '../world/callbacks/hook.ts';
import { findScheduledEnd } from '../world/lifecycle.ts';
import {
  type ChatMessage,
  type EndReason,
  type GuestStatus,
  type JoinPreferences,
  type Meeting,
  type Presence,
  type Role,
  type User,
  isRunning,
} from '../world/meeting.ts';
import type { RecordingState } from '../world/recording.ts';
import type { World } from '../world/world.ts';

/** Instants are milliseconds since 1970. */
export interface SandboxState {
  now: number;
  meetings: MeetingState[];
  recordings: RecordingSummary[];
  hooks: Hook[];
  callbacks: readonly Callback[];
  faults: readonly Fault[];
}

export interface MeetingState {
  meetingID: string;
  internalMeetingID: string;
  name: string;
  createTime: number;
  attendeePW: string;
  moderatorPW: string;
  voiceBridge: string;
  parentMeetingID: string | null;
  running: boolean;
  isRecording: boolean;
  hasRecordingMarks: boolean;
  endedAt: number | null;
  endReason: EndReason | null;
  endsAt: number | null;
  settings: CreateSettings;
  metadata: Record<string, string>;
  documents: PresentationDocument[];
  clientSettings: string | null;
  pluginParameters: Record<string, string>;
  chat: ChatMessage[];
  feedback: object[];
  users: UserState[];
}

export interface UserState {
  userID: string;
  internalUserID: string;
  fullName: string;
  role: Role;
  guest: boolean;
  guestStatus: GuestStatus;
  presence: Presence;
  sessionToken: string;
  preferences: JoinPreferences;
}

export interface RecordingSummary {
  recordID: string;
  meetingID: string;
  name: string;
  state: RecordingState;
  readyAt: number;
}

export function describeWorld(world: World): SandboxState {
  return {
    now: world.clock.now(),
    meetings: [...world.meetings.all()].map(describeMeeting),
    recordings: world.recordings.map(({ recordId, meetingId, name, state, readyAt }) => ({
      recordID: recordId,
      meetingID: meetingId,
      name,
      state,
      readyAt,
    })),
    hooks: [...world.hooks.values()],
    callbacks: world.callbacks.all(),
    faults: world.faults.all(),
  };
}

export function describeUser(user: User): UserState {
  return {
    userID: user.externalId,
    internalUserID: user.internalId,
    fullName: user.fullName,
    role: user.role,
    guest: user.isGuest,
    guestStatus: user.guestStatus,
    presence: user.presence,
    sessionToken: user.sessionToken,
    preferences: user.preferences,
  };
}

function describeMeeting(meeting: Meeting): MeetingState {
  return {
    meetingID: meeting.externalId,
    internalMeetingID: meeting.internalId,
    name: meeting.name,
    createTime: meeting.createTime,
    attendeePW: meeting.attendeePassword,
    moderatorPW: meeting.moderatorPassword,
    voiceBridge: meeting.voiceBridge,
    parentMeetingID: meeting.parentId,
    running: isRunning(meeting),
    isRecording: meeting.isRecording,
    hasRecordingMarks: meeting.hasRecordingMarks,
    endedAt: meeting.endedAt,
    endReason: meeting.endReason,
    endsAt: meeting.endedAt === null ? (findScheduledEnd(meeting)?.at ?? null) : null,
    settings: meeting.settings,
    metadata: Object.fromEntries(meeting.metadata),
    documents: meeting.documents,
    clientSettings: meeting.clientSettings,
    pluginParameters: Object.fromEntries(meeting.pluginParameters),
    chat: meeting.chat,
    feedback: meeting.feedback,
    users: [...meeting.users.values()].map(describeUser),
  };
}
