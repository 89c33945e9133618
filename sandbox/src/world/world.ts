import type { CallLog } from '../call-log.ts';
import type { FaultList } from '../faults.ts';
import type { Balancer } from '../scalelite/balancer.ts';
import type { CallbackSender } from './callbacks/callbacks.ts';
import type { SandboxClock } from './clock.ts';
import type { Hook, HookSignature } from './callbacks/hook.ts';
import type { MeetingTable } from './meeting-table.ts';
import type { Meeting } from './meeting.ts';
import type { FormatType, Recording } from './recording.ts';
import type { SandboxLogger } from './logger.ts';

/** The complete state of a running sandbox, in memory. */
export interface World {
  clock: SandboxClock;
  logger: SandboxLogger;
  secrets: readonly string[];
  /** Null for a standalone server. */
  balancer: Balancer | null;
  /** Whether the server has bbb-webhooks. */
  hasHooks: boolean;
  /** Whether the guest policy treats authenticated users differently from guests. */
  authenticatedGuest: boolean;
  /** How many sessions of one external user id a meeting keeps; 0 sets no limit. */
  maxUserConcurrentAccesses: number;
  meetings: MeetingTable;
  /** No scheduled task is due in this interval, unless a call or a join adds one. */
  taskFreeInterval: { since: number; until: number };
  recordings: Recording[];
  /** The playback formats of every recording. */
  recordingFormats: readonly FormatType[];
  /** Whether a recording appears as published, or unpublished, once it has been processed. */
  publishesRecordings: boolean;
  /** By id, in the order of creation. */
  hooks: Map<string, Hook>;
  hookSignature: HookSignature;
  /** The host name that the server reports. */
  domain: string;
  callbacks: CallbackSender;
  faults: FaultList;
  calls: CallLog;
  /** Aborted when the server closes. */
  closing: AbortSignal;
}

/** Finds a running meeting by its external or internal id. */
export function findMeeting({ meetings }: World, id: string): Meeting | undefined {
  return listMeetingsById(meetings, id).find((meeting) => meeting.endedAt === null);
}

/** The newest ended meeting that is not removed yet. */
export function findEndedMeeting({ meetings }: World, id: string): Meeting | undefined {
  return listMeetingsById(meetings, id).findLast((meeting) => meeting.endedAt !== null);
}

function listMeetingsById(meetings: MeetingTable, id: string): readonly Meeting[] {
  const meeting = meetings.findByInternalId(id);
  return meeting ? [meeting] : meetings.listByExternalId(id);
}

/** The meetings that have not ended; they may not be running yet. */
export function listExistingMeetings({ meetings }: World): Meeting[] {
  return [...meetings.all()].filter((meeting) => meeting.endedAt === null);
}
