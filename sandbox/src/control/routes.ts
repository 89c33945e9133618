import { faultKinds, type FaultRequest } from '../faults.ts';
import { type Answer, json } from '../http/answer.ts';
import { mediaType, readBody } from '../http/body.ts';
import { type SandboxRequest, decodeQuery } from '../http/request.ts';
import { serverStates } from '../scalelite/balancer.ts';
import { type CallbackDisturbance, callbackKinds, disturbanceKinds } from '../world/callbacks/callbacks.ts';
import { formatTypes, recordingStates } from '../world/recording.ts';
import type { JoinUserRequest, SandboxControl, UserChoice } from './control.ts';
import { type JsonObject, flag, listOf, number, object, oneOf, required, text, texts } from './json-fields.ts';
import type { PlantRecordingRequest } from './recording-control.ts';
import { ControlRefusal } from './refusal.ts';

/** Handles requests below `/sandbox/control/`. `path` is the rest of the path. */
export async function answerControl(control: SandboxControl, request: SandboxRequest, path: string): Promise<Answer> {
  const route = routes.get(`${request.method} ${path}`);
  if (!route) return json(404, { message: 'There is no such control.' });
  // Against CSRF: a page of another origin cannot send this type without a preflight, which is rejected.
  if (request.method === 'POST' && mediaType(request.message.headers) !== 'application/json') {
    return json(415, { message: 'Send application/json.' });
  }
  try {
    const body = request.method === 'POST' ? object(await readJson(request)) : {};
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
  ['POST users/leave', (control, body) => control.leaveUser(readChoice(body))],
  ['POST guests/admit', (control, body) => control.admitGuest(readChoice(body))],
  ['POST guests/deny', (control, body) => control.denyGuest(readChoice(body))],
  ['POST meetings/record', record],
  ['POST meetings/end', (control, body) => control.endMeeting(required(text(body, 'meetingID'), 'meetingID'))],
  ['POST meetings/breakout-rooms', openBreakoutRooms],
  ['POST recordings/finish', (control, body) => control.finishRecordings(text(body, 'recordID'))],
  ['POST recordings/plant', (control, body) => ({ recordID: control.plantRecording(readPlant(body)) })],
  ['POST recordings/lose', (control, body) => control.loseRecording(required(text(body, 'recordID'), 'recordID'))],
  ['POST recordings/break', breakRecording],
  ['POST events', announceEvent],
  ['GET callbacks', (control) => control.state().callbacks],
  ['POST callbacks/replay', (control, body) => control.replayCallback(required(number(body, 'id'), 'id'))],
  ['POST callbacks/disturb', (control, body) => control.disturbCallbacks(readDisturbance(body))],
  ['DELETE callbacks/disturb', (control) => control.clearDisturbances()],
  [
    'POST server',
    (control, body) => control.setServer(oneOf(body, 'state', serverStates) ?? 'enabled', flag(body, 'online') ?? true),
  ],
  ['POST restart', (control) => control.restart()],
  ['GET faults', (control) => control.state().faults],
  ['POST faults', (control, body) => control.injectFault(readFault(body))],
  ['DELETE faults', (control, _body, query) => control.clearFaults(query.get('call'))],
  ['GET calls', (control) => control.calls()],
  ['DELETE calls', (control) => control.clearCalls()],
]);

function moveClock(control: SandboxControl, body: JsonObject): { now: number } {
  const advance = number(body, 'advanceSeconds');
  const now = text(body, 'now');
  if ((advance === undefined) === (now === undefined)) {
    throw new ControlRefusal('Give either advanceSeconds or now.');
  }
  if (advance !== undefined) control.advanceClock(advance * 1_000);
  if (now !== undefined) {
    const instant = Date.parse(now);
    if (Number.isNaN(instant)) throw new ControlRefusal('now must be a date-time.');
    control.setClock(instant);
  }
  return { now: control.state().now };
}

function record(control: SandboxControl, body: JsonObject): void {
  control.setRecording(required(text(body, 'meetingID'), 'meetingID'), flag(body, 'recording') ?? true);
}

function openBreakoutRooms(control: SandboxControl, body: JsonObject): { meetingIDs: string[] } {
  const meetingId = required(text(body, 'meetingID'), 'meetingID');
  const count = required(number(body, 'count'), 'count');
  if (!Number.isInteger(count) || count < 1 || count > 50) throw new ControlRefusal('count must be from 1 to 50.');
  return { meetingIDs: control.openBreakoutRooms(meetingId, count, number(body, 'minutes')) };
}

function breakRecording(control: SandboxControl, body: JsonObject): void {
  control.breakRecording(required(text(body, 'recordID'), 'recordID'), flag(body, 'broken') ?? true);
}

function announceEvent(control: SandboxControl, body: JsonObject): void {
  const attributes = body['attributes'] === undefined ? {} : object(body['attributes']);
  control.announceEvent({
    meetingID: required(text(body, 'meetingID'), 'meetingID'),
    event: required(text(body, 'event'), 'event'),
    attributes,
  });
}

function readPlant(body: JsonObject): PlantRecordingRequest {
  return withoutUndefined({
    meetingID: required(text(body, 'meetingID'), 'meetingID'),
    state: oneOf(body, 'state', recordingStates),
    recordID: text(body, 'recordID'),
    name: text(body, 'name'),
    startTime: number(body, 'startTime'),
    endTime: number(body, 'endTime'),
    recordedMs: number(body, 'recordedMs'),
    participants: number(body, 'participants'),
    sizeBytes: number(body, 'sizeBytes'),
    formats: listOf(body, 'formats', formatTypes),
    metadata: texts(body, 'metadata'),
  });
}

function readDisturbance(body: JsonObject): CallbackDisturbance {
  return {
    kind: required(oneOf(body, 'kind', disturbanceKinds), 'kind'),
    callback: oneOf(body, 'callback', [...callbackKinds, '*'] as const) ?? '*',
    times: body['times'] === null ? null : (number(body, 'times') ?? 1),
  };
}

function readJoin(body: JsonObject): JoinUserRequest {
  const sessionToken = text(body, 'sessionToken');
  if (sessionToken !== undefined) return { sessionToken };
  return withoutUndefined({
    meetingID: required(text(body, 'meetingID'), 'meetingID'),
    fullName: required(text(body, 'fullName'), 'fullName'),
    userID: text(body, 'userID'),
    role: oneOf(body, 'role', ['MODERATOR', 'VIEWER'] as const),
    guest: flag(body, 'guest'),
    isListeningOnly: flag(body, 'isListeningOnly'),
    hasJoinedVoice: flag(body, 'hasJoinedVoice'),
    hasVideo: flag(body, 'hasVideo'),
  });
}

function readChoice(body: JsonObject): UserChoice {
  const sessionToken = text(body, 'sessionToken');
  if (sessionToken !== undefined) return { sessionToken };
  return {
    meetingID: required(text(body, 'meetingID'), 'meetingID'),
    userID: required(text(body, 'userID'), 'userID'),
  };
}

function readFault(body: JsonObject): FaultRequest {
  return withoutUndefined({
    kind: required(oneOf(body, 'kind', faultKinds), 'kind'),
    call: text(body, 'call'),
    times: body['times'] === null ? null : number(body, 'times'),
    applied: flag(body, 'applied'),
    milliseconds: number(body, 'milliseconds'),
    status: number(body, 'status'),
    bytes: number(body, 'bytes'),
    location: text(body, 'location'),
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

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
