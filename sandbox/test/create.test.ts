import { expect, test } from 'vitest';
import { demoMeeting, startTestSandbox, startOfTests } from './running-sandbox.ts';
import { elementOrder, readAnswer, sign } from './signed-call.ts';

test('The response to create has the elements of BigBlueButton in the same order', async () => {
  const { api } = await startTestSandbox();
  const { elements, xml } = await api.call('create', demoMeeting({ voiceBridge: '71234' }));
  expect(elementOrder(xml)).toEqual([
    'returncode',
    'meetingID',
    'internalMeetingID',
    'parentMeetingID',
    'attendeePW',
    'moderatorPW',
    'createTime',
    'voiceBridge',
    'dialNumber',
    'createDate',
    'hasUserJoined',
    'duration',
    'hasBeenForciblyEnded',
    'messageKey',
    'message',
  ]);
  expect(elements).toMatchObject({
    meetingID: 'demo',
    internalMeetingID: `89e495e7941cf9e40e6980d14a16bf023ccd4c91-${startOfTests}`,
    parentMeetingID: 'bbb-none',
    attendeePW: 'ap',
    moderatorPW: 'mp',
    createTime: String(startOfTests),
    voiceBridge: '71234',
    createDate: 'Thu Nov 20 10:00:00 UTC 2025',
    hasUserJoined: 'false',
    duration: '0',
    hasBeenForciblyEnded: 'false',
  });
});

test('Missing passwords are generated, with eight characters each', async () => {
  const { api } = await startTestSandbox();
  const { elements } = await api.call('create', { meetingID: 'demo', name: 'Demo' });
  expect(elements['attendeePW']).toMatch(/^\w{8}$/);
  expect(elements['moderatorPW']).toMatch(/^\w{8}$/);
  expect(elements['attendeePW']).not.toBe(elements['moderatorPW']);
});

test('Creating again with the same passwords warns and changes nothing', async () => {
  const { api } = await startTestSandbox();
  const first = await api.call('create', demoMeeting({ duration: '30' }));
  const second = await api.call('create', demoMeeting({ duration: '60', name: 'Other' }));
  expect(second).toMatchObject({ returncode: 'SUCCESS', messageKey: 'duplicateWarning' });
  expect(second.elements).toMatchObject({
    createTime: first.elements['createTime'],
    internalMeetingID: first.elements['internalMeetingID'],
    duration: '30',
  });
});

test('Creating again without passwords returns the same meeting', async () => {
  const { api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const second = await api.call('create', { meetingID: 'demo', name: 'Demo' });
  expect(second.messageKey).toBe('duplicateWarning');
  expect(second.elements).toMatchObject({ attendeePW: 'ap', moderatorPW: 'mp' });
});

test.each([
  ['another password', { moderatorPW: 'other' }],
  ['only one of both passwords', { moderatorPW: '' }],
])('Creating again with %s is refused', async (_case, change) => {
  const { api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  expect(await api.call('create', demoMeeting(change))).toMatchObject({
    returncode: 'FAILED',
    messageKey: 'idNotUnique',
  });
});

test('The id of an ended meeting can be used again, and the new meeting has another internal id', async () => {
  const { api } = await startTestSandbox();
  const first = await api.call('create', demoMeeting());
  await api.call('end', { meetingID: 'demo' });
  const second = await api.call('create', demoMeeting({ moderatorPW: 'other' }));
  expect(second).toMatchObject({ returncode: 'SUCCESS', messageKey: '' });
  expect(second.elements['internalMeetingID']).not.toBe(first.elements['internalMeetingID']);
});

test('A voice bridge belongs to one live meeting', async () => {
  const { api } = await startTestSandbox();
  await api.call('create', demoMeeting({ voiceBridge: '12345' }));
  const other = demoMeeting({ meetingID: 'other', voiceBridge: '12345' });
  expect((await api.call('create', other)).messageKey).toBe('nonUniqueVoiceBridge');
  await api.call('end', { meetingID: 'demo' });
  expect((await api.call('create', other)).returncode).toBe('SUCCESS');
});

test.each<[string, Record<string, string>, string]>([
  ['no meeting id', { meetingID: '' }, 'missingParamMeetingID'],
  ['a meeting id of one character', { meetingID: 'x' }, 'sizeError'],
  ['a meeting id of 257 characters', { meetingID: 'x'.repeat(257) }, 'sizeError'],
  ['a comma in the meeting id', { meetingID: 'a,b' }, 'validationError'],
  ['an empty name', { name: '' }, 'emptyError'],
  ['a name of one character', { name: 'x' }, 'sizeError'],
  ['a name of 257 characters', { name: 'x'.repeat(257) }, 'sizeError'],
  ['an attendee password of one character', { attendeePW: 'x' }, 'invalidPassword'],
  ['a moderator password of 65 characters', { moderatorPW: 'x'.repeat(65) }, 'invalidPassword'],
  ['a voice bridge that is not a number', { voiceBridge: 'abc' }, 'validationError'],
  ['the reserved voice bridge', { voiceBridge: '99999' }, 'nonUniqueVoiceBridge'],
  ['record that is not a boolean', { record: 'yes' }, 'validationError'],
  ['a flag that is not a boolean', { muteOnStart: '1' }, 'validationError'],
  ['a duration that is not a number', { duration: 'long' }, 'validationError'],
  ['a negative limit', { maxParticipants: '-1' }, 'validationError'],
  ['a fraction of a minute', { duration: '1.5' }, 'validationError'],
  ['an unknown guest policy', { guestPolicy: 'MAYBE' }, 'validationError'],
  ['a colour by name', { bannerColor: 'red' }, 'validationError'],
  ['an upload address without scheme', { presentationUploadExternalUrl: 'x' }, 'validationError'],
  ['a breakout room without parent', { isBreakout: 'true' }, 'parentMeetingIDMissing'],
  [
    'a breakout room of an unknown parent',
    { isBreakout: 'true', parentMeetingID: 'unknown' },
    'parentMeetingDoesNotExist',
  ],
])('Create is refused with %s', async (_case, change, messageKey) => {
  const { sandbox, api } = await startTestSandbox();
  const answer = await api.call('create', demoMeeting(change));
  expect(answer).toMatchObject({ returncode: 'FAILED', messageKey });
  expect(answer.message).not.toBe('');
  expect(sandbox.control.state().meetings).toEqual([]);
});

test('A missing name has its own error key', async () => {
  const { api } = await startTestSandbox();
  expect((await api.call('create', { meetingID: 'demo' })).messageKey).toBe('nullError');
});

test('Absent parameters get the defaults of BigBlueButton', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  expect(sandbox.control.state().meetings[0]?.settings).toMatchObject({
    maxParticipants: 0,
    duration: 0,
    userCameraCap: 3,
    meetingExpireIfNoUserJoinedInMinutes: 5,
    meetingExpireWhenLastUserLeftInMinutes: 1,
    endWhenNoModerator: false,
    record: false,
    allowStartStopRecording: true,
    guestPolicy: 'ALWAYS_ACCEPT',
    lockSettingsLockOnJoin: true,
    meetingLayout: 'CUSTOM_LAYOUT',
  });
});

test('Parameters are stored as sent, and unknown ones are ignored', async () => {
  const { sandbox, api } = await startTestSandbox();
  const sent = {
    maxParticipants: '12',
    record: 'TRUE',
    disabledFeatures: 'chat,polls',
    welcome: '<b>Hi</b>\nthere',
    meetingLayout: 'ROUND_TABLE',
    maxUserConcurrentAccesses: '1',
    somethingNew: 'x',
  };
  expect((await api.call('create', demoMeeting(sent))).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.settings).toMatchObject({
    maxParticipants: 12,
    record: true,
    disabledFeatures: 'chat,polls',
    welcome: '<b>Hi</b>\nthere',
    meetingLayout: 'ROUND_TABLE',
  });
});

test('Metadata keys are stored in lower case, and invalid keys are dropped', async () => {
  const { api } = await startTestSandbox();
  await api.call(
    'create',
    demoMeeting({
      meta_endCallbackUrl: 'http://localhost:1/',
      'meta_bbb-origin': 'foyer & <co>',
      meta_with_underscore: 'x',
      meta_1st: 'x',
      meta_: 'x',
    }),
  );
  const { elements } = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(elements['metadata']).toEqual({
    endcallbackurl: 'http://localhost:1/',
    'bbb-origin': 'foyer & <co>',
  });
});

test('Presentations in an XML body are stored', async () => {
  const { sandbox } = await startTestSandbox();
  const signed = sign('create', 'meetingID=demo&name=Demo', sandbox.secret);
  const xml = `<?xml version="1.0" encoding="UTF-8"?><modules><module name="presentation">
    <document url="https://example.com/a.pdf?x=1&amp;y=2" filename="first.pdf" current="true" downloadable="true"/>
    <document name="second.txt">${Buffer.from('hello').toString('base64')}</document>
  </module><module name="other"/></modules>`;
  const response = await fetch(`${sandbox.apiUrl}/create?${signed}`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml; charset=utf-8' },
    body: xml,
  });
  expect(readAnswer(await response.text()).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.documents).toEqual([
    {
      name: 'first.pdf',
      url: 'https://example.com/a.pdf?x=1&y=2',
      sizeBytes: 0,
      current: true,
      downloadable: true,
      removable: true,
    },
    {
      name: 'second.txt',
      url: null,
      sizeBytes: 5,
      current: false,
      downloadable: false,
      removable: true,
    },
  ]);
});

test.each([
  ['broken XML', '<modules><module></modules>'],
  ['a DTD', '<!DOCTYPE x [<!ENTITY a "b">]><modules/>'],
])('A body with %s is refused', async (_case, body) => {
  const { sandbox } = await startTestSandbox();
  const signed = sign('create', 'meetingID=demo&name=Demo', sandbox.secret);
  const response = await fetch(`${sandbox.apiUrl}/create?${signed}`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body,
  });
  expect(readAnswer(await response.text()).messageKey).toBe('validationError');
  expect(sandbox.control.state().meetings).toEqual([]);
});

test('A breakout room names its parent, the parent lists its breakout rooms, and both end together', async () => {
  const { api } = await startTestSandbox();
  const parent = await api.call('create', demoMeeting());
  const room = await api.call('create', {
    meetingID: 'demo-1',
    name: 'Room 1',
    isBreakout: 'true',
    parentMeetingID: 'demo',
    sequence: '1',
    freeJoin: 'true',
  });
  const parentId = parent.elements['internalMeetingID'];
  expect(room.elements['parentMeetingID']).toBe(parentId);
  expect((await api.call('getMeetingInfo', { meetingID: 'demo-1' })).elements).toMatchObject({
    isBreakout: 'true',
    parentMeetingID: parentId,
    sequence: '1',
    freeJoin: 'true',
  });
  expect((await api.call('getMeetingInfo', { meetingID: 'demo' })).elements).toMatchObject({
    isBreakout: 'false',
    breakoutRooms: { breakout: [room.elements['internalMeetingID']] },
  });
  await api.call('end', { meetingID: 'demo' });
  expect((await api.call('getMeetingInfo', { meetingID: 'demo-1' })).messageKey).toBe('notFound');
});
