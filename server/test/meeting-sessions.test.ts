import { afterAll, beforeAll, expect, test } from 'vitest';
import { followJoinUrl, type RoomFixture, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

async function advanceMinutes(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    harness.api.clock.advance({ minutes: 1 });
    await harness.deliverCallbacks();
    await harness.sync();
  }
}

/** Opens one join URL three times. */
async function openThreeTimes(fixture: RoomFixture) {
  const { data } = await harness.api.admin.joinRoom({
    params: fixture.params,
    body: { name: 'Anna', role: 'moderator' },
  });
  const sessions = [];
  for (let time = 0; time < 3; time++) sessions.push(await followJoinUrl(harness.sandbox, data.url));
  await harness.deliverCallbacks();
  return sessions;
}

test('three sessions opened with one join URL count as three participants, each with its own minutes', async () => {
  const fixture = await harness.createTestRoom();
  const sessions = await openThreeTimes(fixture);
  await harness.sync();
  await advanceMinutes(4);
  const [meeting] = await harness.meetings(fixture);
  expect(meeting).toMatchObject({ participant_count: 3 });
  expect(await harness.participants(meeting ?? { id: '' })).toHaveLength(3);
  expect(await harness.minutesUsed(fixture)).toBe(3 * 4);
  const [, second, third] = sessions;
  for (const session of [second, third]) if (session) harness.sandbox.control.leaveUser(session);
  await advanceMinutes(3);
  expect((await harness.meetings(fixture))[0]).toMatchObject({ participant_count: 1, state: 'open' });
  const usedBefore = await harness.minutesUsed(fixture);
  await advanceMinutes(2);
  expect(await harness.minutesUsed(fixture)).toBe((usedBefore ?? 0) + 2);
});

test('every session opened with one join URL counts against the participant limit of the room', async () => {
  const fixture = await harness.createTestRoom({ features: { max_participants: '4' } });
  await openThreeTimes(fixture);
  await harness.sync();
  const join = () => harness.api.admin.joinRoom({ params: fixture.params, body: { name: 'Berta', role: 'moderator' } });
  await followJoinUrl(harness.sandbox, (await join()).data.url);
  await expect(join()).rejects.toMatchObject({ status: 403, code: 'room-full' });
});

test('concurrent sessions in the attendance record are charged separately', async () => {
  const fixture = await harness.createTestRoom();
  await openThreeTimes(fixture);
  harness.api.clock.advance({ seconds: 290 });
  await harness.deliverCallbacks();
  harness.sandbox.control.endMeeting(fixture.room.uuid);
  harness.api.clock.advance({ minutes: 3 });
  await harness.deliverCallbacks();
  expect((await harness.meetings(fixture))[0]).toMatchObject({ state: 'ended', participant_count: 0 });
  expect(await harness.minutesUsed(fixture)).toBe(3 * 5);
});
