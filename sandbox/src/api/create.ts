import { createHash, randomInt } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import { type CallbackUrls, type Meeting, newMeeting, addEvent } from '../world/meeting.ts';
import { type World, findMeeting } from '../world/world.ts';
import type { ApiCall } from './request/call.ts';
import { readCreateSettings } from './create-parameters.ts';
import { type PresentationDocument, readClientSettings, readDocuments } from './documents.ts';
import {
  type Parameters,
  readFlag,
  readMeetingId,
  readMetadata,
  readPassword,
  readPluginParameters,
  readText,
} from './request/parameters.ts';
import { invalid, refusal } from './request/refusals.ts';
import { randomName } from './joining/random-name.ts';
import { printDate } from './print-meeting.ts';
import { success } from './request/xml.ts';

/** Creates a meeting, or returns the existing one unchanged if the request is the same. */
export function create({ world, parameters, xml }: ApiCall): Answer {
  const request = readCreateRequest(parameters, xml);
  const existing = world.meetings.listByExternalId(request.externalId).find(({ endedAt }) => endedAt === null);
  if (existing) {
    if (!isSameRequest(existing, request)) throw refusal('idNotUnique');
    return printCreated(existing, duplicateWarning);
  }
  const parentId = request.isBreakout ? findParent(world, parameters) : null;
  const createTime = findUnusedCreateTime(world, request.externalId);
  const meeting = newMeeting({
    externalId: request.externalId,
    internalId: `${sha1(request.externalId)}-${createTime}`,
    name: request.name,
    createTime,
    attendeePassword: request.attendeePassword ?? randomName(8),
    moderatorPassword: request.moderatorPassword ?? randomName(8),
    voiceBridge: chooseVoiceBridge(world, request.voiceBridge),
    settings: request.settings,
    metadata: request.metadata,
    callbackUrls: readCallbackUrls(request.metadata),
    documents: request.documents,
    clientSettings: request.clientSettings,
    pluginParameters: readPluginParameters(parameters),
    parentId,
  });
  addCreationEvent(meeting);
  world.meetings.add(meeting);
  world.logger.info({ meetingID: meeting.externalId }, 'A meeting was created.');
  return printCreated(meeting, { messageKey: '', message: '' });
}

/** Platforms use three different names for the address of the recording callback. The first one with a value counts. */
function readCallbackUrls(metadata: ReadonlyMap<string, string>): CallbackUrls {
  const readyNames = ['bbb-recording-ready-url', 'bn-recording-ready-url', 'canvas-recording-ready-url'];
  return {
    recordingReady: readyNames.map((key) => metadata.get(key)).find(Boolean) ?? null,
    analytics: metadata.get('analytics-callback-url') || null,
  };
}

function addCreationEvent(meeting: Meeting): void {
  const { settings, createTime } = meeting;
  addEvent(meeting, createTime, 'meeting-created', {
    meeting: {
      name: meeting.name,
      'is-breakout': meeting.parentId !== null,
      'parent-id': meeting.parentId ?? 'bbb-none',
      duration: settings.duration,
      'create-time': createTime,
      'create-date': printDate(createTime),
      'moderator-pass': meeting.moderatorPassword,
      'viewer-pass': meeting.attendeePassword,
      record: settings.record,
      'voice-conf': meeting.voiceBridge,
      'dial-number': settings.dialNumber,
      'max-users': settings.maxParticipants,
      metadata: Object.fromEntries(meeting.metadata),
    },
  });
}

export function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

const duplicateWarning = {
  messageKey: 'duplicateWarning',
  message: 'This conference was already in existence and may currently be in progress.',
};

type CreateRequest = ReturnType<typeof readCreateRequest>;

function readCreateRequest(parameters: Parameters, xml: string | null) {
  const externalId = readMeetingId(parameters);
  const name = readName(parameters);
  const attendeePassword = readPassword(parameters, 'attendeePW');
  const moderatorPassword = readPassword(parameters, 'moderatorPW');
  const voiceBridge = readText(parameters, 'voiceBridge');
  if (voiceBridge !== undefined && !/^\d{1,9}$/.test(voiceBridge)) {
    throw refusal('voiceBridgeInteger');
  }
  const isBreakout =
    readFlag(parameters, 'isBreakout', 'You must provide a boolean value (true or false) for the breakout room') ??
    false;
  const settings = readCreateSettings(parameters);
  const documents = readDocuments(xml ?? '');
  const clientSettings = readClientSettings(xml ?? '');
  if (settings.preUploadedPresentation !== '') documents.push(readPreUploadedPresentation(settings));
  const metadata = readMetadata(parameters);
  return {
    externalId,
    name,
    attendeePassword,
    moderatorPassword,
    voiceBridge,
    isBreakout,
    settings,
    documents,
    clientSettings,
    metadata,
  };
}

function readName(parameters: Parameters): string {
  if (!parameters.has('name')) throw refusal('nameMissing');
  const name = readText(parameters, 'name');
  if (name === undefined) throw refusal('nameEmpty');
  if (name.length < 2 || name.length > 256) throw refusal('nameSize');
  return name;
}

function readPreUploadedPresentation(settings: CreateRequest['settings']): PresentationDocument {
  const url = settings.preUploadedPresentation;
  if (!/^https?:\/\//i.test(url)) throw invalid('PreUploadedPresentation must be a valid URL');
  return {
    name: settings.preUploadedPresentationName || (url.split('/').at(-1) ?? 'document'),
    url,
    sizeBytes: 0,
    current: true,
    downloadable: false,
    removable: true,
  };
}

/** Both passwords match, or neither was sent. */
function isSameRequest(existing: Meeting, request: CreateRequest): boolean {
  const { attendeePassword, moderatorPassword } = request;
  if (attendeePassword === undefined && moderatorPassword === undefined) return true;
  return attendeePassword === existing.attendeePassword && moderatorPassword === existing.moderatorPassword;
}

function findParent(world: World, parameters: Parameters): string {
  const parentId = readText(parameters, 'parentMeetingID');
  if (parentId === undefined) throw refusal('parentMissing');
  const parent = findMeeting(world, parentId);
  if (!parent) throw refusal('parentUnknown');
  return parent.internalId;
}

/** The clock can stand still, but internal ids must be unique. */
function findUnusedCreateTime(world: World, externalId: string): number {
  const prefix = sha1(externalId);
  const isUsed = (time: number) =>
    world.meetings.findByInternalId(`${prefix}-${time}`) !== undefined ||
    world.recordings.some((recording) => recording.recordId === `${prefix}-${time}`);
  let createTime = world.clock.now();
  while (isUsed(createTime)) createTime++;
  return createTime;
}

function chooseVoiceBridge(world: World, requestedBridge: string | undefined): string {
  const isTaken = (bridge: string) => bridge === reservedVoiceBridge || world.meetings.isVoiceBridgeTaken(bridge);
  if (requestedBridge !== undefined) {
    if (isTaken(requestedBridge)) throw refusal('voiceBridgeTaken');
    return requestedBridge;
  }
  for (;;) {
    const bridge = String(randomInt(10_000, 100_000));
    if (!isTaken(bridge)) return bridge;
  }
}

/** The voice bridge of the echo test. */
const reservedVoiceBridge = '99999';

function printCreated(meeting: Meeting, warning: { messageKey: string; message: string }): Answer {
  return success({
    meetingID: meeting.externalId,
    internalMeetingID: meeting.internalId,
    parentMeetingID: meeting.parentId ?? 'bbb-none',
    attendeePW: meeting.attendeePassword,
    moderatorPW: meeting.moderatorPassword,
    createTime: meeting.createTime,
    voiceBridge: meeting.voiceBridge,
    dialNumber: meeting.settings.dialNumber,
    createDate: printDate(meeting.createTime),
    hasUserJoined: meeting.hasUserJoined,
    duration: meeting.settings.duration,
    hasBeenForciblyEnded: false,
    ...warning,
  });
}
