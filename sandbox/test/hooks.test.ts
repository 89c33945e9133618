import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { endedEventDelayMs } from '../src/world/lifecycle.ts';
import { type CallbackReceiver, type Received, startCallbackReceiver } from './callback-receiver.ts';
import { recordMeeting } from './recorded-meeting.ts';
import { demoMeeting, startTestSandbox, startOfTests } from './running-sandbox.ts';
import { elementOrder } from './signed-call.ts';

test('A hook is created once for an address, listed and destroyed', async () => {
  const { api } = await startTestSandbox();
  const callbackURL = 'http://hooks.example/in?room=1&x=<y>';
  const created = await api.call('hooks/create', { callbackURL, meetingID: 'demo', eventID: 'User-Joined,user-left' });
  expect(elementOrder(created.xml)).toEqual(['returncode', 'hookID', 'permanentHook', 'rawData']);
  const hookID = String(created.elements['hookID']);
  expect(hookID).toMatch(/^[0-9a-f]{8}-/);
  expect((await api.call('hooks/create', { callbackURL })).elements).toMatchObject({
    returncode: 'SUCCESS',
    hookID,
    messageKey: 'duplicateWarning',
  });
  const { xml, elements } = await api.call('hooks/list');
  expect(xml).toContain(`<callbackURL><![CDATA[${callbackURL}]]></callbackURL>`);
  expect(elements['hooks']).toEqual({
    hook: {
      hookID,
      callbackURL,
      meetingID: 'demo',
      permanentHook: 'false',
      rawData: 'false',
      eventID: 'user-joined,user-left',
    },
  });
  expect((await api.call('hooks/destroy', { hookID })).elements).toEqual({ returncode: 'SUCCESS', removed: 'true' });
  expect((await api.call('hooks/destroy', { hookID })).messageKey).toBe('destroyMissingHook');
  expect((await api.call('hooks/list')).elements['hooks']).toBe('');
});

test('The hooks of a meeting can be listed', async () => {
  const { api } = await startTestSandbox();
  await api.call('hooks/create', { callbackURL: 'http://all.example/' });
  await api.call('hooks/create', { callbackURL: 'http://demo.example/', meetingID: 'demo' });
  await api.call('hooks/create', { callbackURL: 'http://other.example/', meetingID: 'other' });
  const { xml } = await api.call('hooks/list', { meetingID: 'demo' });
  expect(xml).toContain('all.example');
  expect(xml).toContain('demo.example');
  expect(xml).not.toContain('other.example');
});

test('Events of a meeting are sent in order, signed over address and body', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { receiver, callbackURL } = await createHook(api);
  const { elements } = await api.call('create', demoMeeting({ record: 'true', meta_course: 'x' }));
  const { control } = sandbox;
  const anna = { meetingID: 'demo', userID: 'a' };
  control.joinUser({ ...anna, fullName: 'Anna', role: 'MODERATOR', hasJoinedVoice: true, hasVideo: true });
  control.setRecording('demo', true);
  control.setRecording('demo', false);
  control.leaveUser(anna);
  control.endMeeting('demo');
  await control.waitForCallbacks();
  const events = receiver.received.map(readEvent);
  expect(new Set(events.map(({ id }) => id))).toEqual(
    new Set([
      'meeting-created',
      'user-joined',
      'user-audio-voice-enabled',
      'user-cam-broadcast-start',
      'user-presenter-assigned',
      'meeting-recording-started',
      'meeting-recording-stopped',
      'user-cam-broadcast-end',
      'user-audio-voice-disabled',
      'user-left',
      'rap-archive-started',
      'rap-archive-ended',
      'rap-sanity-started',
      'rap-sanity-ended',
      'rap-process-started',
    ]),
  );
  control.advanceClock(endedEventDelayMs - 1);
  await control.waitForCallbacks();
  expect(receiver.received).toHaveLength(events.length);
  control.advanceClock(1);
  await control.waitForCallbacks();
  const ended = receiver.received.slice(events.length).map(readEvent);
  expect(ended).toMatchObject([{ id: 'meeting-ended', event: { ts: startOfTests + endedEventDelayMs } }]);
  const ids = { 'internal-meeting-id': elements['internalMeetingID'], 'external-meeting-id': 'demo' };
  expect(eventById(events, 'meeting-created').attributes['meeting']).toMatchObject({
    ...ids,
    name: 'Demo',
    record: true,
    'max-users': 0,
    metadata: { course: 'x' },
  });
  expect(eventById(events, 'user-joined').attributes).toMatchObject({
    meeting: ids,
    user: { 'external-user-id': 'a', name: 'Anna', role: 'MODERATOR', guest: false },
  });
  for (const { target, body } of receiver.received) {
    const checksum = createHash('sha1').update(`${callbackURL}${body}${sandbox.secret}`).digest('hex');
    expect(target).toBe(`/hook?a=1&checksum=${checksum}`);
    expect([...new URLSearchParams(body).keys()]).toEqual(['domain', 'event', 'timestamp']);
  }
});

test('A hook only gets events of its meeting that it subscribed to', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { receiver } = await createHook(api, { meetingID: 'demo', eventID: 'user-joined' });
  await api.call('create', demoMeeting());
  await api.call('create', demoMeeting({ meetingID: 'other' }));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  sandbox.control.joinUser({ meetingID: 'other', fullName: 'Ben' });
  await sandbox.control.waitForCallbacks();
  expect(receiver.received.map((request) => readEvent(request).attributes['user'])).toMatchObject([{ name: 'Anna' }]);
});

test('A hook for raw messages is accepted, but gets no events', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { receiver } = await createHook(api, { getRaw: 'true' });
  await api.call('create', demoMeeting());
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toEqual([]);
});

test('A failed event is retried for about five minutes, then the hook is removed', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { receiver } = await createHook(api, { eventID: 'meeting-created' });
  receiver.respondWith(503);
  await api.call('create', demoMeeting({ meetingExpireIfNoUserJoinedInMinutes: '0' }));
  await sandbox.control.waitForCallbacks();
  const delays = [100, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 30_000, 60_000, 60_000, 60_000];
  for (const [index, delay] of delays.entries()) {
    sandbox.control.advanceClock(delay);
    await sandbox.control.waitForCallbacks();
    expect(receiver.received).toHaveLength(index + 2);
  }
  expect(sandbox.control.state().hooks).toHaveLength(1);
  sandbox.control.advanceClock(60_000);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toHaveLength(13);
  expect(sandbox.control.state().hooks).toEqual([]);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

test('A 401 counts as delivered', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { receiver } = await createHook(api, { eventID: 'meeting-created' });
  receiver.respondWith(401);
  await api.call('create', demoMeeting());
  await sandbox.control.waitForCallbacks();
  expect(sandbox.control.state().callbacks).toMatchObject([{ kind: 'hook', state: 'delivered' }]);
});

test.each([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
] as const)('Hooks can be signed with %s', async (hookSignature, length) => {
  const { sandbox, api } = await startTestSandbox({ hookSignature });
  const { receiver, callbackURL } = await createHook(api);
  await api.call('create', demoMeeting());
  await sandbox.control.waitForCallbacks();
  const { target, body } = onlyOne(receiver);
  const checksum = new URL(target, receiver.url).searchParams.get('checksum');
  expect(checksum).toHaveLength(length);
  expect(checksum).toBe(createHash(hookSignature).update(`${callbackURL}${body}${sandbox.secret}`).digest('hex'));
});

test('Hooks can send the secret as a bearer token instead of a checksum', async () => {
  const { sandbox, api } = await startTestSandbox({ hookSignature: 'bearer' });
  const { receiver } = await createHook(api);
  await api.call('create', demoMeeting());
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toMatchObject([
    { target: '/hook?a=1', headers: { authorization: `Bearer ${sandbox.secret}` } },
  ]);
});

test('Hooks receive the events of processing, publishing and deleting a recording', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  const { receiver } = await createHook(api, { meetingID: 'demo' });
  sandbox.control.finishRecordings();
  await api.call('publishRecordings', { recordID, publish: 'false' });
  await api.call('publishRecordings', { recordID, publish: 'true' });
  await api.call('deleteRecordings', { recordID });
  await sandbox.control.waitForCallbacks();
  const events = receiver.received.map(readEvent);
  expect(eventById(events, 'rap-publish-ended').attributes).toMatchObject({
    'record-id': recordID,
    success: true,
    workflow: 'presentation',
    recording: { name: 'Demo', playback: { format: 'presentation' } },
  });
  for (const id of ['rap-unpublished', 'rap-published', 'rap-deleted']) {
    expect(eventById(events, id).attributes['meeting']).toEqual({
      'internal-meeting-id': recordID,
      'external-meeting-id': 'demo',
    });
  }
});

test('The control API can send any other event', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { receiver } = await createHook(api, { eventID: 'poll-started' });
  await api.call('create', demoMeeting());
  sandbox.control.announceEvent({ meetingID: 'demo', event: 'poll-started', attributes: { poll: { id: 'p' } } });
  await sandbox.control.waitForCallbacks();
  expect(receiver.received.map(readEvent)).toMatchObject([{ id: 'poll-started', attributes: { poll: { id: 'p' } } }]);
});

function onlyOne({ received }: CallbackReceiver): Received {
  const [first] = received;
  if (!first || received.length > 1) throw new Error(`Expected one request, but received ${received.length}.`);
  return first;
}

interface SentEvent {
  id: string;
  attributes: Record<string, unknown>;
  event: { ts: number };
}

async function createHook(
  api: { call(name: string, parameters: Record<string, string>): Promise<unknown> },
  more: Record<string, string> = {},
): Promise<{ receiver: CallbackReceiver; callbackURL: string }> {
  const receiver = await startCallbackReceiver();
  const callbackURL = `${receiver.url}/hook?a=1`;
  await api.call('hooks/create', { callbackURL, ...more });
  return { receiver, callbackURL };
}

function readEvent({ body }: Received): SentEvent {
  const [event] = JSON.parse(new URLSearchParams(body).get('event') ?? '[]') as { data: SentEvent }[];
  if (!event) throw new Error('No event was sent.');
  return event.data;
}

function eventById(events: SentEvent[], id: string): SentEvent {
  const event = events.find((candidate) => candidate.id === id);
  if (!event) throw new Error(`No hook received ${id}.`);
  return event;
}
