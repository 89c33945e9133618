import type { RoomRole } from '@foyer/contract/room.ts';

/** The port to whatever delivers meetings: BigBlueButton servers, Scalelite. Every call throws `ProviderFailure`. */
export interface MeetingProvider {
  readonly type: string;
  readonly capabilities: Capabilities;
  /** Opens the meeting, or finds it open; the same plan always leads to the same meeting. */
  open(plan: MeetingPlan): Promise<OpenMeeting>;
  /** Where one participant enters: a secret, valid as long as the meeting lives. Computed, nobody is asked. */
  entryFor(meeting: OpenMeeting, participant: Participant): string;
  state(meetingId: string): Promise<MeetingState>;
  /** All meetings that the provider has, in one request. */
  states(): Promise<MeetingState[]>;
  /** Ends the meeting; one that does not exist has ended. */
  end(meetingId: string): Promise<void>;
  /** Never throws: what goes wrong is the finding. */
  check(): Promise<ProviderCheck>;
}

export interface Capabilities {
  readonly hooks: boolean;
  readonly sendChatMessage: boolean;
  readonly textTracks: boolean;
  readonly redirectFalse: boolean;
  readonly recordingPagination: boolean;
  readonly sha384: boolean;
  readonly adminApi: boolean;
}

export interface MeetingPlan {
  /** Globally unique; the room's uuid. */
  readonly meetingId: string;
  readonly name: string;
  /** From which the stable passwords of the meeting are made. */
  readonly passwordSeed: string;
  /** Feature code to the value that is used for the room. */
  readonly features: ReadonlyMap<string, string>;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Readable by everybody with the provider's secret. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface OpenMeeting {
  readonly meetingId: string;
  readonly internalId: string;
  /** Milliseconds since 1970: tells one meeting from a later one of the same id. */
  readonly createdAtMs: number;
}

export interface Participant {
  /** Unique for each entry; how the participant is found again in the provider's answers. */
  readonly userId: string;
  readonly fullName: string;
  readonly role: RoomRole;
}

export interface MeetingState {
  readonly meetingId: string;
  readonly exists: boolean;
  /** Somebody is in it. */
  readonly running: boolean;
  readonly internalId: string | null;
  readonly createdAtMs: number | null;
  readonly startedAtMs: number | null;
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

export interface ProviderCheck {
  readonly reachable: boolean;
  readonly apiVersion: string | null;
  readonly secretAccepted: boolean | null;
  readonly latencyMs: number | null;
  readonly problem: string | null;
}
