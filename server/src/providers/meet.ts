import type { RoomRole } from '@foyer/contract/resources/room.ts';

/** The port to whatever delivers meetings: BigBlueButton servers, Scalelite. Every call rejects with `ProviderFailure`. */
export interface MeetingProvider {
  readonly type: string;
  readonly capabilities: Capabilities;
  /** Opens the meeting, or finds it open; the same plan always leads to the same meeting. */
  open(plan: MeetingPlan): Promise<OpenedMeeting>;
  /** Where one participant enters: a secret, valid as long as the meeting lives. Computed, nobody is asked. */
  entryFor(meeting: Pick<OpenMeeting, 'meetingId' | 'createdAtMs'>, participant: Participant): string;
  state(meetingId: string): Promise<MeetingState>;
  /**
   * All meetings that the provider lists, in one request. A list may leave meetings out, or be switched off and empty:
   * whether a meeting is over is asked with `state`.
   */
  states(): Promise<MeetingState[]>;
  /** Whether somebody is in it; false for one that does not exist. */
  isRunning(meetingId: string): Promise<boolean>;
  /** Ends the meeting; one that does not exist has ended. */
  end(meetingId: string): Promise<void>;
  /** Says something to everybody in the meeting, under that name; for who can `sendChatMessage`. */
  say(meetingId: string, message: string, sender: string): Promise<void>;
  /**
   * Asks to be told at that address who comes and goes in any meeting, and when; asked again it stays as it is. For who
   * has `hooks`. @returns what it calls that; null where it turns out to have none
   */
  listen(callbackUrl: string): Promise<string | null>;
  /** Never rejects for want of what is to be stopped. */
  stopListening(hookId: string): Promise<void>;
  /** What it tells at such an address; null for a call that it did not sign. Nobody is asked. */
  readEvents(call: SignedCall): readonly ProviderEvent[] | null;
  /** Who attended, as it tells after the end of a meeting; null for a call that it did not sign. Nobody is asked. */
  readAttendance(call: SignedCall): Promise<Attendance | null>;
  /** A provider that refuses to list what it has is a failure, not an empty list. */
  recordings(filter: RecordingFilter): Promise<ProviderRecording[]>;
  /** Those of them that it has, also such as it lists without being able to describe them. */
  findRecordings(recordingIds: readonly string[]): Promise<FoundRecordings>;
  publishRecording(recordingId: string, isPublished: boolean): Promise<void>;
  /** Deletes the recording; one that does not exist is deleted. */
  deleteRecording(recordingId: string): Promise<void>;
  /** Of its API; null for one that does not tell. Needs no secret. */
  version(): Promise<string | null>;
  /** Sets members of its metadata; an empty text removes one. @throws ProviderFailure `refused` for one that is gone */
  updateRecording(recordingId: string, metadata: Readonly<Record<string, string>>): Promise<void>;
  /** None where the provider has no text tracks. */
  textTracks(recordingId: string): Promise<ProviderTextTrack[]>;
  /** What the provider itself signed to tell that a recording can be watched; null for what it did not sign. */
  readRecordingReady(signed: string): Promise<RecordingReady | null>;
  /** Why no meeting can be opened on it though it answers; null when it can, or does not tell. */
  obstacle(): Promise<string | null>;
  /** Never rejects: what goes wrong is the finding. */
  check(): Promise<ProviderCheck>;
}

export interface Capabilities {
  /** It tells of what happens in meetings; not every server that could does. */
  readonly hooks: boolean;
  readonly sendChatMessage: boolean;
  readonly textTracks: boolean;
  /** A join can be asked to answer instead of redirecting. */
  readonly redirectFalse: boolean;
  readonly recordingPagination: boolean;
  readonly sha384: boolean;
  readonly adminApi: boolean;
  readonly recordingSizes: boolean;
  /** Its list of meetings may be switched off, and is empty then. */
  readonly canHideList: boolean;
}

export interface MeetingPlan {
  /** Globally unique; the room's uuid. */
  readonly meetingId: string;
  readonly name: string;
  /** From which the stable passwords of the meeting are made. */
  readonly passwordSeed: string;
  /** Feature code to the value that is used for the room; a flag that is missing is off, a limit unlimited. */
  readonly features: ReadonlyMap<string, string>;
  /** The settings of the room, as the contract names them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Readable by everybody with the provider's secret. Keys: a letter, then letters, digits and hyphens. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly callbacks?: MeetingCallbacks;
}

/** Addresses that the provider calls; their paths must be unguessable. */
export interface MeetingCallbacks {
  /** Unsigned, when the meeting is over. */
  readonly ended?: string;
  /** Signed, with who attended and when, minutes after the end. */
  readonly analytics?: string;
  /** Signed, when a recording of the meeting can be watched. */
  readonly recordingReady?: string;
}

export interface OpenMeeting {
  readonly meetingId: string;
  readonly internalId: string;
  /** Milliseconds since 1970: tells one meeting from a later one of the same id. */
  readonly createdAtMs: number;
}

export interface OpenedMeeting extends OpenMeeting {
  /** It was open before, and stays as it was: a changed plan changes nothing. */
  readonly already: boolean;
}

export interface Participant {
  /** Unique for each entry; how the participant is found again in the provider's answers. */
  readonly userId: string;
  readonly fullName: string;
  readonly role: RoomRole;
  /** False takes the webcam from moderators, too, whom the locks of a meeting do not reach. */
  readonly mayShareWebcam?: boolean;
  /** Where the browser is sent when the provider refuses, with `?errors=` and a JSON list of {key, message}. */
  readonly refusalUrl?: string;
}

export interface MeetingState {
  readonly meetingId: string;
  readonly exists: boolean;
  /** Somebody is in it. */
  readonly running: boolean;
  readonly internalId: string | null;
  readonly createdAtMs: number | null;
  readonly startedAtMs: number | null;
  /** Of one that is over and not forgotten yet. */
  readonly endedAtMs: number | null;
  readonly participantCount: number;
  readonly moderatorCount: number;
  readonly listenerCount: number;
  readonly voiceParticipantCount: number;
  readonly videoCount: number;
  /** The meeting may be recorded. */
  readonly recording: boolean;
  readonly attendees: readonly Attendee[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Attendee {
  readonly userId: string;
  readonly fullName: string;
  readonly isModerator: boolean;
}

/** A request that says it is from the provider. */
export interface SignedCall {
  /** The address that the provider was given. */
  readonly url: string;
  readonly checksum: string | undefined;
  readonly authorization: string | undefined;
  /** As it came. */
  readonly body: Buffer;
  readonly nowMs: number;
}

/** Instants are those of the provider's clock, in milliseconds since 1970. */
export type ProviderEvent =
  | (EventPlace & { readonly kind: 'came' | 'went' } & Attendee)
  | (EventPlace & { readonly kind: 'meeting-ended' });

interface EventPlace {
  readonly meetingId: string;
  readonly internalId: string;
  readonly atMs: number;
}

export interface Attendance {
  readonly meetingId: string;
  readonly internalId: string;
  readonly finishedAtMs: number | null;
  /** Somebody who was in several times at once has an instant for each window. */
  readonly attendees: readonly (Attendee & {
    readonly cameAtMs: readonly number[];
    readonly wentAtMs: readonly number[];
  })[];
}

/** Lists narrow down; an empty list finds nothing. */
export interface RecordingFilter {
  readonly meetingIds?: readonly string[];
  readonly recordingIds?: readonly string[];
  /** All of them unless given. */
  readonly states?: readonly RecordingState[];
}

export const recordingStates = ['processing', 'processed', 'published', 'unpublished', 'deleted'] as const;
export type RecordingState = (typeof recordingStates)[number];

export interface ProviderRecording {
  readonly recordingId: string;
  readonly meetingId: string;
  /** Of the session that was recorded. */
  readonly internalId: string;
  readonly name: string;
  readonly state: RecordingState;
  readonly published: boolean;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly participantCount: number | null;
  /** Null when the provider does not tell, and nothing is known to estimate it by. */
  readonly sizeBytes: number | null;
  readonly isSizeEstimated: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Its addresses are good for a while only: they are asked for when somebody watches. */
  readonly isProtected: boolean;
  /** Whoever knows these addresses can watch. */
  readonly playback: readonly Playback[];
}

export interface FoundRecordings {
  readonly recordings: readonly ProviderRecording[];
  readonly brokenIds: readonly string[];
}

export interface Playback {
  /** `presentation`, `video`, `podcast`, `notes` … */
  readonly type: string;
  readonly url: string;
  readonly lengthMinutes: number;
}

export const textTrackKinds = ['subtitles', 'captions'] as const;
export type TextTrackKind = (typeof textTrackKinds)[number];

export interface ProviderTextTrack {
  readonly kind: TextTrackKind;
  /** As `pt-BR`. */
  readonly language: string;
  readonly label: string;
  readonly source: string | null;
  readonly url: string;
}

export interface RecordingReady {
  readonly meetingId: string;
  readonly recordingId: string;
}

export interface ProviderCheck {
  readonly reachable: boolean;
  readonly apiVersion: string | null;
  /** Null when that could not be found out. */
  readonly secretAccepted: boolean | null;
  readonly latencyMs: number | null;
  /** What it takes for the time, in milliseconds since 1970; null when it does not say. */
  readonly dateMs: number | null;
  readonly problem: string | null;
}
