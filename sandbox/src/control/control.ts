import { decideGuestStatus } from '../api/joining/guest-status.ts';
import { newUser, readPreferences } from '../api/joining/join.ts';
import { randomName } from '../api/joining/random-name.ts';
import type { LoggedCall } from '../call-log.ts';
import type { Fault, FaultRequest } from '../faults.ts';
import type { ServerState } from '../scalelite/balancer.ts';
import { enterMeeting, leaveMeeting, registerUser, setRecording } from '../world/attendance.ts';
import { endMeeting, runDueTasks } from '../world/ending.ts';
import type { CallbackDisturbance } from '../world/callbacks/callbacks.ts';
import { notifyHooks } from '../world/callbacks/hooks.ts';
import type { Meeting, Role, User } from '../world/meeting.ts';
import { canStartRecording } from '../world/recording.ts';
import { type World, findMeeting } from '../world/world.ts';
import { openBreakoutRooms } from './breakout-rooms.ts';
import {
  type PlantRecordingRequest,
  breakRecording,
  finishProcessing,
  loseRecording,
  plantRecording,
} from './recording-control.ts';
import { ControlRefusal } from './refusal.ts';
import { type SandboxState, type UserState, describeUser, describeWorld } from './state.ts';

/** Controls the sandbox, for tests and demonstrations. */
export interface SandboxControl {
  state(): SandboxState;
  /** Removes meetings, recordings, hooks, callbacks, faults and calls, and resets the clock. */
  reset(): void;
  /** Simulates a crash and restart: all meetings are gone, without events or recordings. */
  restart(): void;
  /** Also ends the meetings and processes the recordings that have become due, and begins to send the due callbacks. */
  advanceClock(milliseconds: number): void;
  setClock(instant: number): void;
  /** Joins a user without a browser: a new user, or the user of a session from the join call. */
  joinUser(request: JoinUserRequest): UserState;
  leaveUser(request: UserChoice): UserState;
  admitGuest(request: UserChoice): UserState;
  denyGuest(request: UserChoice): UserState;
  /** Starts or stops recording, like the record button. */
  setRecording(meetingId: string, isRecording: boolean): void;
  endMeeting(meetingId: string): void;
  /** Creates breakout rooms for `minutes` (15 by default). @returns their meetingIDs */
  openBreakoutRooms(meetingId: string, count: number, minutes?: number): string[];
  /** Ends the processing of one recording, or of all. */
  finishRecordings(recordId?: string): void;
  /** Adds a recording without a meeting, as from another time or server. @returns its recordID */
  plantRecording(request: PlantRecordingRequest): string;
  /** Removes a recording without events. */
  loseRecording(recordId: string): void;
  /** Breaks a recording, so that it is listed with an error instead of its data, or repairs it. */
  breakRecording(recordId: string, isBroken?: boolean): void;
  /** Sends any event to the hooks, such as `poll-started`. */
  announceEvent(request: AnnounceEventRequest): void;
  /** The state of the server behind a Scalelite. */
  setServer(state: ServerState, isOnline: boolean): void;
  injectFault(fault: FaultRequest): Fault;
  /** Clears the faults of the call, or all faults. */
  clearFaults(call?: string): void;
  calls(): readonly LoggedCall[];
  clearCalls(): void;
  /** Drops, duplicates or forges callbacks. */
  disturbCallbacks(disturbance: CallbackDisturbance): void;
  clearDisturbances(): void;
  /** Sends the last request of this callback again, unchanged. */
  replayCallback(id: number): void;
  /** Resolves when no callback is being sent. */
  waitForCallbacks(): Promise<void>;
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

/** Selects a user. `userID` is the external or the internal id. */
export type UserChoice = { sessionToken: string } | { meetingID: string; userID: string };

export interface AnnounceEventRequest {
  meetingID: string;
  /** `poll-started`, … */
  event: string;
  /** The attributes besides the meeting. */
  attributes?: Readonly<Record<string, unknown>>;
}

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
    restart() {
      world.meetings.clear();
      world.callbacks.clear();
    },
    advanceClock(milliseconds) {
      world.clock.advance(milliseconds);
      runDueTasks(world);
    },
    setClock(instant) {
      world.clock.setTo(instant);
      runDueTasks(world);
    },
    joinUser(request) {
      const { meeting, user } = findOrCreateUser(world, request);
      const connection = { name: 'control', lastRequestMs: null };
      const entry = enterMeeting(meeting, user, world.clock.now(), connection);
      if (entry === 'ended') throw new ControlRefusal('The meeting has ended.');
      runDueTasks(world);
      return describeUser(user);
    },
    leaveUser(request) {
      const { meeting, user } = findUser(world, request);
      leaveMeeting(meeting, user, world.clock.now());
      runDueTasks(world);
      return describeUser(user);
    },
    admitGuest: (request) => answerGuest(world, request, 'ALLOW'),
    denyGuest: (request) => answerGuest(world, request, 'DENY'),
    setRecording(meetingId, isRecording) {
      const meeting = requireLiveMeeting(world, meetingId);
      if (isRecording && !canStartRecording(meeting)) {
        throw new ControlRefusal('Recording needs record=true and a participant in the meeting.');
      }
      setRecording(meeting, isRecording, world.clock.now());
      runDueTasks(world);
    },
    endMeeting(meetingId) {
      endMeeting(world, requireLiveMeeting(world, meetingId), world.clock.now(), 'moderator');
      runDueTasks(world);
    },
    openBreakoutRooms(meetingId, count, minutes = 15) {
      const opened = openBreakoutRooms(world, requireLiveMeeting(world, meetingId), count, minutes);
      runDueTasks(world);
      return opened;
    },
    finishRecordings(recordId) {
      finishProcessing(world, recordId);
      runDueTasks(world);
    },
    plantRecording: (request) => plantRecording(world, request),
    loseRecording: (recordId) => loseRecording(world, recordId),
    breakRecording: (recordId, isBroken = true) => breakRecording(world, recordId, isBroken),
    announceEvent({ meetingID, event, attributes = {} }) {
      const at = world.clock.now();
      notifyHooks(world, requireLiveMeeting(world, meetingID), { type: event, at, attributes: { ...attributes } });
      runDueTasks(world);
    },
    setServer(state, isOnline) {
      if (!world.balancer) throw new ControlRefusal('This sandbox does not simulate a Scalelite.');
      world.balancer.serverState = state;
      world.balancer.isServerOnline = isOnline;
    },
    injectFault: (fault) => world.faults.inject(fault),
    clearFaults: (call) => world.faults.clear(call),
    calls: () => world.calls.entries(),
    clearCalls: () => world.calls.clear(),
    disturbCallbacks: (disturbance) => world.callbacks.disturb(disturbance),
    clearDisturbances: () => world.callbacks.clearDisturbances(),
    replayCallback(id) {
      if (!world.callbacks.replay(id)) throw new ControlRefusal('This callback does not exist or has not been sent.');
    },
    waitForCallbacks: () => world.callbacks.waitUntilIdle(),
  };
}

function findOrCreateUser(world: World, request: JoinUserRequest) {
  if ('sessionToken' in request) return findUser(world, request);
  const meeting = requireLiveMeeting(world, request.meetingID);
  const role = request.role ?? 'VIEWER';
  const isGuest = request.guest ?? false;
  const internalId = `w_${randomName(12)}`;
  const user = newUser({
    internalId,
    externalId: request.userID ?? internalId,
    fullName: request.fullName,
    role,
    isGuest,
    guestStatus: decideGuestStatus(
      meeting.settings.guestPolicy,
      { role, isGuest, isAuthenticated: request.guest === undefined },
      world.authenticatedGuest,
    ),
    customData: new Map(),
    preferences: readPreferences(new Map()),
  });
  user.isListeningOnly = request.isListeningOnly ?? false;
  user.hasJoinedVoice = request.hasJoinedVoice ?? false;
  user.hasVideo = request.hasVideo ?? false;
  registerUser(world, meeting, user);
  return { meeting, user };
}

function answerGuest(world: World, request: UserChoice, answer: 'ALLOW' | 'DENY'): UserState {
  const { user } = findUser(world, request);
  if (user.guestStatus !== 'WAIT') throw new ControlRefusal('The user is not waiting.');
  user.guestStatus = answer;
  return describeUser(user);
}

function findUser(world: World, choice: UserChoice): { meeting: Meeting; user: User } {
  if ('sessionToken' in choice) {
    const session = world.meetings.findSession(choice.sessionToken);
    if (!session) throw new ControlRefusal('There is no such session.');
    return session;
  }
  const meeting = requireLiveMeeting(world, choice.meetingID);
  const users = [...meeting.users.values()].filter(
    (user) => user.internalId === choice.userID || user.externalId === choice.userID,
  );
  const user = users.find(({ presence }) => presence === 'registered' || presence === 'joined') ?? users.at(-1);
  if (!user) throw new ControlRefusal('There is no such user in the meeting.');
  return { meeting, user };
}

function requireLiveMeeting(world: World, id: string): Meeting {
  const meeting = findMeeting(world, id);
  if (!meeting) throw new ControlRefusal('There is no such meeting.');
  return meeting;
}
