import { type Meeting, joinedUsers } from './meeting.ts';

export type RecordingState = 'processing' | 'processed' | 'published' | 'unpublished' | 'deleted';

export interface Recording {
  /** The internal id of the meeting. */
  recordId: string;
  meetingId: string;
  name: string;
  isBreakout: boolean;
  state: RecordingState;
  startTime: number;
  endTime: number;
  /** When processing ends and the recording appears as published. */
  readyAt: number;
  participants: number;
  sizeBytes: number;
  metadata: Map<string, string>;
}

/** A real server takes minutes to hours. */
export const processingMs = 10_000;

/** Only what a moderator marked is published: a meeting without marks leaves nothing behind. */
export function recordingOf(meeting: Meeting, endTime: number): Recording | null {
  if (!meeting.settings.record || !meeting.hasRecordingMarks) return null;
  const participants = [...meeting.users.values()].filter((user) => user.joinedAt !== null);
  const minutes = lengthInMinutes(meeting.createTime, endTime);
  return {
    recordId: meeting.internalId,
    meetingId: meeting.externalId,
    name: meeting.name,
    isBreakout: meeting.parentId !== null,
    state: 'processing',
    startTime: meeting.createTime,
    endTime,
    readyAt: endTime + processingMs,
    participants: new Set(participants.map((user) => user.externalId)).size,
    sizeBytes: 250_000 + minutes * 1_500_000,
    metadata: new Map(meeting.metadata),
  };
}

export function lengthInMinutes(startTime: number, endTime: number): number {
  return Math.max(0, Math.round((endTime - startTime) / 60_000));
}

/** Recording can be pressed only while somebody is in. */
export function mayStartRecording(meeting: Meeting): boolean {
  return meeting.endedAt === null && meeting.settings.record && joinedUsers(meeting).length > 0;
}
