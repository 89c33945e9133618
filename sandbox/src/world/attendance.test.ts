import { expect, test } from 'vitest';
import { newUser, readPreferences } from '../api/joining/join.ts';
import { readCreateSettings } from '../api/create-parameters.ts';
import { closeInactivePages, enterMeeting, leaveMeeting } from './attendance.ts';
import { type Meeting, type User, newMeeting } from './meeting.ts';

const maxInactivityMs = 150_000;

test('A page that has sent no request for 150 seconds is closed, and its user has left', () => {
  const { meeting, user } = meetingWithUser();
  enterMeeting(meeting, user, 1, { name: 'page', lastRequestMs: 0 });
  closeInactivePages(meeting, 2, maxInactivityMs - 1);
  expect(user.presence).toBe('joined');
  closeInactivePages(meeting, 3, maxInactivityMs);
  expect(user.presence).toBe('left');
  expect(meeting.lastUserLeftAt).toBe(3);
});

test('A page without JavaScript sends no heartbeats and is not closed for inactivity', () => {
  const { meeting, user } = meetingWithUser();
  enterMeeting(meeting, user, 1, { name: 'form', lastRequestMs: null });
  closeInactivePages(meeting, 2, maxInactivityMs * 10);
  expect(user.presence).toBe('joined');
});

test('Leaving twice does not change the time of leaving', () => {
  const { meeting, user } = meetingWithUser();
  enterMeeting(meeting, user, 1, { name: 'page', lastRequestMs: 0 });
  leaveMeeting(meeting, user, 5);
  leaveMeeting(meeting, user, 9);
  expect(meeting.lastUserLeftAt).toBe(5);
});

test.each([
  ['an ended meeting', { endedAt: 1 }, {}, 'ended'],
  ['a user who was denied', {}, { guestStatus: 'DENY' }, 'denied'],
  ['a user who must wait', {}, { guestStatus: 'WAIT' }, 'waiting'],
] as const)('The user is not admitted: %s', (_case, meetingChange, userChange, entry) => {
  const { meeting, user } = meetingWithUser();
  Object.assign(meeting, meetingChange);
  Object.assign(user, userChange);
  expect(enterMeeting(meeting, user, 2, { name: 'page', lastRequestMs: 0 })).toBe(entry);
  expect(user.presence).toBe('registered');
  expect(meeting.hasUserJoined).toBe(false);
});

function meetingWithUser(): { meeting: Meeting; user: User } {
  const user = newUser({
    internalId: 'w_1',
    externalId: 'u1',
    fullName: 'Anna',
    role: 'MODERATOR',
    isGuest: false,
    guestStatus: 'ALLOW',
    customData: new Map(),
    preferences: readPreferences(new Map()),
  });
  const meeting = newMeeting({
    externalId: 'demo',
    internalId: 'x-1',
    name: 'Demo',
    createTime: 0,
    attendeePassword: 'ap',
    moderatorPassword: 'mp',
    voiceBridge: '12345',
    settings: readCreateSettings(new Map()),
    metadata: new Map(),
    callbackUrls: { recordingReady: null, analytics: null },
    documents: [],
    clientSettings: null,
    pluginParameters: new Map(),
    parentId: null,
  });
  meeting.users.set(user.internalId, user);
  return { meeting, user };
}
