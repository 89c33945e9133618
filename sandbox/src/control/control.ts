import { guestStatusFor } from '../api/guest-status.ts';
import { newUser } from '../api/join.ts';
import { randomName } from '../api/random-name.ts';
import type { LoggedCall } from '../call-log.ts';
import type { Fault, FaultRequest } from '../faults.ts';
import { enterMeeting, leaveMeeting, setRecording } from '../world/attendance.ts';
import { endMeeting, settle } from '../world/ending.ts';
import type { Meeting, Role, User } from '../world/meeting.ts';
import { publish } from '../world/processing.ts';
import { mayStartRecording } from '../world/recording.ts';
import { type World, findMeeting, findSession } from '../world/world.ts';
import { type SandboxState, type UserState, describeUser, describeWorld } from './state.ts';

/** What a test, or somebody trying things out, can do to the sandbox from outside. */
export interface SandboxControl {
  state(): SandboxState;
  /** Forgets meetings, recordings, callbacks, faults and calls, and puts the clock right. */
  reset(): void;
  /** Expiry, callbacks and processing that become due on the way happen before this returns or, over the network, start. */
  advanceClock(milliseconds: number): void;
  setClock(instant: number): void;
  /** Puts a user in without a browser: somebody new, or the holder of a session from the join call. */
  joinUser(request: JoinUserRequest): UserState;
  leaveUser(request: UserChoice): UserState;
  admitGuest(request: UserChoice): UserState;
  denyGuest(request: UserChoice): UserState;
  /** Presses the record button, or releases it. */
  setRecording(meetingId: string, isRecording: boolean): void;
  endMeeting(meetingId: string): void;
  /** Ends processing now, of one recording or of all. */
  finishRecordings(recordId?: string): void;
  injectFault(fault: FaultRequest): Fault;
  /** Of one call, or all of them. */
  clearFaults(call?: string): void;
  calls(): readonly LoggedCall[];
  clearCalls(): void;
  /** Resolves when no callback is being sent. */
  callbacksSent(): Promise<void>;
}

export type JoinUserRequest =
  | { sessionToken: string }
  | {
      meetingID: string;
      fullName: string;
      userID?: string;
      role?: Role;
      guest?: boolean;
      isListeningOnly?: boolean;
      hasJoinedVoice?: boolean;
      hasVideo?: boolean;
    };

/** `userID` is the external or the internal id of the user. */
export type UserChoice = { sessionToken: string } | { meetingID: string; userID: string };

/** What was asked of the control API cannot be done. */
export class ControlRefusal extends Error {}

export function createControl(world: World): SandboxControl {
  return {
    state: () => describeWorld(world),
    reset() {
      world.meetings.clear();
      world.recordings.length = 0;
      world.hooks.clear();
      world.callbacks.clear();
      world.faults.clear();
      world.calls.clear();
      world.clock.reset();
    },
    advanceClock(milliseconds) {
      world.clock.advance(milliseconds);
      settle(world);
    },
    setClock(instant) {
      world.clock.setTo(instant);
      settle(world);
    },
    joinUser(request) {
      const { meeting, user } = userToJoin(world, request);
      const connection = { name: 'control', heardAt: null };
      const entry = enterMeeting(meeting, user, world.clock.now(), connection);
      if (entry === 'ended') throw new ControlRefusal('The meeting has ended.');
      settle(world);
      return describeUser(user);
    },
    leaveUser(request) {
      const { meeting, user } = chosenUser(world, request);
      leaveMeeting(meeting, user, world.clock.now());
      settle(world);
      return describeUser(user);
    },
    admitGuest: (request) => answerGuest(world, request, 'ALLOW'),
    denyGuest: (request) => answerGuest(world, request, 'DENY'),
    setRecording(meetingId, isRecording) {
      const meeting = liveMeeting(world, meetingId);
      if (isRecording && !mayStartRecording(meeting)) {
        throw new ControlRefusal('Recording needs record=true and somebody in the meeting.');
      }
      setRecording(meeting, isRecording, world.clock.now());
      settle(world);
    },
    endMeeting(meetingId) {
      endMeeting(world, liveMeeting(world, meetingId), world.clock.now(), 'moderator');
      settle(world);
    },
    finishRecordings(recordId) {
      for (const recording of world.recordings) {
        if (recordId !== undefined && recording.recordId !== recordId) continue;
        if (recording.state !== 'processing') continue;
        recording.readyAt = Math.min(recording.readyAt, world.clock.now());
        publish(world, recording, recording.readyAt);
      }
      settle(world);
    },
    injectFault: (fault) => world.faults.inject(fault),
    clearFaults: (call) => world.faults.clear(call),
    calls: () => world.calls.entries(),
    clearCalls: () => world.calls.clear(),
    callbacksSent: () => world.callbacks.idle(),
  };
}

function userToJoin(world: World, request: JoinUserRequest) {
  if ('sessionToken' in request) return chosenUser(world, request);
  const meeting = liveMeeting(world, request.meetingID);
  const role = request.role ?? 'VIEWER';
  const isGuest = request.guest ?? false;
  const internalId = `w_${randomName(12)}`;
  const user = newUser({
    internalId,
    externalId: request.userID ?? internalId,
    fullName: request.fullName,
    role,
    isGuest,
    guestStatus: guestStatusFor(
      meeting.settings.guestPolicy,
      { role, isGuest, isAuthenticated: request.guest === undefined },
      world.authenticatedGuest,
    ),
    customData: new Map(),
  });
  user.isListeningOnly = request.isListeningOnly ?? false;
  user.hasJoinedVoice = request.hasJoinedVoice ?? false;
  user.hasVideo = request.hasVideo ?? false;
  meeting.users.set(internalId, user);
  return { meeting, user };
}

function answerGuest(world: World, request: UserChoice, answer: 'ALLOW' | 'DENY'): UserState {
  const { user } = chosenUser(world, request);
  if (user.guestStatus !== 'WAIT') throw new ControlRefusal('The user is not waiting.');
  user.guestStatus = answer;
  return describeUser(user);
}

function chosenUser(world: World, choice: UserChoice): { meeting: Meeting; user: User } {
  if ('sessionToken' in choice) {
    const session = findSession(world, choice.sessionToken);
    if (!session) throw new ControlRefusal('There is no such session.');
    return session;
  }
  const meeting = liveMeeting(world, choice.meetingID);
  const users = [...meeting.users.values()].filter(
    (user) => user.internalId === choice.userID || user.externalId === choice.userID,
  );
  const user = users.find((each) => each.presence !== 'left') ?? users.at(-1);
  if (!user) throw new ControlRefusal('There is no such user in the meeting.');
  return { meeting, user };
}

function liveMeeting(world: World, id: string): Meeting {
  const meeting = findMeeting(world, id);
  if (!meeting || meeting.endedAt !== null) throw new ControlRefusal('There is no such meeting.');
  return meeting;
}
