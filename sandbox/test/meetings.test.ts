import { expect, test } from 'vitest';
import { demoMeeting, startTestSandbox, startOfTests } from './running-sandbox.ts';
import { elementOrder } from './signed-call.ts';

test('A meeting is described with the elements of BigBlueButton in the same order', async () => {
  const { api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { xml } = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(elementOrder(xml)).toEqual([
    'returncode',
    'meetingName',
    'meetingID',
    'internalMeetingID',
    'createTime',
    'createDate',
    'voiceBridge',
    'dialNumber',
    'attendeePW',
    'moderatorPW',
    'running',
    'duration',
    'hasUserJoined',
    'recording',
    'hasBeenForciblyEnded',
    'startTime',
    'endTime',
    'participantCount',
    'listenerCount',
    'voiceParticipantCount',
    'videoCount',
    'maxUsers',
    'moderatorCount',
    'attendees',
    'metadata',
    'isBreakout',
  ]);
});

test('Participants are counted and listed, and the first moderator is the presenter', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ record: 'true', maxParticipants: '9' }));
  const meetingID = 'demo';
  sandbox.control.joinUser({ meetingID, fullName: 'Vera', userID: 'v', isListeningOnly: true });
  sandbox.control.joinUser({
    meetingID,
    fullName: 'Mo & <Co>',
    userID: 'm',
    role: 'MODERATOR',
    hasVideo: true,
    hasJoinedVoice: true,
  });
  const { elements } = await api.call('getMeetingInfo', { meetingID });
  expect(elements).toMatchObject({
    running: 'true',
    hasUserJoined: 'true',
    recording: 'true',
    startTime: String(startOfTests),
    endTime: '0',
    participantCount: '2',
    listenerCount: '1',
    voiceParticipantCount: '1',
    videoCount: '1',
    maxUsers: '9',
    moderatorCount: '1',
    attendees: {
      attendee: [
        {
          userID: 'v',
          fullName: 'Vera',
          role: 'VIEWER',
          isPresenter: 'false',
          isListeningOnly: 'true',
        },
        {
          userID: 'm',
          fullName: 'Mo & <Co>',
          role: 'MODERATOR',
          isPresenter: 'true',
          clientType: 'HTML5',
        },
      ],
    },
  });
});

test('A meeting counts as running while it has a participant', async () => {
  const { sandbox, api } = await startTestSandbox();
  const running = async () => (await api.call('isMeetingRunning', { meetingID: 'demo' })).elements;
  expect(await running()).toEqual({ returncode: 'SUCCESS', running: 'false' });
  await api.call('create', demoMeeting());
  expect((await running())['running']).toBe('false');
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', userID: 'a' });
  expect((await running())['running']).toBe('true');
  sandbox.control.leaveUser({ meetingID: 'demo', userID: 'a' });
  expect((await running())['running']).toBe('false');
});

test('Every call also accepts the internal id', async () => {
  const { sandbox, api } = await startTestSandbox();
  const created = await api.call('create', demoMeeting());
  const meetingID = String(created.elements['internalMeetingID']);
  const joined = await api.call('join', {
    meetingID,
    fullName: 'Anna',
    role: 'VIEWER',
    redirect: 'false',
  });
  sandbox.control.joinUser({ sessionToken: String(joined.elements['session_token']) });
  expect((await api.call('isMeetingRunning', { meetingID })).elements['running']).toBe('true');
  expect((await api.call('getMeetingInfo', { meetingID })).elements['meetingID']).toBe('demo');
  expect((await api.call('end', { meetingID })).messageKey).toBe('sentEndMeetingRequest');
});

test('All meetings are listed, and an empty server returns noMeetings', async () => {
  const { api } = await startTestSandbox();
  const none = await api.call('getMeetings');
  expect(none).toMatchObject({ returncode: 'SUCCESS', messageKey: 'noMeetings' });
  expect(none.xml).toContain('<meetings/>');
  await api.call('create', demoMeeting());
  await api.call('create', demoMeeting({ meetingID: 'other', name: 'Other' }));
  const { elements } = await api.call('getMeetings');
  expect(elements['meetings']).toMatchObject({
    meeting: [{ meetingID: 'demo' }, { meetingID: 'other', meetingName: 'Other' }],
  });
});

test('An ended meeting is no longer listed, and its id can be used again', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  sandbox.control.advanceClock(1_000);
  const answer = await api.call('end', { meetingID: 'demo', password: 'wrong' });
  expect(answer).toMatchObject({ returncode: 'SUCCESS', messageKey: 'sentEndMeetingRequest' });
  expect((await api.call('getMeetings')).messageKey).toBe('noMeetings');
  expect((await api.call('getSessions')).messageKey).toBe('noSessions');
  expect((await api.call('getMeetingInfo', { meetingID: 'demo' })).messageKey).toBe('notFound');
  expect((await api.call('end', { meetingID: 'demo' })).messageKey).toBe('notFound');
  expect((await api.call('isMeetingRunning', { meetingID: 'demo' })).elements['running']).toBe('false');
  expect((await api.call('create', demoMeeting({ attendeePW: 'new' }))).messageKey).toBe('');
  expect((await api.call('getMeetings')).elements['meetings']).toMatchObject({ meeting: [{ attendeePW: 'new' }] });
});

test('Sessions are those of users who have not left', async () => {
  const { sandbox, api } = await startTestSandbox();
  expect((await api.call('getSessions')).messageKey).toBe('noSessions');
  await api.call('create', demoMeeting());
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', userID: 'a' });
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Ben', userID: 'b' });
  sandbox.control.leaveUser({ meetingID: 'demo', userID: 'b' });
  const [meeting] = sandbox.control.state().meetings;
  expect((await api.call('getSessions')).elements['sessions']).toEqual({
    meeting: [{ meetingID: meeting?.internalMeetingID, meetingName: 'Demo', userName: 'Anna' }],
  });
});

test.each(['isMeetingRunning', 'getMeetingInfo', 'end'])('%s needs a meeting id', async (call) => {
  const { api } = await startTestSandbox();
  expect((await api.call(call)).messageKey).toBe('missingParamMeetingID');
  expect((await api.call(call, { meetingID: 'x' })).messageKey).toBe('sizeError');
});

test('Hostile names are returned unchanged, in well-formed XML', async () => {
  const { api } = await startTestSandbox();
  const name = `</meetingName><x>"'&]]> \u{1f389} ${'é'.normalize('NFD')}`;
  await api.call('create', demoMeeting({ name: `${name}\u0000\u0007` }));
  const { elements } = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(elements['meetingName']).toBe(name);
});
