import { expect, test } from 'vitest';
import type { Sandbox } from '../src/index.ts';
import { demoMeeting, runningSandbox } from './running-sandbox.ts';

const meetingID = 'demo';

test('A meeting without participants ends after five minutes', async () => {
  const sandbox = await meetingWith({});
  sandbox.control.advanceClock(minutes(5) - 1);
  expect(endOf(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(endOf(sandbox)).toBe('nobody-joined');
});

test('With an expiry of 0, a meeting without participants does not end', async () => {
  const sandbox = await meetingWith({ meetingExpireIfNoUserJoinedInMinutes: '0' });
  sandbox.control.advanceClock(minutes(10_000));
  expect(endOf(sandbox)).toBeNull();
});

test('After the last user has left a meeting ends a minute later', async () => {
  const sandbox = await meetingWith({});
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutes(30));
  expect(endOf(sandbox)).toBeNull();
  leave(sandbox, 'a');
  sandbox.control.advanceClock(minutes(1) - 1);
  expect(endOf(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(endOf(sandbox)).toBe('last-user-left');
});

test('A user who rejoins in time keeps the meeting open', async () => {
  const sandbox = await meetingWith({ meetingExpireWhenLastUserLeftInMinutes: '2' });
  join(sandbox, 'a');
  leave(sandbox, 'a');
  sandbox.control.advanceClock(minutes(1));
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutes(60));
  expect(endOf(sandbox)).toBeNull();
});

test('The duration counts from the creation, not from the first user', async () => {
  const sandbox = await meetingWith({ duration: '10' });
  sandbox.control.advanceClock(minutes(4));
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutes(6) - 1);
  expect(endOf(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(endOf(sandbox)).toBe('duration');
});

test('With endWhenNoModerator, a meeting ends after its last moderator left', async () => {
  const sandbox = await meetingWith({
    endWhenNoModerator: 'true',
    endWhenNoModeratorDelayInMinutes: '3',
  });
  join(sandbox, 'viewer');
  join(sandbox, 'm1', 'MODERATOR');
  join(sandbox, 'm2', 'MODERATOR');
  leave(sandbox, 'm1');
  sandbox.control.advanceClock(minutes(20));
  expect(endOf(sandbox)).toBeNull();
  leave(sandbox, 'm2');
  sandbox.control.advanceClock(minutes(3) - 1);
  expect(endOf(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(endOf(sandbox)).toBe('no-moderator');
});

test('A moderator who returns in time keeps the meeting open', async () => {
  const sandbox = await meetingWith({ endWhenNoModerator: 'true' });
  join(sandbox, 'viewer');
  join(sandbox, 'm', 'MODERATOR');
  leave(sandbox, 'm');
  join(sandbox, 'm', 'MODERATOR');
  sandbox.control.advanceClock(minutes(60));
  expect(endOf(sandbox)).toBeNull();
});

test('By default, a meeting continues without moderators', async () => {
  const sandbox = await meetingWith({});
  join(sandbox, 'viewer');
  join(sandbox, 'm', 'MODERATOR');
  leave(sandbox, 'm');
  sandbox.control.advanceClock(minutes(60));
  expect(endOf(sandbox)).toBeNull();
});

test('A clock jump ends meetings at their due time, not at the new time', async () => {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting({ record: 'true', autoStartRecording: 'true', duration: '10' }));
  const { now } = sandbox.control.state();
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutes(600));
  const { elements } = await api.call('getRecordings');
  expect(elements['recordings']).toMatchObject({
    recording: [{ endTime: String(now + minutes(10)) }],
  });
});

test('The clock can be set, and the API reads it', async () => {
  const { sandbox, api } = await runningSandbox();
  sandbox.control.setClock(Date.UTC(2031, 0, 1));
  const { elements } = await api.call('create', demoMeeting());
  expect(elements['createDate']).toBe('Wed Jan 01 00:00:00 UTC 2031');
});

async function meetingWith(parameters: Record<string, string>): Promise<Sandbox> {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting(parameters));
  return sandbox;
}

/** Null while the meeting is running. */
function endOf(sandbox: Sandbox) {
  const [meeting] = sandbox.control.state().meetings;
  return meeting ? meeting.endReason : 'gone';
}

function join(sandbox: Sandbox, userID: string, role: 'MODERATOR' | 'VIEWER' = 'VIEWER'): void {
  sandbox.control.joinUser({ meetingID, fullName: userID, userID, role });
}

function leave(sandbox: Sandbox, userID: string): void {
  sandbox.control.leaveUser({ meetingID, userID });
}

function minutes(count: number): number {
  return count * 60_000;
}
