import { expect, test } from 'vitest';
import { startCallbackReceiver } from './callback-receiver.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { type ApiAnswer, encode, readAnswer, sign } from './signed-call.ts';

const twoDocuments = `<?xml version="1.0"?><modules><module name="presentation">
  <document url="https://files.example/a%20b.pdf" filename="A.pdf" downloadable="true" current="true"/>
  <document name="b.pdf">SGVsbG8=</document></module></modules>`;

test('Inserted documents are added to the meeting, and a new current document replaces the previous one', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ preUploadedPresentation: 'https://files.example/first.pdf' }));
  const answer = await insert(sandbox, 'demo', twoDocuments);
  expect(answer).toMatchObject({ returncode: 'SUCCESS', message: 'Presentation is being uploaded' });
  expect(sandbox.control.state().meetings[0]?.documents).toMatchObject([
    { name: 'first.pdf', current: false },
    { name: 'A.pdf', current: true, downloadable: true },
    { name: 'b.pdf', sizeBytes: 5, current: false },
  ]);
});

test.each([
  ['the meeting is unknown', 'unknown', {}, 'Meeting with id [unknown] not found.'],
  ['presentations are off', 'demo', { disabledFeatures: 'chat,presentation' }, 'Presentation feature is disabled'],
])('No document is inserted when %s', async (_why, meetingID, parameters, message) => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting(parameters));
  const answer = await insert(sandbox, meetingID, twoDocuments);
  expect(answer.returncode).toBe('FAILED');
  expect(answer.message).toContain(message);
});

test('A body that is not XML is rejected', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  expect((await insert(sandbox, 'demo', '<modules>')).messageKey).toBe('validationError');
  const form = await insert(sandbox, 'demo', 'a=b', 'application/x-www-form-urlencoded');
  expect(form.messageKey).toBe('unsupportedContentType');
});

test('A message reaches the participants and the hooks', async () => {
  const receiver = await startCallbackReceiver();
  const { sandbox, api } = await startTestSandbox();
  await api.call('hooks/create', { callbackURL: receiver.url, eventID: 'chat-group-message-sent' });
  await api.call('create', demoMeeting());
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  const message = '<b>Five minutes left</b> — Anna’s room';
  expect((await api.call('sendChatMessage', { meetingID: 'demo', message })).returncode).toBe('SUCCESS');
  await api.call('sendChatMessage', { meetingID: 'demo', message: 'Bye', userName: 'Host' });
  expect(sandbox.control.state().meetings[0]?.chat).toMatchObject([
    { userName: 'System', message },
    { userName: 'Host', message: 'Bye' },
  ]);
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toHaveLength(2);
  const events = JSON.parse(new URLSearchParams(receiver.received[0]?.body).get('event') ?? '[]') as unknown;
  expect(events).toMatchObject([
    {
      data: {
        attributes: { 'chat-message': { message, sender: { name: 'System' } }, 'chat-id': 'MAIN-PUBLIC-GROUP-CHAT' },
      },
    },
  ]);
});

test.each([
  ['an empty message', { message: '' }, 'validationError'],
  ['an unknown meeting', { meetingID: 'unknown' }, 'meetingNotFound'],
  ['a missing meeting id', { meetingID: '' }, 'missingParamMeetingID'],
])('sendChatMessage rejects %s', async (_case, change, key) => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  expect((await api.call('sendChatMessage', { meetingID: 'demo', message: 'Hi', ...change })).messageKey).toBe(key);
});

test('With chat disabled, messages are rejected', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ disabledFeatures: 'chat' }));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  expect((await api.call('sendChatMessage', { meetingID: 'demo', message: 'Hi' })).messageKey).toBe('meetingNotFound');
});

test('The client settings and plug-in settings of create are stored', async () => {
  const { sandbox } = await startTestSandbox();
  const settings = '{"public":{"app":{"appName":"Foyer"}}}';
  const plugins = { pluginManifests: '[{"url":"https://p.example/m.json"}]', plugin_quiz_level: '3' };
  const query = encode(demoMeeting(plugins));
  const response = await fetch(`${sandbox.apiUrl}/create?${sign('create', query, sandbox.secret)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body: `<modules><module name="clientSettingsOverride"><![CDATA[${settings}]]></module></modules>`,
  });
  expect(readAnswer(await response.text()).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]).toMatchObject({
    clientSettings: settings,
    pluginParameters: { quiz_level: '3' },
    settings: { pluginManifests: plugins.pluginManifests },
  });
});

async function insert(
  { apiUrl, secret }: { apiUrl: string; secret: string },
  meetingID: string,
  body: string,
  contentType = 'application/xml',
): Promise<ApiAnswer> {
  const url = `${apiUrl}/insertDocument?${sign('insertDocument', encode({ meetingID }), secret)}`;
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': contentType }, body });
  return readAnswer(await response.text());
}
