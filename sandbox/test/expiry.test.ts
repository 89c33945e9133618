import { expect, test } from 'vitest';
import type { Sandbox } from '../src/index.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';

const meetingID = 'demo';

test('A meeting without participants ends after five minutes', async () => {
  const sandbox = await createMeeting({});
  sandbox.control.advanceClock(minutesMs(5) - 1);
  expect(readEndReason(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(readEndReason(sandbox)).toBe('nobody-joined');
});

test('With an expiry of 0, a meeting without participants does not end', async () => {
  const sandbox = await createMeeting({ meetingExpireIfNoUserJoinedInMinutes: '0' });
  sandbox.control.advanceClock(minutesMs(10_000));
  expect(readEndReason(sandbox)).toBeNull();
});

test('After the last user has left a meeting ends a minute later', async () => {
  const sandbox = await createMeeting({});
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutesMs(30));
  expect(readEndReason(sandbox)).toBeNull();
  leave(sandbox, 'a');
  sandbox.control.advanceClock(minutesMs(1) - 1);
  expect(readEndReason(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(readEndReason(sandbox)).toBe('last-user-left');
});

test('A user who rejoins in time keeps the meeting open', async () => {
  const sandbox = await createMeeting({ meetingExpireWhenLastUserLeftInMinutes: '2' });
  join(sandbox, 'a');
  leave(sandbox, 'a');
  sandbox.control.advanceClock(minutesMs(1));
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutesMs(60));
  expect(readEndReason(sandbox)).toBeNull();
});

test('The duration counts from the creation, not from the first user', async () => {
  const sandbox = await createMeeting({ duration: '10' });
  sandbox.control.advanceClock(minutesMs(4));
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutesMs(6) - 1);
  expect(readEndReason(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(readEndReason(sandbox)).toBe('duration');
});

test('With endWhenNoModerator, a meeting ends after its last moderator left', async () => {
  const sandbox = await createMeeting({
    endWhenNoModerator: 'true',
    endWhenNoModeratorDelayInMinutes: '3',
  });
  join(sandbox, 'viewer');
  join(sandbox, 'm1', 'MODERATOR');
  join(sandbox, 'm2', 'MODERATOR');
  leave(sandbox, 'm1');
  sandbox.control.advanceClock(minutesMs(20));
  expect(readEndReason(sandbox)).toBeNull();
  leave(sandbox, 'm2');
  sandbox.control.advanceClock(minutesMs(3) - 1);
  expect(readEndReason(sandbox)).toBeNull();
  sandbox.control.advanceClock(1);
  expect(readEndReason(sandbox)).toBe('no-moderator');
});

test('A moderator who returns in time keeps the meeting open', async () => {
  const sandbox = await createMeeting({ endWhenNoModerator: 'true' });
  join(sandbox, 'viewer');
  join(sandbox, 'm', 'MODERATOR');
  leave(sandbox, 'm');
  join(sandbox, 'm', 'MODERATOR');
  sandbox.control.advanceClock(minutesMs(60));
  expect(readEndReason(sandbox)).toBeNull();
});

test('By default, a meeting continues without moderators', async () => {
  const sandbox = await createMeeting({});
  join(sandbox, 'viewer');
  join(sandbox, 'm', 'MODERATOR');
  leave(sandbox, 'm');
  sandbox.control.advanceClock(minutesMs(60));
  expect(readEndReason(sandbox)).toBeNull();
});

test('A clock jump ends meetings at their due time, not at the new time', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ record: 'true', autoStartRecording: 'true', duration: '10' }));
  const { now } = sandbox.control.state();
  join(sandbox, 'a');
  sandbox.control.advanceClock(minutesMs(600));
  const { elements } = await api.call('getRecordings');
  expect(elements['recordings']).toMatchObject({
    recording: [{ endTime: String(now + minutesMs(10)) }],
  });
});

test('The clock can be set, and the API reads it', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.setClock(Date.UTC(2031, 0, 1));
  const { elements } = await api.call('create', demoMeeting());
  expect(elements['createDate']).toBe('Wed Jan 01 00:00:00 UTC 2031');
});

async function createMeeting(parameters: Record<string, string>): Promise<Sandbox> {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting(parameters));
  return sandbox;
}

/** Null while the meeting is running. */
function readEndReason(sandbox: Sandbox) {
  const [meeting] = sandbox.control.state().meetings;
  return meeting ? meeting.endReason : 'gone';
}

function join(sandbox: Sandbox, userID: string, role: 'MODERATOR' | 'VIEWER' = 'VIEWER'): void {
  sandbox.control.joinUser({ meetingID, fullName: userID, userID, role });
}

function leave(sandbox: Sandbox, userID: string): void {
  sandbox.control.leaveUser({ meetingID, userID });
}

function minutesMs(count: number): number {
  return count * 60_000;
}
