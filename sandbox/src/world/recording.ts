import { type Meeting, joinedUsers } from './meeting.ts';

export const recordingStates = ['processing', 'processed', 'published', 'unpublished', 'deleted'] as const;
export type RecordingState = (typeof recordingStates)[number];

export const formatTypes = [
  'presentation',
  'video',
  'podcast',
  'statistics',
  'notes',
  'screenshare',
  'capture',
] as const;
export type FormatType = (typeof formatTypes)[number];

export interface Recording {
  /** The internal id of the meeting. */
  recordId: string;
  meetingId: string;
  name: string;
  isBreakout: boolean;
  /** The parent's internal id and the number of a breakout room. */
  breakout: { parentId: string; sequence: number; freeJoin: boolean } | null;
  state: RecordingState;
  startTime: number;
  endTime: number;
  /** The duration of the marked and published parts. */
  recordedMs: number;
  /** When processing ends and the recording appears as published. */
  readyAt: number;
  participants: number;
  sizeBytes: number;
  formats: FormatType[];
  metadata: Map<string, string>;
  /** Receives a callback for each published format. */
  readyUrl: string | null;
  textTracks: TextTrack[];
  /** Listed with an error instead of its parts. */
  isBroken: boolean;
}

export interface TextTrack {
  kind: 'subtitles' | 'captions';
  /** A language tag: `pt-BR`. */
  lang: string;
  label: string;
  /** `upload`, or another source. */
  source: string;
  content: string;
}

/** A real server takes minutes to hours. */
export const processingMs = 10_000;

/** Only the parts that a moderator marked are published. A meeting without marks has no recording. */
export function recordingOf(meeting: Meeting, endTime: number, formats: readonly FormatType[]): Recording | null {
  if (!meeting.settings.record || !meeting.hasRecordingMarks) return null;
  const participants = [...meeting.users.values()].filter((user) => user.joinedAt !== null);
  const { sequence, freeJoin } = meeting.settings;
  return {
    recordId: meeting.internalId,
    meetingId: meeting.externalId,
    name: meeting.name,
    isBreakout: meeting.parentId !== null,
    breakout: meeting.parentId === null ? null : { parentId: meeting.parentId, sequence, freeJoin },
    state: 'processing',
    startTime: meeting.createTime,
    endTime,
    recordedMs: meeting.recordedMs,
    readyAt: endTime + processingMs,
    participants: new Set(participants.map((user) => user.externalId)).size,
    sizeBytes: sizeFor(meeting.recordedMs),
    formats: [...formats],
    metadata: new Map(meeting.metadata),
    readyUrl: meeting.callbackUrls.recordingReady,
    textTracks: [],
    isBroken: false,
  };
}

export function sizeFor(recordedMs: number): number {
  return 250_000 + minutesIn(recordedMs) * 1_500_000;
}

/** Each format has its own playback address. */
export function playbackPath({ recordId }: Recording, format: FormatType): string {
  return format === 'presentation' ? `/playback/presentation/2.3/${recordId}` : `/playback/${format}/${recordId}/`;
}

export function minutesIn(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 60_000));
}

/** Recording can start only while there are participants. */
export function canStartRecording(meeting: Meeting): boolean {
  return meeting.endedAt === null && meeting.settings.record && joinedUsers(meeting).length > 0;
}
