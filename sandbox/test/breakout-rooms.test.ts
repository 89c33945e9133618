import { expect, test } from 'vitest';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';

test('Breakout rooms are listed with their meeting, and end with it', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  const parent = await api.call('create', demoMeeting({ record: 'true', breakoutRoomsRecord: 'true' }));
  control.joinUser({ meetingID: 'demo', fullName: 'Mo', role: 'MODERATOR' });
  const [first = '', second = ''] = control.openBreakoutRooms('demo', 2, 30);
  const info = await api.call('getMeetingInfo', { meetingID: 'demo' });
  const rooms = await Promise.all([first, second].map((meetingID) => api.call('getMeetingInfo', { meetingID })));
  expect(info.elements['breakoutRooms']).toEqual({
    breakout: rooms.map(({ elements }) => elements['internalMeetingID']),
  });
  expect(rooms[1]?.elements).toMatchObject({
    meetingName: 'Demo (Room 2)',
    isBreakout: 'true',
    parentMeetingID: parent.elements['internalMeetingID'],
    sequence: '2',
    freeJoin: 'true',
    duration: '30',
    recording: 'true',
  });
  control.joinUser({ meetingID: first, fullName: 'Anna' });
  control.endMeeting('demo');
  expect(control.state().meetings.map(({ endReason }) => endReason)).toEqual([
    'moderator',
    'parent-ended',
    'parent-ended',
  ]);
});

test('A breakout room ends after its duration, and its meeting continues', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  await api.call('create', demoMeeting());
  control.joinUser({ meetingID: 'demo', fullName: 'Mo', role: 'MODERATOR' });
  const [room = ''] = control.openBreakoutRooms('demo', 1, 2);
  control.joinUser({ meetingID: room, fullName: 'Anna' });
  control.advanceClock(2 * 60_000 + 5_000);
  expect((await api.call('getMeetingInfo', { meetingID: room })).messageKey).toBe('notFound');
  const { elements } = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(elements).toMatchObject({ running: 'true' });
  expect(elements['breakoutRooms']).toBeUndefined();
});

test('No breakout rooms open if they are disabled, or inside a breakout room', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ disabledFeatures: 'breakoutRooms' }));
  expect(() => sandbox.control.openBreakoutRooms('demo', 1)).toThrow('off in this meeting');
  await api.call('create', demoMeeting({ meetingID: 'other' }));
  const [room = ''] = sandbox.control.openBreakoutRooms('other', 1);
  expect(() => sandbox.control.openBreakoutRooms(room, 1)).toThrow('cannot have breakout rooms');
});
