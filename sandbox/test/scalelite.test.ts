import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { startCallbackReceiver } from './callback-receiver.ts';
import { listRecordingIds, listRecordings, recordMeeting } from './recorded-meeting.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { sendRaw } from './raw-http.ts';
import { checksum, encode, readAnswer, sign } from './signed-call.ts';

test('The root of Scalelite returns a version and a build', async () => {
  const { sandbox } = await startTestSandbox({ scalelite: {} });
  const { elements } = readAnswer(await (await fetch(sandbox.apiUrl)).text());
  expect(elements).toEqual({ returncode: 'SUCCESS', version: '2.0', build: '1.8.5' });
});

test.each(['hooks/create', 'hooks/list', 'sendChatMessage', 'getSessions', 'getRecordingTextTracks', 'enter'])(
  '%s is not supported',
  async (call) => {
    const { api } = await startTestSandbox({ scalelite: {} });
    expect((await api.call(call)).messageKey).toBe('unsupportedRequest');
  },
);

test.each([
  ['sha1', 'SUCCESS'],
  ['sha256', 'SUCCESS'],
  ['sha384', 'FAILED'],
  ['sha512', 'SUCCESS'],
])('A checksum with %s results in %s', async (algorithm, returncode) => {
  const { api } = await startTestSandbox({ scalelite: {} });
  const response = await fetch(api.url('getMeetings', {}, algorithm));
  expect(readAnswer(await response.text()).returncode).toBe(returncode);
});

test.each(['true', 'false'])('A join redirects to the join of the server, also with redirect=%s', async (redirect) => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  await api.call('create', demoMeeting());
  const join = { meetingID: 'demo', fullName: "Anna's Ä", role: 'VIEWER', redirect };
  const first = await fetch(api.url('join', join), { redirect: 'manual' });
  expect(first.status).toBe(302);
  const target = first.headers.get('location') ?? '';
  expect(target).toMatch(`${sandbox.url}/server-1/bigbluebutton/api/join?`);
  const second = await fetch(target, { redirect: 'manual' });
  if (redirect === 'true') expect(second.headers.get('location')).toContain('/html5client/join?sessionToken=');
  else expect(readAnswer(await second.text()).messageKey).toBe('successfullyJoined');
  expect(sandbox.control.state().meetings[0]?.users).toMatchObject([{ fullName: "Anna's Ä" }]);
});

test("Balancer and server do not accept each other's secret", async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  await api.call('create', demoMeeting());
  const query = encode({ meetingID: 'demo', fullName: 'Anna', role: 'VIEWER', redirect: 'false' });
  const join = await fetch(`${sandbox.url}/server-1/bigbluebutton/api/join?${sign('join', query, sandbox.secret)}`);
  expect(readAnswer(await join.text()).messageKey).toBe('checksumError');
  const other = await fetch(`${sandbox.url}/server-1/bigbluebutton/api/getMeetings`);
  expect(other.status).toBe(404);
});

test.each([
  ['an unknown meeting', { meetingID: 'unknown' }, 'notFound'],
  ['no meeting', { meetingID: '' }, 'missingParamMeetingID'],
])('A refused join is XML: %s', async (_case, change, key) => {
  const { api } = await startTestSandbox({ scalelite: {} });
  await api.call('create', demoMeeting());
  const answer = await api.call('join', { fullName: 'Anna', role: 'VIEWER', ...change });
  expect(answer.messageKey).toBe(key);
});

test('An ended meeting is removed at once, and its id can be used again', async () => {
  const { api } = await startTestSandbox({ scalelite: {} });
  await api.call('create', demoMeeting());
  expect((await api.call('end', { meetingID: 'demo' })).messageKey).toBe('sentEndMeetingRequest');
  expect((await api.call('getMeetingInfo', { meetingID: 'demo' })).messageKey).toBe('notFound');
  expect((await api.call('end', { meetingID: 'demo' })).messageKey).toBe('notFound');
  expect((await api.call('isMeetingRunning', { meetingID: 'demo' })).elements['running']).toBe('false');
  expect((await api.call('create', demoMeeting())).messageKey).toBe('');
});

test('Meetings are found only by their external id, and voice bridges have nine digits', async () => {
  const { api } = await startTestSandbox({ scalelite: {} });
  const { elements } = await api.call('create', demoMeeting());
  expect(elements['voiceBridge']).toMatch(/^\d{9}$/);
  const internalId = String(elements['internalMeetingID']);
  expect((await api.call('getMeetingInfo', { meetingID: internalId })).messageKey).toBe('notFound');
});

test.each([
  ['0', '60'],
  ['90', '60'],
  ['30', '30'],
])('With a maximum of an hour, a duration of %s becomes %s', async (duration, expected) => {
  const { api } = await startTestSandbox({ scalelite: { maxMeetingMinutes: 60 } });
  expect((await api.call('create', demoMeeting({ duration }))).elements['duration']).toBe(expected);
});

test('Callback addresses of recordings and attendance are hidden from the metadata, and are still called', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  await recordMeeting(sandbox, api, {
    meetingKeepEvents: 'true',
    'meta_bbb-recording-ready-url': `${receiver.url}/ready`,
    'meta_analytics-callback-url': `${receiver.url}/seen`,
    meta_course: 'x',
  });
  sandbox.control.advanceClock(10_000);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received.map(({ target }) => target).sort()).toEqual(['/ready', '/seen']);
  const [recording] = await listRecordings(api, {});
  expect(Object.keys(recording?.metadata ?? {}).sort()).toEqual(['analytics-callback-url', 'course']);
  expect(recording?.metadata['analytics-callback-url']).toBe(`${sandbox.apiUrl}/analytics_callback`);
});

test('Recordings have neither sizes nor processing times nor metadata of the server', async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  await recordMeeting(sandbox, api, { meta_course: 'x' });
  sandbox.control.finishRecordings();
  const { elements } = await api.call('getRecordings');
  const { recording } = elements['recordings'] as { recording: [Record<string, unknown>] };
  expect(Object.keys(recording[0])).toEqual([
    'recordID',
    'meetingID',
    'internalMeetingID',
    'name',
    'published',
    'state',
    'startTime',
    'endTime',
    'participants',
    'metadata',
    'playback',
  ]);
  expect(recording[0]['metadata']).toEqual({ course: 'x' });
  const { format } = recording[0]['playback'] as { format: [Record<string, unknown>] };
  expect(Object.keys(format[0])).toEqual(['type', 'url', 'length', 'preview']);
});

test.each([
  [undefined, 'HS256'],
  [['sha256', 'sha512'], 'HS256'],
  [['sha512'], 'HS512'],
] as const)('With the checksum algorithms %j recording-ready is signed with %s', async (checksumAlgorithms, alg) => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox({ scalelite: checksumAlgorithms ? { checksumAlgorithms } : {} });
  const call = async (name: string, parameters: Record<string, string>) =>
    readAnswer(await (await fetch(api.url(name, parameters, 'sha512'))).text());
  const created = await call(
    'create',
    demoMeeting({ record: 'true', autoStartRecording: 'true', 'meta_bbb-recording-ready-url': receiver.url }),
  );
  expect(created.returncode).toBe('SUCCESS');
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  sandbox.control.advanceClock(60_000);
  sandbox.control.endMeeting('demo');
  sandbox.control.advanceClock(10_000);
  await sandbox.control.waitForCallbacks();
  const token = new URLSearchParams(receiver.received[0]?.body).get('signed_parameters') ?? '';
  const [header = '', claims = '', signature] = token.split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg });
  const digest = createHmac(alg.replace('HS', 'sha'), sandbox.secret).update(`${header}.${claims}`);
  expect(signature).toBe(digest.digest('base64url'));
  expect((await call('getMeetings', {})).returncode).toBe('SUCCESS');
  const sha256 = readAnswer(await (await fetch(api.url('getMeetings'))).text());
  expect(sha256.messageKey).toBe(alg === 'HS512' ? 'checksumError' : 'noMeetings');
});

test.each([
  ['create', 'unsupportedContentType'],
  ['join', 'unsupportedRequest'],
  ['end', 'unsupportedRequest'],
  ['getMeetings', 'unsupportedRequest'],
  ['updateRecordings', 'unsupportedRequest'],
])('%s rejects a form', async (call, key) => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  const body = new URLSearchParams(demoMeeting({ recordID: 'known', meta_name: 'x' }));
  const response = await fetch(api.url(call), { method: 'POST', body });
  expect(readAnswer(await response.text()).messageKey).toBe(key);
  expect(sandbox.control.state().meetings).toEqual([]);
});

test('Presentations in the XML body of create are passed to the server', async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  const body =
    '<modules><module name="presentation"><document url="http://h.example/a.pdf" filename="a.pdf"/></module></modules>';
  const headers = { 'content-type': 'application/xml' };
  const response = await fetch(api.url('create', demoMeeting()), { method: 'POST', headers, body });
  expect(readAnswer(await response.text()).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.documents).toMatchObject([{ name: 'a.pdf' }]);
});

test.each([
  ['the longest', 0, 200],
  ['one byte too long', 1, 414],
  ['far too long', 100_000, 414],
])('Long request lines are rejected by the web server, with an HTML page: %s', async (_case, excess, status) => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  const pathFor = (welcome: string) => api.url('create', demoMeeting({ welcome })).slice(sandbox.url.length);
  const shortest = `GET ${pathFor('')} HTTP/1.1\r\n`.length;
  const answer = await sendRaw(sandbox.url, pathFor('x'.repeat(8_192 - shortest + excess)));
  expect(answer.status).toBe(status);
  if (status === 200) expect(readAnswer(answer.body).returncode).toBe('SUCCESS');
  else expect(answer.headers['content-type']).toBe('text/html');
  if (status === 414) expect(answer.body).toContain('<title>414 Request-URI Too Large</title>');
  expect((await api.call('getMeetings')).messageKey).toBe(status === 200 ? '' : 'noMeetings');
});

test('Recordings are listed newest first, without pages; one matching metadata entry is enough', async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  const first = await recordMeeting(sandbox, api, { meta_course: 'one' });
  expect(await listRecordingIds(api, { state: 'any' })).toEqual([]);
  const second = await recordMeeting(sandbox, api, { meetingID: 'other', meta_term: 'spring' });
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, { limit: '1', offset: '1' })).toEqual([second, first]);
  expect(await listRecordingIds(api, { meta_course: 'zero,one', meta_term: 'spring' })).toEqual([second, first]);
  expect(await listRecordingIds(api, { meetingID: 'demo', recordID: second })).toEqual([]);
  expect((await api.call('getRecordings', { limit: '1' })).elements['totalElements']).toBeUndefined();
});

test('Updating an unknown recording succeeds with updated=false, and a deleted recording is gone', async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  const recordID = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  expect((await api.call('updateRecordings', { recordID: 'unknown', meta_name: 'x' })).elements).toMatchObject({
    returncode: 'SUCCESS',
    updated: 'false',
  });
  expect((await api.call('updateRecordings', { recordID, meta_name: 'x' })).elements['updated']).toBe('true');
  expect((await api.call('publishRecordings', { recordID, publish: 'false' })).elements['published']).toBe('false');
  expect(await listRecordingIds(api, { state: 'unpublished' })).toEqual([recordID]);
  expect((await api.call('deleteRecordings', { recordID })).elements['deleted']).toBe('true');
  expect(await listRecordingIds(api, { state: 'any' })).toEqual([]);
  expect((await api.call('deleteRecordings', { recordID })).messageKey).toBe('notFound');
});

test('The lists of meetings and recordings can be disabled', async () => {
  const { sandbox, api } = await startTestSandbox({
    scalelite: { getMeetingsDisabled: true, recordingsDisabled: true },
  });
  await api.call('create', demoMeeting());
  sandbox.control.plantRecording({ meetingID: 'demo', recordID: 'known' });
  expect((await api.call('getMeetings')).messageKey).toBe('noMeetings');
  expect((await api.call('getRecordings')).messageKey).toBe('noRecordings');
  for (const call of ['publishRecordings', 'deleteRecordings', 'updateRecordings']) {
    expect((await api.call(call, { recordID: 'known', publish: 'true', meta_name: 'x' })).messageKey).toBe('notFound');
  }
});

test('Tags of servers are preferred or required', async () => {
  const { api } = await startTestSandbox({ scalelite: { serverTags: ['big'] } });
  const create = async (tag: string) =>
    (await api.call('create', demoMeeting({ meetingID: `room-${tag}`, 'meta_server-tag': tag }))).messageKey;
  expect(await create('small')).toBe('');
  expect(await create('small;big!')).toBe('');
  expect(await create('small!')).toBe('serverTagUnavailable');
});

test('Without an online server, no meeting can be created, and joins are rejected', async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: {} });
  await api.call('create', demoMeeting());
  sandbox.control.setServer('enabled', false);
  expect((await api.call('create', demoMeeting({ meetingID: 'new' }))).messageKey).toBe('internalError');
  const join = { meetingID: 'demo', fullName: 'Anna', role: 'VIEWER' };
  expect((await api.call('join', join)).messageKey).toBe('serverUnavailable');
  sandbox.control.setServer('cordoned', true);
  expect((await api.call('create', demoMeeting())).messageKey).toBe('duplicateWarning');
});

test('A caller with the secret can read the pool and its load', async () => {
  const { sandbox, api } = await startTestSandbox({ scalelite: { serverTags: ['big'] } });
  await api.call('create', demoMeeting({ meetingExpireIfNoUserJoinedInMinutes: '0' }));
  const servers = async (secret: string): Promise<unknown> => {
    const sum = createHash('sha256').update(`getServers${secret}`).digest('hex');
    return (await fetch(`${sandbox.url}/scalelite/api/getServers?checksum=${sum}`)).json();
  };
  const server = { id: 'server-1', state: 'enabled', online: 'online', tag: 'big', load_multiplier: '1.0' };
  expect(await servers(sandbox.secret)).toMatchObject([{ ...server, load: '15.0' }]);
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', role: 'MODERATOR' });
  sandbox.control.advanceClock(15 * 60_000);
  expect(await servers(sandbox.secret)).toMatchObject([{ load: '2.0' }]);
  sandbox.control.setServer('disabled', false);
  expect(await servers(sandbox.secret)).toMatchObject([{ state: 'disabled', online: 'offline', load: 'unavailable' }]);
  expect(await servers('other')).toEqual({ error: 'Checksums do not match' });
  expect((await fetch(`${sandbox.url}/health_check`)).status).toBe(200);
  const idQuery = `id=server-1`;
  const info = `${sandbox.url}/scalelite/api/getServerInfo?${idQuery}&checksum=${checksum('getServerInfo', idQuery, sandbox.secret)}`;
  expect(await (await fetch(info)).json()).toMatchObject({ id: 'server-1' });
});

test('A standalone server does not have the API of Scalelite', async () => {
  const { sandbox } = await startTestSandbox();
  expect((await fetch(`${sandbox.url}/scalelite/api/getServers`)).status).toBe(404);
  expect((await fetch(`${sandbox.url}/health_check`)).status).toBe(404);
  expect(() => sandbox.control.setServer('enabled', true)).toThrow('does not simulate a Scalelite');
});

test('A server without bbb-webhooks answers hook calls with the error of its web server', async () => {
  const { api } = await startTestSandbox({ hasHooks: false });
  const response = await fetch(api.url('hooks/create', { callbackURL: 'http://h.example/' }));
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toContain('text/html');
});
