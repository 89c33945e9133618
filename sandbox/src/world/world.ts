import type { CallLog } from '../call-log.ts';
import type { FaultList } from '../faults.ts';
import type { Balancer } from '../scalelite/balancer.ts';
import type { CallbackSender } from './callbacks.ts';
import type { SandboxClock } from './clock.ts';
import type { Hook, HookSignature } from './hooks.ts';
import type { Meeting, User } from './meeting.ts';
import type { FormatType, Recording } from './recording.ts';

/** Everything a running sandbox knows. All of it is in memory. */
export interface World {
  clock: SandboxClock;
  logger: SandboxLogger;
  secrets: readonly string[];
  /** Null for a server of its own. */
  balancer: Balancer | null;
  /** Whether bbb-webhooks runs beside the server. */
  hasHooks: boolean;
  /** Whether users who count as authenticated are told apart from guests by the guest policy. */
  authenticatedGuest: boolean;
  /** By internal id, in the order of creation. */
  meetings: Map<string, Meeting>;
  recordings: Recording[];
  /** What every recording is made into. */
  recordingFormats: readonly FormatType[];
  /** Whether a recording appears as published, or unpublished, once it has been processed. */
  publishesRecordings: boolean;
  /** By id, in the order of creation. */
  hooks: Map<string, Hook>;
  hookSignature: HookSignature;
  /** What the server calls itself. */
  domain: string;
  callbacks: CallbackSender;
  faults: FaultList;
  calls: CallLog;
  /** Aborted when the server closes. */
  closing: AbortSignal;
}

/** A pino logger fits. */
export interface SandboxLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Takes the external or the internal id. Of several with one external id the live one wins, then the newest. */
export function findMeeting(world: World, id: string): Meeting | undefined {
  const exact = world.meetings.get(id);
  if (exact) return exact;
  const sameName = [...world.meetings.values()].filter((meeting) => meeting.externalId === id);
  return sameName.find((meeting) => meeting.endedAt === null) ?? sameName.at(-1);
}

export function liveMeetings(world: World): Meeting[] {
  return [...world.meetings.values()].filter((meeting) => meeting.endedAt === null);
}

export interface Session {
  meeting: Meeting;
  user: User;
}

export function findSession(world: World, sessionToken: string): Session | undefined {
  for (const meeting of world.meetings.values()) {
    for (const user of meeting.users.values()) {
      if (user.sessionToken === sessionToken) return { meeting, user };
    }
  }
  return undefined;
}
