import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';

/**
 * The port to a server that delivers meetings. What every type can do is required; the rest is absent where the type
 * cannot do it. Every call rejects with `ProviderFailure`.
 */
export interface MeetingProvider
  extends
    MeetingControl,
    Partial<MeetingMonitoring & MeetingChat & MeetingEvents & AttendanceReports & RecordingStore> {
  readonly type: string;
  readonly capabilities: Capabilities;
}

export interface MeetingControl {
  /** Opens the meeting, or finds it open. Equal plans open the same meeting. */
  open(plan: MeetingPlan): Promise<OpenedMeeting>;
  /** The secret address at which one participant joins, valid until the meeting ends. Sends no request. */
  entryFor(meeting: OpenMeeting, participant: Participant): string;
  state(meetingId: string): Promise<MeetingState>;
  /** Whether the meeting has participants; false where it does not exist. */
  isRunning(meetingId: string): Promise<boolean>;
  /** Ends the meeting. Succeeds where it does not exist. */
  end(meetingId: string): Promise<void>;
  /** Never rejects: a failure is the finding. */
  check(): Promise<ProviderCheck>;
}

export interface MeetingMonitoring {
  /**
   * All meetings that the provider lists, in one request. The list may be incomplete, or switched off and empty, so
   * `state` decides whether a meeting is over.
   */
  states(): Promise<MeetingState[]>;
  /** Why the provider cannot open meetings although it answers; null when it can, or does not say. */
  obstacle(): Promise<string | null>;
  /** The version of its API; null where it does not say. Needs no secret. */
  version(): Promise<string | null>;
}

export interface MeetingChat {
  /** Sends a message to everyone in the meeting. Requires the capability `sendChatMessage`. */
  say(meetingId: string, message: string, sender: string): Promise<void>;
}

export interface MeetingEvents {
  /**
   * Registers a webhook for participants who join and leave, idempotently. Requires the capability `hooks`.
   * @returns the id of the webhook; null where the server does not support webhooks after all
   */
  listen(callbackUrl: string): Promise<string | null>;
  /** Succeeds where the webhook does not exist. */
  stopListening(hookId: string): Promise<void>;
  /** The events in a webhook call; null where the provider did not sign it. Sends no request. */
  readEvents(call: SignedCall): readonly ProviderEvent[] | null;
}

export interface AttendanceReports {
  /** The attendance that the provider reports after a meeting; null where it did not sign the call. Sends no request. */
  readAttendance(call: SignedCall): Promise<Attendance | null>;
}

export interface RecordingStore {
  /** Rejects where the provider refuses to list its recordings. */
  recordings(filter: RecordingFilter): Promise<ProviderRecording[]>;
  /** Those of the recordings that exist, including those that the provider cannot describe. */
  findRecordings(recordingIds: readonly string[]): Promise<FoundRecordings>;
  publishRecording(recordingId: string, isPublished: boolean): Promise<void>;
  /** Succeeds where the recording does not exist. */
  deleteRecording(recordingId: string): Promise<void>;
  /** Sets metadata; an empty value removes a key. @throws ProviderFailure `refused` where the recording does not exist */
  updateRecording(recordingId: string, metadata: Readonly<Record<string, string>>): Promise<void>;
  /** Empty where the provider has no text tracks. */
  textTracks(recordingId: string): Promise<ProviderTextTrack[]>;
  /** The recording that the provider reports as ready; null where it did not sign the report. */
  readRecordingReady(signed: string): Promise<RecordingReady | null>;
}

/** The port of a type that can do everything. */
export type FullMeetingProvider = Required<MeetingProvider>;

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
  readonly serviceType: ServiceType;
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
  /** Signed, with whatever happens on a media server; where it reports depends on the provider. */
  readonly media?: (providerId: string) => string;
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
    readonly joinedAtMs: readonly number[];
    readonly leftAtMs: readonly number[];
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
