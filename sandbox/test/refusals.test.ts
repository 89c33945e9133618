import { expect, test } from 'vitest';
import type { ScaleliteOptions, ServerState } from '../src/index.ts';
import { type RefusalName, refusals } from '../src/api/request/refusals.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { readAnswer } from './signed-call.ts';

interface Provocation {
  call: string;
  parameters?: Record<string, string>;
  /** The create parameters of the existing meeting. */
  meeting?: Record<string, string>;
  isEnded?: boolean;
  isFull?: boolean;
  /** The content type of the body. */
  contentType?: string;
  checksum?: string;
  body?: string | FormData;
  /** Sends the call to a Scalelite server with these options. */
  scalelite?: ScaleliteOptions;
  /** The state of the server behind the Scalelite. */
  server?: ServerState;
}

const textTrack = { recordID: 'known', kind: 'subtitles', lang: 'en' };

const join = { meetingID: 'demo', fullName: 'Anna', role: 'VIEWER', redirect: 'false' };

const provocations: Record<RefusalName, Provocation> = {
  checksumMismatch: { call: 'getMeetings', checksum: '0'.repeat(64) },
  checksumMissing: { call: 'getMeetings', checksum: '' },
  contentType: { call: 'end', contentType: 'application/json' },
  unsupportedRequest: { call: 'makeCoffee' },
  meetingIdMissing: { call: 'getMeetingInfo' },
  meetingIdSize: { call: 'getMeetingInfo', parameters: { meetingID: 'x' } },
  meetingIdComma: { call: 'getMeetingInfo', parameters: { meetingID: 'a,b' } },
  nameMissing: { call: 'create', parameters: { meetingID: 'new' } },
  nameEmpty: { call: 'create', parameters: { meetingID: 'new', name: '' } },
  nameSize: { call: 'create', parameters: { meetingID: 'new', name: 'x' } },
  passwordSize: { call: 'create', parameters: { meetingID: 'new', name: 'New', attendeePW: 'x' } },
  voiceBridgeInteger: {
    call: 'create',
    parameters: { meetingID: 'new', name: 'New', voiceBridge: 'x' },
  },
  voiceBridgeTaken: {
    call: 'create',
    meeting: { voiceBridge: '71234' },
    parameters: { meetingID: 'new', name: 'New', voiceBridge: '71234' },
  },
  parentMissing: {
    call: 'create',
    parameters: { meetingID: 'new', name: 'New', isBreakout: 'true' },
  },
  parentUnknown: {
    call: 'create',
    parameters: { meetingID: 'new', name: 'New', isBreakout: 'true', parentMeetingID: 'unknown' },
  },
  idNotUnique: { call: 'create', parameters: demoMeeting({ attendeePW: 'other' }) },
  meetingUnknown: { call: 'getMeetingInfo', parameters: { meetingID: 'unknown' } },
  joinMeetingUnknown: { call: 'join', parameters: { ...join, meetingID: 'unknown' } },
  meetingEnded: { call: 'join', parameters: join, isEnded: true },
  fullNameMissing: { call: 'join', parameters: { ...join, fullName: '' } },
  createTimeMismatch: { call: 'join', parameters: { ...join, createTime: '1' } },
  passwordWrong: { call: 'join', parameters: { ...join, role: '', password: 'wrong' } },
  roleMissing: { call: 'join', parameters: { ...join, role: '' } },
  maxParticipants: {
    call: 'join',
    parameters: join,
    meeting: { maxParticipants: '1' },
    isFull: true,
  },
  recordIdMissing: { call: 'publishRecordings', parameters: { publish: 'true' } },
  publishMissing: { call: 'publishRecordings', parameters: { recordID: 'x' } },
  recordingsUnknown: { call: 'deleteRecordings', parameters: { recordID: 'x' } },
  documentMissing: {
    call: 'insertDocument',
    parameters: { meetingID: 'demo' },
    contentType: 'application/xml',
    body: '<modules/>',
  },
  chatMessageSize: { call: 'sendChatMessage', parameters: { meetingID: 'demo', message: 'x'.repeat(501) } },
  chatMeetingUnknown: { call: 'sendChatMessage', parameters: { meetingID: 'demo', message: 'Hi' } },
  trackKind: { call: 'putRecordingTextTrack', parameters: { ...textTrack, kind: 'poem' }, body: new FormData() },
  trackLanguage: { call: 'putRecordingTextTrack', parameters: { ...textTrack, lang: '!' }, body: new FormData() },
  trackEmpty: { call: 'putRecordingTextTrack', parameters: textTrack, body: new FormData() },
  trackRecordingUnknown: { call: 'getRecordingTextTracks', parameters: { recordID: 'unknown' } },
  noServer: { call: 'create', parameters: { meetingID: 'new', name: 'New' }, scalelite: {}, server: 'cordoned' },
  noTaggedServer: {
    call: 'create',
    parameters: { meetingID: 'new', name: 'New', 'meta_server-tag': 'big!' },
    scalelite: {},
  },
  serverDisabled: { call: 'join', parameters: join, scalelite: {}, server: 'disabled' },
  scaleliteChecksum: { call: 'getMeetings', checksum: '0'.repeat(64), scalelite: {} },
  scaleliteMeetingIdMissing: { call: 'getMeetingInfo', scalelite: {} },
  scaleliteMeetingUnknown: { call: 'end', parameters: { meetingID: 'unknown' }, scalelite: {} },
  filterMissing: { call: 'getRecordings', scalelite: { recordingsFiltered: true } },
  hookChecksum: { call: 'hooks/list', checksum: '0'.repeat(64) },
  callbackUrlMissing: { call: 'hooks/create' },
  hookFailed: { call: 'hooks/create', parameters: { callbackURL: 'http://h.example/', getRaw: 'perhaps' } },
  hookIdMissing: { call: 'hooks/destroy' },
  hookUnknown: { call: 'hooks/destroy', parameters: { hookID: 'unknown' } },
  guestDenied: { call: 'join', parameters: join, meeting: { guestPolicy: 'ALWAYS_DENY' } },
};

test.each(Object.keys(refusals) as RefusalName[])(
  'The refusal %s is HTTP 200 with its own key and text',
  async (name) => {
    const { call, parameters = {}, meeting, isEnded, isFull, contentType, checksum, body } = provocations[name];
    const { scalelite, server } = provocations[name];
    const { sandbox, api } = await startTestSandbox({ scalelite });
    await api.call('create', demoMeeting(meeting));
    sandbox.control.plantRecording({ meetingID: 'old', recordID: 'known' });
    if (isFull) sandbox.control.joinUser({ meetingID: 'demo', fullName: 'First' });
    if (server) sandbox.control.setServer(server, true);
    if (isEnded) sandbox.control.endMeeting('demo');
    const url = new URL(api.url(call, parameters));
    if (checksum !== undefined) url.searchParams.set('checksum', checksum);
    const headers = contentType ? { headers: { 'content-type': contentType } } : {};
    const isPost = contentType !== undefined || body !== undefined;
    const response = await fetch(url, isPost ? { method: 'POST', ...headers, body: body ?? '{}' } : {});
    expect(response.status).toBe(200);
    const [messageKey, message] = refusals[name];
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer = isJson ? (JSON.parse(text) as { response: object }).response : readAnswer(text);
    expect(answer).toMatchObject({
      returncode: 'FAILED',
      messageKey,
      message,
    });
  },
);
