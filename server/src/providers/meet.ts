import type { RecordingProblem } from '@foyer/contract/resources/meetings/recording.ts';
import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';

/**
 * The port to a server that delivers meetings. The methods that every type supports are required; the others are absent
 * if the type does not support them. Every call rejects with `ProviderFailure`.
 */
export interface MeetingProvider
  extends
    MeetingControl,
    Partial<MeetingMonitoring & MeetingChat & MeetingEvents & AttendanceReports & RecordingStore> {
  readonly type: string;
  readonly capabilities: Capabilities;
}

export interface MeetingControl {
  /** Opens the meeting; idempotent for equal plans. */
  open(plan: MeetingPlan): Promise<OpenedMeeting>;
  /** The secret address at which one participant joins, valid until the meeting ends. Sends no request. */
  joinUrlFor(meeting: OpenMeeting, participant: Participant): string;
  state(meetingId: string): Promise<MeetingState>;
  /** Whether the meeting has participants; false if it does not exist. */
  isRunning(meetingId: string): Promise<boolean>;
  /** Ends the meeting. Succeeds if it does not exist. */
  end(meetingId: string): Promise<void>;
  /** Never rejects: a failure is the result. */
  check(): Promise<ProviderCheck>;
}

export interface MeetingMonitoring {
  /**
   * All meetings that the provider lists, in one request. The list may be incomplete, or switched off and empty, so
   * `state` decides whether a meeting is over.
   */
  states(): Promise<MeetingState[]>;
  /** Why the provider cannot open meetings although it answers; null if it can, or if unknown. */
  readProblem(): Promise<string | null>;
  /** The version of its API; null if unknown. Needs no secret. */
  version(): Promise<string | null>;
}

export interface MeetingChat {
  /** Sends a message to everyone in the meeting. Requires the capability `sendChatMessage`. */
  sendChatMessage(meetingId: string, message: string, sender: string): Promise<void>;
}

export interface MeetingEvents {
  /**
   * Registers a webhook for participants who join and leave, idempotently. Requires the capability `hooks`.
   * @returns the id of the webhook; null if the server does not support webhooks after all
   */
  listen(callbackUrl: string): Promise<string | null>;
  /** Succeeds if the webhook does not exist. */
  stopListening(hookId: string): Promise<void>;
  /** The events of a webhook call; null without a valid signature. Sends no request. */
  readEvents(call: SignedCall): readonly ProviderEvent[] | null;
}

export interface AttendanceReports {
  /** The attendance that the provider reports after a meeting; null without a valid signature. Sends no request. */
  readAttendance(call: SignedCall): Promise<Attendance | null>;
}

export interface RecordingStore {
  /** Rejects if the provider refuses to list its recordings. */
  recordings(filter: RecordingFilter): Promise<ProviderRecording[]>;
  /** Looks recordings up by id. Broken recordings are returned only as ids. */
  findRecordings(recordingIds: readonly string[]): Promise<RecordingLookup>;
  publishRecording(recordingId: string, isPublished: boolean): Promise<void>;
  /** Succeeds if the recording does not exist. */
  deleteRecording(recordingId: string): Promise<void>;
  /** Sets metadata; an empty value removes a key. @throws ProviderFailure `refused` if the recording does not exist */
  updateRecording(recordingId: string, metadata: Readonly<Record<string, string>>): Promise<void>;
  /** Empty if the provider has no text tracks. */
  textTracks(recordingId: string): Promise<ProviderTextTrack[]>;
  /** The recording that the provider reports as ready; null without a valid signature. */
  readRecordingReady(signed: string): Promise<RecordingReady | null>;
}

/** The port of a type that supports everything. */
export type FullMeetingProvider = Required<MeetingProvider>;

export interface Capabilities {
  /** Reports events of meetings. Servers may not have this optional service installed. */
  readonly hooks: boolean;
  readonly sendChatMessage: boolean;
  readonly textTracks: boolean;
  /** A join can return the address instead of redirecting. */
  readonly redirectFalse: boolean;
  readonly recordingPagination: boolean;
  readonly sha384: boolean;
  readonly adminApi: boolean;
  readonly recordingSizes: boolean;
  /** Its list of meetings may be switched off, and is then empty. */
  readonly canHideList: boolean;
}

export interface MeetingPlan {
  /** Globally unique; the room's uuid. */
  readonly meetingId: string;
  readonly serviceType: ServiceType;
  readonly name: string;
  /** The passwords of the meeting are derived from this. */
  readonly passwordSeed: string;
  /** The effective values of the room by feature code. A missing flag is off, a missing limit is unlimited. */
  readonly features: ReadonlyMap<string, string>;
  /** The settings of the room, as the contract names them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Readable by everyone with the provider's secret. Keys: a letter, then letters, digits and hyphens. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly callbacks?: MeetingCallbacks;
}

/** Addresses that the provider calls; their paths must be unguessable. */
export interface MeetingCallbacks {
  /** Called without signature when the meeting is over. */
  readonly ended?: string;
  /** Called with a signature and the attendance, minutes after the end. */
  readonly analytics?: string;
  /** Called with a signature for each event of a media server. */
  readonly media?: (providerId: string) => string;
  /** Called with a signature when a recording of the meeting can be watched. */
  readonly recordingReady?: string;
}

export interface OpenMeeting {
  readonly meetingId: string;
  readonly internalId: string;
  /** Milliseconds since 1970. Distinguishes a meeting from a later one with the same id. */
  readonly createdAtMs: number;
}

export interface OpenedMeeting extends OpenMeeting {
  /** Whether the meeting was already open. Then a changed plan has no effect. */
  readonly wasOpen: boolean;
}

export interface Participant {
  /** Unique for each entry; identifies the participant in the provider's answers. */
  readonly userId: string;
  readonly fullName: string;
  readonly role: RoomRole;
  /** False also disables the webcam of moderators, to whom the locks of a meeting do not apply. */
  readonly mayShareWebcam?: boolean;
  /** The address to which the provider redirects after a refusal, with `?errors=` and a JSON list of {key, message}. */
  readonly refusalUrl?: string;
}

export interface MeetingState {
  readonly meetingId: string;
  readonly exists: boolean;
  /** Whether it has participants. */
  readonly running: boolean;
  readonly internalId: string | null;
  readonly createdAtMs: number | null;
  readonly startedAtMs: number | null;
  /** The end of a meeting that is over but still listed. */
  readonly endedAtMs: number | null;
  readonly participantCount: number;
  readonly moderatorCount: number;
  readonly listenerCount: number;
  readonly voiceParticipantCount: number;
  readonly videoCount: number;
  /** Whether the meeting can be recorded. */
  readonly recording: boolean;
  readonly attendees: readonly Attendee[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Attendee {
  readonly userId: string;
  readonly fullName: string;
  readonly isModerator: boolean;
}

/** A request that claims to be from the provider. */
export interface SignedCall {
  /** The callback address of the request. */
  readonly url: string;
  readonly checksum: string | undefined;
  readonly authorization: string | undefined;
  /** The unparsed bytes. */
  readonly body: Buffer;
  readonly nowMs: number;
}

/** Instants are those of the provider's clock, in milliseconds since 1970. */
export type ProviderEvent =
  | (MeetingReference & { readonly kind: 'joined' | 'left' } & Attendee)
  | (MeetingReference & { readonly kind: 'meeting-ended' });

interface MeetingReference {
  readonly meetingId: string;
  readonly internalId: string;
  readonly atMs: number;
}

export interface Attendance {
  readonly meetingId: string;
  readonly internalId: string;
  readonly finishedAtMs: number | null;
  /** A user with several simultaneous sessions has one instant for each. */
  readonly attendees: readonly (Attendee & {
    readonly joinedAtMs: readonly number[];
    readonly leftAtMs: readonly number[];
  })[];
}

/** Filters; an empty list matches nothing. */
export interface RecordingFilter {
  readonly meetingIds?: readonly string[];
  readonly recordingIds?: readonly string[];
  /** All by default. */
  readonly states?: readonly RecordingState[];
}

export const recordingStates = ['processing', 'processed', 'published', 'unpublished', 'deleted'] as const;
export type RecordingState = (typeof recordingStates)[number];

export interface ProviderRecording {
  readonly recordingId: string;
  readonly meetingId: string;
  /** The id of the recorded session. */
  readonly internalId: string;
  readonly name: string;
  readonly state: RecordingState;
  readonly published: boolean;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly participantCount: number | null;
  /** Null if the provider reports no size and it cannot be estimated. */
  readonly sizeBytes: number | null;
  readonly isSizeEstimated: boolean;
  /** Why it ended before its session; null if it is complete. */
  readonly problem: RecordingProblem | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether its addresses expire soon, so that they are requested for each viewer. */
  readonly isProtected: boolean;
  /** Secret addresses: they need no other credential. */
  readonly playback: readonly Playback[];
}

export interface RecordingLookup {
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
  /** Such as `pt-BR`. */
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
  /** Null if unknown. */
  readonly secretAccepted: boolean | null;
  readonly latencyMs: number | null;
  /** The provider's clock at the end of the check, in milliseconds since 1970; null if unknown. */
  readonly dateMs: number | null;
  /** Why it cannot be used. */
  readonly problem: string | null;
  /** What an administrator should fix, although the provider can be used. */
  readonly warning?: string | null;
}
