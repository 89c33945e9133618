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

/** Advances the clock without a poll. */
async function pass(span: { minutes?: number; seconds?: number }) {
  harness.api.clock.advance(span);
  await harness.settle();
}

async function look(on = harness.api) {
  await runJob(on.app.dependencies, 'end-meetings');
}

const states = async (...fixtures: RoomFixture[]) =>
  await Promise.all(
    fixtures.map(async (fixture) => {
      const [meeting] = await harness.meetings(fixture);
      return [meeting?.state, meeting?.participant_minutes];
    }),
  );

async function another(fixture: RoomFixture, name: string): Promise<RoomFixture> {
  const { data: room } = await harness.api.admin.createRoom({
    body: { room_name: name, account_id: fixture.account.id },
  });
  return { ...fixture, room, params: { room_id: room.id } };
}

test('a meeting ends when its last minute does, between two polls, with as many minutes used as there were', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '7' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await pass({ seconds: 40 });
  await harness.enter(fixture, 'Berta', 'attendee');
  await harness.sync();
  // Anna 0:00, 1:00, 2:00, 3:00; Berta 0:40, 1:40, 2:40; the eighth minute would start at 3:40 (Berta).
  await pass({ minutes: 2, seconds: 57 });
  await look();
  expect((await harness.meetings(fixture))[0]?.state).toBe('open');
  await pass({ seconds: 2 });
  await look();
  expect(await harness.meetings(fixture)).toMatchObject([
    { state: 'ended', end_reason: 'participant-minutes-used-up', participant_minutes: 7 },
  ]);
  expect(await harness.minutesUsed(fixture)).toBe(7);
});

test('joins make a meeting end earlier, and leaves make it end later', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '4' } });
  const anna = await harness.enter(fixture, 'Anna');
  await harness.sync();
  await pass({ seconds: 70 });
  await harness.enter(fixture, 'Berta', 'attendee');
  // Anna 0:00, 1:00, 2:00; Berta 1:10; the fifth would start at 2:10 (Berta), without Anna's leave.
  await pass({ seconds: 45 });
  harness.sandbox.control.leaveUser({ sessionToken: anna.sessionToken });
  await pass({ seconds: 14 });
  await look();
  expect(await states(fixture)).toEqual([['open', 3]]);
  await pass({ seconds: 57 });
  await look();
  expect((await harness.meetings(fixture))[0]?.state).toBe('open');
  await pass({ seconds: 3 });
  await look();
  expect(await states(fixture)).toEqual([['ended', 4]]);
});

test('meetings that share minutes each continue to the end of the current minute, and a meeting without participants uses none', async () => {
  const first = await harness.createTestRoom({ features: { participant_minutes: '6', max_concurrent_meetings: '9' } });
  const [second, third] = [await another(first, 'Second'), await another(first, 'Third')];
  await harness.enter(first, 'Anna');
  await harness.sync();
  await pass({ seconds: 30 });
  await harness.enter(second, 'Berta');
  await harness.sync();
  const carla = await harness.enter(third, 'Carla');
  await harness.sync();
  harness.sandbox.control.leaveUser({ sessionToken: carla.sessionToken });
  await harness.sync();
  // Carla one; Anna 0:00, 1:00, 2:00; Berta 0:30, 1:30; the seventh would start at 2:30 (Berta).
  await pass({ seconds: 119 });
  await look();
  expect((await states(first, second)).map(([state]) => state)).toEqual(['open', 'ended']);
  await pass({ seconds: 30 });
  await look();
  expect(await states(first, second)).toEqual([
    ['ended', 3],
    ['ended', 2],
  ]);
  expect(await harness.minutesUsed(first)).toBe(6);
  expect((await refusalOf(harness.enter(third))).code).toBe('participant-minutes-used-up');
});

test('two processes that check at the same instant end a meeting once', async () => {
  const other = await harness.api.another();
  onTestFinished(() => other.close());
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '1' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await pass({ seconds: 59 });
  harness.sandbox.control.clearCalls();
  await Promise.all([look(), look(other), look(), look(other)]);
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
  await pass({ seconds: 58 });
  await look();
  expect(await states(fixture)).toEqual([['open', 2]]);
  // The process holds the lease for some seconds, also if it died. Then any process can try.
  await pass({ seconds: 5 });
  harness.sandbox.control.clearCalls();
  await look();
  expect(harness.sandbox.control.calls()).toEqual([]);
  harness.sandbox.control.clearFaults();
  await pass({ seconds: 132 });
  await look();
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
  await pass({ seconds: 50 });
  await harness.sync();
  await pass({ seconds: 30 });
  control.endMeeting(fixture.room.uuid);
  await pass({ seconds: 1 });
  await harness.sync();
  expect(await states(fixture)).toEqual([['ended', 1]]);
  await pass({ seconds: 10 });
  await harness.settle();
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
  await pass({ seconds: 50 });
  await harness.sync();
  await pass({ seconds: 5 });
  // Berta reserves one of the two remaining minutes, so Anna's second minute is the last.
  const { data: entry } = await harness.api.admin.joinRoom({
    params: fixture.params,
    body: { name: 'Berta', role: 'attendee' },
  });
  await pass({ seconds: 50 });
  await followJoinUrl(harness.sandbox, entry.url);
  await pass({ seconds: 13 });
  await look();
  expect(await states(fixture)).toEqual([['ended', 3]]);
});

test('a worker ends meetings on its own, and a join that uses the last minutes wakes it', async () => {
  const keeper = enforceMinutes(harness.api.app.dependencies);
  const woken: number[] = [];
  harness.api.app.invalidations.subscribe('minutes', () => {
    woken.push(1);
    keeper.wakeOn?.wake();
  });
  onTestFinished(() => keeper.stop());
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '2' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  expect(woken).toEqual([]);
  await harness.enter(fixture, 'Berta', 'attendee');
  expect(woken.length).toBeGreaterThan(0);
  await harness.sync();
  await pass({ seconds: 59 });
  keeper.wakeOn?.wake();
  await expect.poll(async () => await states(fixture)).toEqual([['ended', 2]]);
});
