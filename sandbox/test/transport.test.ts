import { expect, test } from 'vitest';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { sendRaw } from './raw-http.ts';
import { checksum, createCaller, elementOrder, encode, readAnswer, sign } from './signed-call.ts';

const base = '/bigbluebutton/api';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('The root call needs no checksum and names the version', async () => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, base);
  expect(elementOrder(answer.body)).toEqual([
    'returncode',
    'version',
    'apiVersion',
    'bbbVersion',
    'html5PluginSdkVersion',
    'graphqlWebsocketUrl',
    'graphqlApiUrl',
  ]);
  expect(readAnswer(answer.body).elements).toMatchObject({ returncode: 'SUCCESS', version: '2.0' });
});

test.each(['sha1', 'sha256', 'sha384', 'sha512'])('A checksum by %s is accepted', async (algorithm) => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(
    sandbox.url,
    `${base}/getMeetings?${sign('getMeetings', '', sandbox.secret, algorithm)}`,
  );
  expect(readAnswer(answer.body).messageKey).toBe('noMeetings');
});

test('A checksum may have upper-case letters', async () => {
  const { sandbox } = await startTestSandbox();
  const upper = checksum('getMeetings', '', sandbox.secret).toUpperCase();
  const answer = await sendRaw(sandbox.url, `${base}/getMeetings?checksum=${upper}`);
  expect(readAnswer(answer.body).returncode).toBe('SUCCESS');
});

const query = 'meetingID=demo&name=Demo';
const sum = checksum('isMeetingRunning', query, 'sandbox-secret', 'sha1');

test.each([
  ['last', `${query}&checksum=${sum}`],
  ['first', `checksum=${sum}&${query}`],
  ['in the middle', `meetingID=demo&checksum=${sum}&name=Demo`],
])('The checksum parameter may be %s', async (_place, signed) => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/isMeetingRunning?${signed}`);
  expect(readAnswer(answer.body).elements).toEqual({ returncode: 'SUCCESS', running: 'false' });
});

test('A query that consists of & and the checksum is signed as empty', async () => {
  const { sandbox } = await startTestSandbox();
  const signed = `&checksum=${checksum('getMeetings', '', sandbox.secret, 'sha1')}`;
  const answer = await sendRaw(sandbox.url, `${base}/getMeetings?${signed}`);
  expect(readAnswer(answer.body).returncode).toBe('SUCCESS');
});

test.each([
  ['an apostrophe as it is', "name=Anna's+room&meetingID=demo"],
  ['an encoded apostrophe', 'name=Anna%27s+room&meetingID=demo'],
  ['lower-case percent signs', 'name=Anna%27s%20room&meetingID=demo&welcome=%c3%a9'],
  ['a star and brackets', 'name=Anna%27s%20room(*)!&meetingID=demo'],
])('The checksum covers the bytes of the request line: %s', async (_case, raw) => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/create?${sign('create', raw, sandbox.secret, 'sha1')}`);
  expect(readAnswer(answer.body).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.name).toMatch(/^Anna's room/);
});

test.each([
  ['another encoding of the same text', 'name=Anna%27s&meetingID=demo', "name=Anna's&meetingID=demo"],
  ['another order', 'name=Anna&meetingID=demo', 'meetingID=demo&name=Anna'],
  ['a parameter more', 'name=Anna&meetingID=demo', 'name=Anna&meetingID=demo&record=true'],
])('A checksum is not valid for %s', async (_case, signed, sent) => {
  const { sandbox } = await startTestSandbox();
  const signature = checksum('create', signed, sandbox.secret);
  const answer = await sendRaw(sandbox.url, `${base}/create?${sent}&checksum=${signature}`);
  expect(readAnswer(answer.body).messageKey).toBe('checksumError');
  expect(sandbox.control.state().meetings).toEqual([]);
});

test.each([
  ['none', ''],
  ['an empty one', 'checksum='],
  ['one of no known length', 'checksum=abc'],
  ['one of another secret', `checksum=${checksum('getMeetings', '', 'other')}`],
  ['one of another call', `checksum=${checksum('getSessions', '', 'sandbox-secret')}`],
  ['one with letters outside hex', `checksum=${'ü'.repeat(20)}`],
])('A call is refused with checksum: %s', async (_case, raw) => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/getMeetings?${encodeURI(raw)}`);
  expect(answer.status).toBe(200);
  expect(readAnswer(answer.body)).toMatchObject({
    returncode: 'FAILED',
    messageKey: 'checksumError',
  });
});

test('Both configured secrets are accepted, and another one is rejected', async () => {
  const { sandbox } = await startTestSandbox({ secrets: ['old', 'new'] });
  const { apiUrl } = sandbox;
  expect((await createCaller({ apiUrl, secret: 'old' }).call('getMeetings')).returncode).toBe('SUCCESS');
  expect((await createCaller({ apiUrl, secret: 'new' }).call('getMeetings')).returncode).toBe('SUCCESS');
  expect((await createCaller({ apiUrl, secret: 'other' }).call('getMeetings')).messageKey).toBe('checksumError');
});

test('A refusal is HTTP 200 in XML that is not cached', async () => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/getMeetings`);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^text\/xml/);
  expect(answer.headers['cache-control']).toBe('no-cache');
  expect(answer.body).toBe(
    '<response><returncode>FAILED</returncode><messageKey>checksumError</messageKey><message>You must provide the checksum</message></response>',
  );
});

test.each(['hooks/unknown', 'setConfigXML', 'toString', 'CREATE', 'constructor'])(
  'The unknown call %s is not supported',
  async (call) => {
    const { api } = await startTestSandbox();
    expect(await api.call(call)).toMatchObject({
      returncode: 'FAILED',
      messageKey: 'unsupportedRequest',
      message: 'This request is not supported.',
    });
  },
);

test.each([
  ['POST', 'join'],
  ['PUT', 'create'],
  ['DELETE', 'getMeetings'],
])('%s is not supported for %s', async (method, call) => {
  const { sandbox } = await startTestSandbox();
  const signed = sign(call, '', sandbox.secret);
  const answer = await sendRaw(sandbox.url, `${base}/${call}?${signed}`, { method });
  expect(readAnswer(answer.body).messageKey).toBe('unsupportedRequest');
});

test.each([[`/${base}//getMeetings`], [`${base}/getMeetings/`], [`//bigbluebutton//api//getMeetings//`]])(
  'Extra slashes are tolerated: %s',
  async (path) => {
    const { sandbox } = await startTestSandbox();
    const answer = await sendRaw(sandbox.url, `${path}?${sign('getMeetings', '', sandbox.secret)}`);
    expect(readAnswer(answer.body).returncode).toBe('SUCCESS');
  },
);

test('HEAD is answered like GET, without a body', async () => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, base, { method: 'HEAD' });
  expect(answer).toMatchObject({ status: 200, body: '' });
});

test('The prefix of the API returns a start page, and unknown paths are a 404', async () => {
  const { sandbox } = await startTestSandbox();
  expect((await sendRaw(sandbox.url, '/bigbluebutton/')).status).toBe(200);
  expect((await sendRaw(sandbox.url, '/bigbluebutton')).status).toBe(200);
  expect((await sendRaw(sandbox.url, '/bigbluebutton/apiary')).status).toBe(404);
  expect((await sendRaw(sandbox.url, '/other')).status).toBe(404);
});

test('The checksum of a POST with all parameters in the form covers the empty query', async () => {
  const { sandbox } = await startTestSandbox();
  const signature = checksum('create', '', sandbox.secret);
  const answer = await sendRaw(sandbox.url, `${base}/create`, {
    method: 'POST',
    headers: form,
    body: `${encode(demoMeeting())}&checksum=${signature}`,
  });
  expect(readAnswer(answer.body).returncode).toBe('SUCCESS');
});

test('The checksum of a POST with parameters in query and form covers the query', async () => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/create?${sign('create', 'meetingID=demo', sandbox.secret)}`, {
    method: 'POST',
    headers: form,
    body: 'name=Demo&duration=7',
  });
  expect(readAnswer(answer.body).elements).toMatchObject({ meetingID: 'demo', duration: '7' });
});

test('The fields of a multipart form are read, and its files are ignored', async () => {
  const { sandbox } = await startTestSandbox();
  const body = new FormData();
  body.set('meetingID', 'demo');
  body.set('name', 'Dämo');
  body.set('checksum', checksum('create', '', sandbox.secret));
  body.set('file', new Blob(['content']), 'slides.pdf');
  const response = await fetch(`${sandbox.apiUrl}/create`, { method: 'POST', body });
  expect(readAnswer(await response.text()).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.name).toBe('Dämo');
});

test.each([
  ['create', 'application/json'],
  ['create', undefined],
  ['end', 'text/xml'],
  ['getMeetings', 'application/xml'],
])('POST %s with content type %s is refused before the checksum', async (call, type) => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/${call}`, {
    method: 'POST',
    headers: type ? { 'content-type': type } : {},
    body: '<modules/>',
  });
  expect(readAnswer(answer.body)).toMatchObject({
    messageKey: 'unsupportedContentType',
    message: 'POST request Content-Type is missing or unsupported',
  });
});

test('Oversized bodies are rejected', async () => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, `${base}/create`, {
    method: 'POST',
    headers: form,
    body: 'x'.repeat(33 * 1024 * 1024),
  });
  expect(answer.status).toBe(413);
});

test('Concurrent requests do not affect each other', async () => {
  const { sandbox, api } = await startTestSandbox();
  const ids = Array.from({ length: 40 }, (_, index) => `room-${index}`);
  const answers = await Promise.all(ids.map((meetingID) => api.call('create', demoMeeting({ meetingID }))));
  expect(answers.map((answer) => answer.elements['meetingID'])).toEqual(ids);
  const bridges = sandbox.control.state().meetings.map((meeting) => meeting.voiceBridge);
  expect(new Set(bridges).size).toBe(40);
});
