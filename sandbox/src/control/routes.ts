import { faultKinds, type FaultRequest } from '../faults.ts';
import { type Answer, json } from '../http/answer.ts';
import { mediaType, readBody } from '../http/body.ts';
import { type SandboxRequest, decodeQuery } from '../http/request.ts';
import { serverStates } from '../scalelite/balancer.ts';
import { type CallbackDisturbance, callbackKinds, disturbanceKinds } from '../world/callbacks/callbacks.ts';
import { formatTypes, recordingStates } from '../world/recording.ts';
import type { JoinUserRequest, SandboxControl, UserChoice } from './control.ts';
import {
  type JsonObject,
  readFlag,
  readChoices,
  readNumber,
  requireObject,
  readChoice,
  requireValue,
  readText,
  readTexts,
} from './json-fields.ts';
import type { PlantRecordingRequest } from './recording-control.ts';
import { ControlRefusal } from './refusal.ts';

/** Handles requests below `/sandbox/control/`. `path` is the rest of the path. */
export async function answerControl(control: SandboxControl, request: SandboxRequest, path: string): Promise<Answer> {
  const route = routes.get(`${request.method} ${path}`);
  if (!route) return json(404, { message: 'This control does not exist.' });
  // Against CSRF: a page of another origin cannot send this type without a preflight, which is rejected.
  if (request.method === 'POST' && mediaType(request.message.headers) !== 'application/json') {
    return json(415, { message: 'Send application/json.' });
  }
  try {
    const body = request.method === 'POST' ? requireObject(await readJson(request)) : {};
    return json(200, route(control, body, decodeQuery(request.query)) ?? { ok: true });
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error;
    return json(422, { message: error.message });
  }
}

type ControlRoute = (control: SandboxControl, body: JsonObject, query: ReadonlyMap<string, string>) => unknown;

const routes = new Map<string, ControlRoute>([
  ['GET state', (control) => control.state()],
  ['POST reset', (control) => control.reset()],
  ['POST clock', moveClock],
  ['POST users/join', (control, body) => control.joinUser(readJoin(body))],
  ['POST users/leave', (control, body) => control.leaveUser(readUserChoice(body))],
  ['POST guests/admit', (control, body) => control.admitGuest(readUserChoice(body))],
  ['POST guests/deny', (control, body) => control.denyGuest(readUserChoice(body))],
  ['POST meetings/record', setRecording],
  ['POST meetings/end', (control, body) => control.endMeeting(requireValue(readText(body, 'meetingID'), 'meetingID'))],
  ['POST meetings/breakout-rooms', openBreakoutRooms],
  ['POST recordings/finish', (control, body) => control.finishRecordings(readText(body, 'recordID'))],
  ['POST recordings/plant', (control, body) => ({ recordID: control.plantRecording(readPlantRequest(body)) })],
  [
    'POST recordings/lose',
    (control, body) => control.loseRecording(requireValue(readText(body, 'recordID'), 'recordID')),
  ],
  ['POST recordings/break', breakRecording],
  ['POST events', announceEvent],
  ['GET callbacks', (control) => control.state().callbacks],
  ['POST callbacks/replay', (control, body) => control.replayCallback(requireValue(readNumber(body, 'id'), 'id'))],
  ['POST callbacks/disturb', (control, body) => control.disturbCallbacks(readDisturbance(body))],
  ['DELETE callbacks/disturb', (control) => control.clearDisturbances()],
  [
    'POST server',
    (control, body) =>
      control.setServer(readChoice(body, 'state', serverStates) ?? 'enabled', readFlag(body, 'online') ?? true),
  ],
  ['POST restart', (control) => control.restart()],
  ['GET faults', (control) => control.state().faults],
  ['POST faults', (control, body) => control.injectFault(readFault(body))],
  ['DELETE faults', (control, _body, query) => control.clearFaults(query.get('call'))],
  ['GET calls', (control) => control.calls()],
  ['DELETE calls', (control) => control.clearCalls()],
]);

function moveClock(control: SandboxControl, body: JsonObject): { now: number } {
  const advance = readNumber(body, 'advanceSeconds');
  const now = readText(body, 'now');
  if ((advance === undefined) === (now === undefined)) {
    throw new ControlRefusal('Send either advanceSeconds or now.');
  }
  if (advance !== undefined) control.advanceClock(advance * 1_000);
  if (now !== undefined) {
    const instant = Date.parse(now);
    if (Number.isNaN(instant)) throw new ControlRefusal('now must be a date-time.');
    control.setClock(instant);
  }
  return { now: control.state().now };
}

function setRecording(control: SandboxControl, body: JsonObject): void {
  control.setRecording(requireValue(readText(body, 'meetingID'), 'meetingID'), readFlag(body, 'recording') ?? true);
}

function openBreakoutRooms(control: SandboxControl, body: JsonObject): { meetingIDs: string[] } {
  const meetingId = requireValue(readText(body, 'meetingID'), 'meetingID');
  const count = requireValue(readNumber(body, 'count'), 'count');
  if (!Number.isInteger(count) || count < 1 || count > 50) throw new ControlRefusal('count must be from 1 to 50.');
  return { meetingIDs: control.openBreakoutRooms(meetingId, count, readNumber(body, 'minutes')) };
}

function breakRecording(control: SandboxControl, body: JsonObject): void {
  control.breakRecording(requireValue(readText(body, 'recordID'), 'recordID'), readFlag(body, 'broken') ?? true);
}

function announceEvent(control: SandboxControl, body: JsonObject): void {
  const attributes = body['attributes'] === undefined ? {} : requireObject(body['attributes']);
  control.announceEvent({
    meetingID: requireValue(readText(body, 'meetingID'), 'meetingID'),
    event: requireValue(readText(body, 'event'), 'event'),
    attributes,
  });
}

function readPlantRequest(body: JsonObject): PlantRecordingRequest {
  return removeUndefined({
    meetingID: requireValue(readText(body, 'meetingID'), 'meetingID'),
    state: readChoice(body, 'state', recordingStates),
    recordID: readText(body, 'recordID'),
    name: readText(body, 'name'),
    startTime: readNumber(body, 'startTime'),
    endTime: readNumber(body, 'endTime'),
    recordedMs: readNumber(body, 'recordedMs'),
    participants: readNumber(body, 'participants'),
    sizeBytes: readNumber(body, 'sizeBytes'),
    formats: readChoices(body, 'formats', formatTypes),
    metadata: readTexts(body, 'metadata'),
  });
}

function readDisturbance(body: JsonObject): CallbackDisturbance {
  return {
    kind: requireValue(readChoice(body, 'kind', disturbanceKinds), 'kind'),
    callback: readChoice(body, 'callback', [...callbackKinds, '*'] as const) ?? '*',
    times: body['times'] === null ? null : (readNumber(body, 'times') ?? 1),
  };
}

function readJoin(body: JsonObject): JoinUserRequest {
  const sessionToken = readText(body, 'sessionToken');
  if (sessionToken !== undefined) return { sessionToken };
  return removeUndefined({
    meetingID: requireValue(readText(body, 'meetingID'), 'meetingID'),
    fullName: requireValue(readText(body, 'fullName'), 'fullName'),
    userID: readText(body, 'userID'),
    role: readChoice(body, 'role', ['MODERATOR', 'VIEWER'] as const),
    guest: readFlag(body, 'guest'),
    isListeningOnly: readFlag(body, 'isListeningOnly'),
    hasJoinedVoice: readFlag(body, 'hasJoinedVoice'),
    hasVideo: readFlag(body, 'hasVideo'),
  });
}

function readUserChoice(body: JsonObject): UserChoice {
  const sessionToken = readText(body, 'sessionToken');
  if (sessionToken !== undefined) return { sessionToken };
  return {
    meetingID: requireValue(readText(body, 'meetingID'), 'meetingID'),
    userID: requireValue(readText(body, 'userID'), 'userID'),
  };
}

function readFault(body: JsonObject): FaultRequest {
  return removeUndefined({
    kind: requireValue(readChoice(body, 'kind', faultKinds), 'kind'),
    call: readText(body, 'call'),
    times: body['times'] === null ? null : readNumber(body, 'times'),
    applied: readFlag(body, 'applied'),
    milliseconds: readNumber(body, 'milliseconds'),
    status: readNumber(body, 'status'),
    bytes: readNumber(body, 'bytes'),
    location: readText(body, 'location'),
  });
}

async function readJson(request: SandboxRequest): Promise<unknown> {
  const body = (await readBody(request.message)).toString('utf8');
  if (body.trim() === '') return {};
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw new ControlRefusal('The body is not JSON.');
  }
}

type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

function removeUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
