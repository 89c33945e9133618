import type { CallHandler } from './request/call.ts';
import { deleteRecordings, publishRecordings, updateRecordings } from './recordings/change-recordings.ts';
import { create } from './create.ts';
import { createHook, destroyHook, listHooks } from './hooks.ts';
import { insertDocument, sendChatMessage } from './joining/insert-document-and-chat.ts';
import { join } from './joining/join.ts';
import { end, getMeetingInfo, getMeetings, getSessions, isMeetingRunning } from './meetings.ts';
import { getRecordings } from './recordings/recordings.ts';
import { enter, feedback, getJoinUrl, guestWait, learningDashboard, signOut, stuns } from './joining/session-calls.ts';
import { getRecordingTextTracks, putRecordingTextTrack } from './recordings/text-tracks.ts';

export interface CallDeclaration {
  handler: CallHandler;
  methods: string[];
  bodies: string[];
  /** Responses and errors are JSON, and only for callers that accept JSON. */
  isJson?: boolean;
  /** Authenticated by a session token instead of a checksum. */
  isUnsigned?: boolean;
}

const form = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const xml = ['application/xml', 'text/xml'];
const jsonBody = ['application/json'];
const both = ['GET', 'POST'];
const sessionCall = { methods: ['GET'], bodies: [], isJson: true, isUnsigned: true };

/** All calls of the server. */
export const calls: ReadonlyMap<string, CallDeclaration> = new Map<string, CallDeclaration>([
  ['create', { handler: create, methods: both, bodies: [...form, ...xml] }],
  ['join', { handler: join, methods: ['GET'], bodies: [] }],
  ['isMeetingRunning', { handler: isMeetingRunning, methods: both, bodies: form }],
  ['getMeetingInfo', { handler: getMeetingInfo, methods: both, bodies: form }],
  ['getMeetings', { handler: getMeetings, methods: both, bodies: form }],
  ['getSessions', { handler: getSessions, methods: both, bodies: form }],
  ['end', { handler: end, methods: both, bodies: form }],
  ['getRecordings', { handler: getRecordings, methods: both, bodies: form }],
  ['publishRecordings', { handler: publishRecordings, methods: ['GET'], bodies: [] }],
  ['deleteRecordings', { handler: deleteRecordings, methods: ['GET'], bodies: [] }],
  ['updateRecordings', { handler: updateRecordings, methods: both, bodies: form }],
  ['getRecordingTextTracks', { handler: getRecordingTextTracks, methods: both, bodies: form, isJson: true }],
  [
    'putRecordingTextTrack',
    { handler: putRecordingTextTrack, methods: ['POST'], bodies: ['multipart/form-data'], isJson: true },
  ],
  ['insertDocument', { handler: insertDocument, methods: ['POST'], bodies: xml }],
  ['sendChatMessage', { handler: sendChatMessage, methods: ['GET'], bodies: [] }],
  ['getJoinUrl', { ...sessionCall, handler: getJoinUrl }],
  ['learningDashboard', { ...sessionCall, handler: learningDashboard }],
  ['feedback', { ...sessionCall, handler: feedback, methods: ['POST'], bodies: jsonBody }],
  ['stuns', { ...sessionCall, handler: stuns }],
  ['enter', { ...sessionCall, handler: enter }],
  ['guestWait', { ...sessionCall, handler: guestWait }],
  ['signOut', { ...sessionCall, handler: signOut, isJson: false }],
  ['hooks/create', { handler: createHook, methods: both, bodies: form }],
  ['hooks/list', { handler: listHooks, methods: both, bodies: form }],
  ['hooks/destroy', { handler: destroyHook, methods: both, bodies: form }],
]);
