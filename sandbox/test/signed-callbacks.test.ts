import { compactVerify } from 'jose';
import { expect, test } from 'vitest';
import { startCallbackReceiver } from './callback-receiver.ts';
import { recordMeeting } from './recorded-meeting.ts';
import { demoMeeting, startTestSandbox, startOfTests } from './running-sandbox.ts';

test.each(['bbb-recording-ready-url', 'bn-recording-ready-url', 'canvas-recording-ready-url'])(
  'The address in %s receives the recording callback, signed with the secret',
  async (name) => {
    const receiver = await startCallbackReceiver();
    const { sandbox, api } = await startTestSandbox();
    const recordID = await recordMeeting(sandbox, api, { [`meta_${name}`]: `${receiver.url}/ready?room=1` });
    await sandbox.control.waitForCallbacks();
    expect(receiver.received).toEqual([]);
    sandbox.control.advanceClock(10_000);
    await sandbox.control.waitForCallbacks();
    expect(receiver.received).toMatchObject([{ method: 'POST', target: '/ready?room=1' }]);
    const form = new URLSearchParams(receiver.received[0]?.body);
    expect([...form.keys()]).toEqual(['signed_parameters']);
    expect(await readToken(form.get('signed_parameters') ?? '', 'HS256', sandbox.secret)).toEqual({
      header: { alg: 'HS256' },
      claims: { meeting_id: 'demo', record_id: recordID },
    });
  },
);

test('Every format has a callback, which is not retried', async () => {
  const receiver = await startCallbackReceiver(500);
  const { sandbox, api } = await startTestSandbox({ recordingFormats: ['presentation', 'video'] });
  await recordMeeting(sandbox, api, { 'meta_bbb-recording-ready-url': receiver.url });
  sandbox.control.finishRecordings();
  sandbox.control.advanceClock(3_600_000);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toHaveLength(2);
  expect(statesOf(sandbox)).toEqual(['dropped', 'dropped']);
});

test('A meeting without recording marks sends no recording callback', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  const ready = { 'meta_bbb-recording-ready-url': receiver.url };
  await api.call('create', demoMeeting({ record: 'true', ...ready }));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  sandbox.control.endMeeting('demo');
  sandbox.control.advanceClock(3_600_000);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toEqual([]);
});

test('Attendance is reported after the end with users, times and durations, signed with the secret', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  await api.call(
    'create',
    demoMeeting({ meetingKeepEvents: 'true', 'meta_analytics-callback-url': `${receiver.url}/seen`, meta_course: 'x' }),
  );
  const anna = { meetingID: 'demo', userID: 'a' };
  control.joinUser({ ...anna, fullName: 'Anna', role: 'MODERATOR' });
  control.joinUser({ meetingID: 'demo', userID: 'b', fullName: 'Ben' });
  control.advanceClock(60_000);
  control.leaveUser(anna);
  control.advanceClock(30_000);
  control.joinUser({ ...anna, fullName: 'Anna', role: 'MODERATOR' });
  control.advanceClock(60_000);
  control.endMeeting('demo');
  await control.waitForCallbacks();
  expect(receiver.received).toEqual([]);
  control.advanceClock(5_000);
  await control.waitForCallbacks();
  expect(receiver.received).toMatchObject([{ method: 'POST', headers: { 'content-type': 'application/json' } }]);
  const [{ body, headers } = { body: '', headers: { authorization: '' } }] = receiver.received;
  expect(await readToken(String(headers?.authorization).replace('Bearer ', ''), 'HS512', sandbox.secret)).toEqual({
    header: { alg: 'HS512' },
    claims: { exp: (startOfTests + 155_000) / 1_000 + 24 * 60 * 60 },
  });
  expect(JSON.parse(body)).toMatchObject({
    version: '1.0',
    meeting_id: 'demo',
    data: {
      metadata: { course: 'x', meeting_name: 'Demo', is_breakout: 'false' },
      duration: 150,
      start: '2025-11-20 10:00:00 +0000',
      finish: '2025-11-20 10:02:30 +0000',
      attendees: [
        {
          ext_user_id: 'a',
          name: 'Anna',
          moderator: true,
          joins: ['2025-11-20 10:00:00 +0000', '2025-11-20 10:01:30 +0000'],
          leaves: ['2025-11-20 10:01:00 +0000', '2025-11-20 10:02:30 +0000'],
          duration: 120,
        },
        { ext_user_id: 'b', name: 'Ben', moderator: false, duration: 150 },
      ],
    },
  });
});

test('A user with two sessions at once is counted once', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  await api.call('create', demoMeeting({ meetingKeepEvents: 'true', 'meta_analytics-callback-url': receiver.url }));
  control.joinUser({ meetingID: 'demo', userID: 'a', fullName: 'Anna' });
  control.advanceClock(10_000);
  control.joinUser({ meetingID: 'demo', userID: 'a', fullName: 'Anna' });
  control.advanceClock(10_000);
  control.endMeeting('demo');
  control.advanceClock(5_000);
  await control.waitForCallbacks();
  const { data } = JSON.parse(receiver.received[0]?.body ?? '{}') as { data: { attendees: object[] } };
  expect(data.attendees).toMatchObject([{ ext_user_id: 'a', duration: 20 }]);
  expect(Object.keys((data.attendees[0] as { sessions: object }).sessions)).toHaveLength(2);
});

test('keepEvents, the former name, has the effect of meetingKeepEvents', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ keepEvents: 'true', 'meta_analytics-callback-url': receiver.url }));
  sandbox.control.endMeeting('demo');
  sandbox.control.advanceClock(5_000);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toHaveLength(1);
});

test('Without meetingKeepEvents no attendance callback is sent', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ 'meta_analytics-callback-url': receiver.url }));
  sandbox.control.endMeeting('demo');
  sandbox.control.advanceClock(3_600_000);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toEqual([]);
});

test('Callbacks can be dropped, sent twice and forged', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  const ready = { 'meta_bbb-recording-ready-url': receiver.url };
  for (const kind of ['lost', 'twice', 'forged'] as const) {
    control.disturbCallbacks({ kind, callback: 'recording-ready', times: 1 });
    await recordMeeting(sandbox, api, { ...ready, meta_endCallbackUrl: `${receiver.url}/end` });
    control.advanceClock(3_600_000);
    await control.waitForCallbacks();
  }
  const posts = receiver.received.filter(({ method }) => method === 'POST');
  expect(receiver.received.filter(({ method }) => method === 'GET')).toHaveLength(3);
  expect(posts).toHaveLength(3);
  expect(posts[0]?.body).toBe(posts[1]?.body);
  const token = new URLSearchParams(posts[2]?.body).get('signed_parameters') ?? '';
  await expect(readToken(token, 'HS256', sandbox.secret)).rejects.toThrow('signature');
});

test('A callback can be replayed unchanged', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  await recordMeeting(sandbox, api, { 'meta_bbb-recording-ready-url': receiver.url });
  expect(() => sandbox.control.replayCallback(1)).toThrow('does not exist or has not been sent');
  sandbox.control.finishRecordings();
  await sandbox.control.waitForCallbacks();
  sandbox.control.replayCallback(1);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  expect(() => sandbox.control.replayCallback(7)).toThrow('does not exist or has not been sent');
});

test('A restart drops all meetings without callbacks, and keeps recordings and hooks', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  await api.call('hooks/create', { callbackURL: `${receiver.url}/hook`, eventID: 'meeting-ended' });
  await api.call('create', demoMeeting({ meetingID: 'second', meta_endCallbackUrl: receiver.url }));
  sandbox.control.restart();
  sandbox.control.advanceClock(3_600_000);
  await sandbox.control.waitForCallbacks();
  expect((await api.call('getMeetings')).messageKey).toBe('noMeetings');
  expect((await api.call('getRecordings', { recordID })).xml).toContain(recordID);
  expect(sandbox.control.state().hooks).toHaveLength(1);
  expect(receiver.received).toEqual([]);
});

function statesOf(sandbox: { control: { state(): { callbacks: readonly { state: string }[] } } }): string[] {
  return sandbox.control.state().callbacks.map(({ state }) => state);
}

/** Reads a token. Rejects if it is not signed with the secret and this algorithm. */
async function readToken(token: string, algorithm: 'HS256' | 'HS512', secret: string) {
  const read = await compactVerify(token, new TextEncoder().encode(secret), { algorithms: [algorithm] });
  return { header: read.protectedHeader, claims: JSON.parse(new TextDecoder().decode(read.payload)) as unknown };
}
