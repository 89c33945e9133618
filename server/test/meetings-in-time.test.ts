import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { enforceMinutes } from '../src/modules/meetings/minutes/enforce-minutes.ts';
import { refusalOf } from './factories.ts';
import { followJoinUrl, type RoomFixture, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

/** Advances the clock and delivers callbacks, without a poll. */
async function advance(span: { minutes?: number; seconds?: number }) {
  harness.api.clock.advance(span);
  await harness.deliverCallbacks();
}

async function runEndMeetings(node = harness.api) {
  await runJob(node.app.dependencies, 'end-meetings');
}

const states = async (...fixtures: RoomFixture[]) =>
  await Promise.all(
    fixtures.map(async (fixture) => {
      const [meeting] = await harness.meetings(fixture);
      return [meeting?.state, meeting?.participant_minutes];
    }),
  );

async function createRoomInAccount(fixture: RoomFixture, name: string): Promise<RoomFixture> {
  const { data: room } = await harness.api.admin.createRoom({
    body: { room_name: name, account_id: fixture.account.id },
  });
  return { ...fixture, room, params: { room_id: room.id } };
}

test('a meeting ends at the end of its last minute, also between two polls, and uses exactly the available minutes', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '7' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advance({ seconds: 40 });
  await harness.enter(fixture, 'Berta', 'attendee');
  await harness.sync();
  // Anna 0:00, 1:00, 2:00, 3:00; Berta 0:40, 1:40, 2:40; the eighth minute would start at 3:40 (Berta).
  await advance({ minutes: 2, seconds: 57 });
  await runEndMeetings();
  expect((await harness.meetings(fixture))[0]?.state).toBe('open');
  await advance({ seconds: 2 });
  await runEndMeetings();
  expect(await harness.meetings(fixture)).toMatchObject([
    { state: 'ended', end_reason: 'participant-minutes-used-up', participant_minutes: 7 },
  ]);
  expect(await harness.minutesUsed(fixture)).toBe(7);
});

test('joins make a meeting end earlier, and leaves make it end later', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '4' } });
  const anna = await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advance({ seconds: 70 });
  await harness.enter(fixture, 'Berta', 'attendee');
  // Anna 0:00, 1:00, 2:00; Berta 1:10; without Anna's leave, the fifth minute would start at 2:10 (Berta).
  await advance({ seconds: 45 });
  harness.sandbox.control.leaveUser({ sessionToken: anna.sessionToken });
  await advance({ seconds: 14 });
  await runEndMeetings();
  expect(await states(fixture)).toEqual([['open', 3]]);
  await advance({ seconds: 57 });
  await runEndMeetings();
  expect((await harness.meetings(fixture))[0]?.state).toBe('open');
  await advance({ seconds: 3 });
  await runEndMeetings();
  expect(await states(fixture)).toEqual([['ended', 4]]);
});

test('meetings that share minutes each continue to the end of the current minute, and a meeting without participants uses none', async () => {
  const first = await harness.createTestRoom({ features: { participant_minutes: '6', max_concurrent_meetings: '9' } });
  const [second, third] = [await createRoomInAccount(first, 'Second'), await createRoomInAccount(first, 'Third')];
  await harness.enter(first, 'Anna');
  await harness.sync();
  await advance({ seconds: 30 });
  await harness.enter(second, 'Berta');
  await harness.sync();
  const carla = await harness.enter(third, 'Carla');
  await harness.sync();
  harness.sandbox.control.leaveUser({ sessionToken: carla.sessionToken });
  await harness.sync();
  // Carla: one minute; Anna 0:00, 1:00, 2:00; Berta 0:30, 1:30; the seventh minute would start at 2:30 (Berta).
  await advance({ seconds: 119 });
  await runEndMeetings();
  expect((await states(first, second)).map(([state]) => state)).toEqual(['open', 'ended']);
  await advance({ seconds: 30 });
  await runEndMeetings();
  expect(await states(first, second)).toEqual([
    ['ended', 3],
    ['ended', 2],
  ]);
  expect(await harness.minutesUsed(first)).toBe(6);
  expect((await refusalOf(harness.enter(third))).code).toBe('participant-minutes-used-up');
});

test('two processes that check at the same instant end a meeting once', async () => {
  const otherProcess = await harness.api.another();
  onTestFinished(() => otherProcess.close());
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '1' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advance({ seconds: 59 });
  harness.sandbox.control.clearCalls();
  await Promise.all([runEndMeetings(), runEndMeetings(otherProcess), runEndMeetings(), runEndMeetings(otherProcess)]);
  expect(await states(fixture)).toEqual([['ended', 1]]);
  expect(harness.sandbox.control.calls().filter(({ call }) => call === 'end')).toHaveLength(1);
});

test('if the meeting server cannot be reached at the end, the end is retried, and minutes beyond the limit are counted and logged', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '2' } });
  await harness.enter(fixture, 'Anna');
  await harness.enter(fixture, 'Berta', 'attendee');
  await harness.sync();
  harness.sandbox.control.injectFault({ kind: 'connection-reset', times: null });
  onTestFinished(() => harness.sandbox.control.clearFaults());
  await advance({ seconds: 58 });
  await runEndMeetings();
  expect(await states(fixture)).toEqual([['open', 2]]);
  // The process holds the lease for some seconds, also if it crashed. Then any process can try.
  await advance({ seconds: 5 });
  harness.sandbox.control.clearCalls();
  await runEndMeetings();
  expect(harness.sandbox.control.calls()).toEqual([]);
  harness.sandbox.control.clearFaults();
  await advance({ seconds: 132 });
  await runEndMeetings();
  expect(await states(fixture)).toEqual([['ended', 8]]);
  expect(await harness.minutesUsed(fixture)).toBe(8);
  expect(harness.api.log()).toContain('"beyond":6');
});

test('minutes that only the attendance record reports are counted, and an overrun is logged', async () => {
  const { control } = harness.sandbox;
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '1' } });
  onTestFinished(() => control.clearDisturbances());
  control.disturbCallbacks({ kind: 'lost', callback: 'hook', times: null });
  await harness.enter(fixture, 'Anna');
  await advance({ seconds: 50 });
  await harness.sync();
  await advance({ seconds: 30 });
  control.endMeeting(fixture.room.uuid);
  await advance({ seconds: 1 });
  await harness.sync();
  expect(await states(fixture)).toEqual([['ended', 1]]);
  await advance({ seconds: 10 });
  await harness.deliverCallbacks();
  expect(await states(fixture)).toEqual([['ended', 2]]);
  expect(await harness.minutesUsed(fixture)).toBe(2);
  const [meeting] = await harness.meetings(fixture);
  const logLines = harness.api
    .log()
    .split('\n')
    .filter((line) => line.includes(`"meeting":"${meeting?.uuid}"`));
  expect(logLines.filter((line) => line.includes('"beyond":1'))).toHaveLength(1);
});

test('a participant who reserved the last minute keeps it until they have joined and it has passed', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '3' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advance({ seconds: 50 });
  await harness.sync();
  await advance({ seconds: 5 });
  // Berta reserves one of the two remaining minutes, so Anna's second minute is the last.
  const { data: entry } = await harness.api.admin.joinRoom({
    params: fixture.params,
    body: { name: 'Berta', role: 'attendee' },
  });
  await advance({ seconds: 50 });
  await followJoinUrl(harness.sandbox, entry.url);
  await advance({ seconds: 13 });
  await runEndMeetings();
  expect(await states(fixture)).toEqual([['ended', 3]]);
});

test('a worker ends meetings on its own, and a join that uses the last minutes wakes it', async () => {
  const enforcement = enforceMinutes(harness.api.app.dependencies);
  const wakeUps: number[] = [];
  harness.api.app.invalidations.subscribe('minutes', () => {
    wakeUps.push(1);
    enforcement.wakeOn?.wake();
  });
  onTestFinished(() => enforcement.stop());
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '2' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  expect(wakeUps).toEqual([]);
  await harness.enter(fixture, 'Berta', 'attendee');
  expect(wakeUps.length).toBeGreaterThan(0);
  await harness.sync();
  await advance({ seconds: 59 });
  enforcement.wakeOn?.wake();
  await expect.poll(async () => await states(fixture)).toEqual([['ended', 2]]);
});
