import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { keepMinutes } from '../src/modules/meetings/minutes/keep-minutes.ts';
import { refusalOf } from './factories.ts';
import { arrive, type Door, openStage, type Stage } from './meeting-stage.ts';
import { runJob } from '../src/modules.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Time passes, and nobody is asked for all meetings. */
async function pass(span: { minutes?: number; seconds?: number }) {
  stage.api.clock.advance(span);
  await stage.settle();
}

async function look(on = stage.api) {
  await runJob(on.app.dependencies, 'end-meetings');
}

const states = async (...doors: Door[]) =>
  await Promise.all(
    doors.map(async (door) => {
      const [meeting] = await stage.meetings(door);
      return [meeting?.state, meeting?.participant_minutes];
    }),
  );

async function another(door: Door, name: string): Promise<Door> {
  const { data: room } = await stage.api.admin.createRoom({
    body: { room_name: name, account_id: door.account.id },
  });
  return { ...door, room, params: { room_id: room.id } };
}

test('a meeting ends when its last minute does, between two polls, with as many minutes used as there were', async () => {
  const door = await stage.aRoom({ features: { participant_minutes: '7' } });
  await stage.enter(door, 'Anna');
  await stage.sync();
  await pass({ seconds: 40 });
  await stage.enter(door, 'Berta', 'attendee');
  await stage.sync();
  // Anna 0:00, 1:00, 2:00, 3:00; Berta 0:40, 1:40, 2:40; the eighth minute would be Berta's at 3:40.
  await pass({ minutes: 2, seconds: 57 });
  await look();
  expect((await stage.meetings(door))[0]?.state).toBe('open');
  await pass({ seconds: 2 });
  await look();
  expect(await stage.meetings(door)).toMatchObject([
    { state: 'ended', end_reason: 'participant-minutes-used-up', participant_minutes: 7 },
  ]);
  expect(await stage.minutesUsed(door)).toBe(7);
});

test('who comes brings the end forward, and who leaves puts it off', async () => {
  const door = await stage.aRoom({ features: { participant_minutes: '4' } });
  const anna = await stage.enter(door, 'Anna');
  await stage.sync();
  await pass({ seconds: 70 });
  await stage.enter(door, 'Berta', 'attendee');
  // Anna 0:00, 1:00, 2:00; Berta 1:10; the fifth would be Berta's at 2:10, had Anna not gone.
  await pass({ seconds: 45 });
  stage.sandbox.control.leaveUser({ sessionToken: anna.sessionToken });
  await pass({ seconds: 14 });
  await look();
  expect(await states(door)).toEqual([['open', 3]]);
  await pass({ seconds: 57 });
  await look();
  expect((await stage.meetings(door))[0]?.state).toBe('open');
  await pass({ seconds: 3 });
  await look();
  expect(await states(door)).toEqual([['ended', 4]]);
});

test('meetings that share minutes each continue to the end of the current minute, and a meeting without participants uses none', async () => {
  const first = await stage.aRoom({ features: { participant_minutes: '6', max_concurrent_meetings: '9' } });
  const [second, third] = [await another(first, 'Second'), await another(first, 'Third')];
  await stage.enter(first, 'Anna');
  await stage.sync();
  await pass({ seconds: 30 });
  await stage.enter(second, 'Berta');
  await stage.sync();
  const carla = await stage.enter(third, 'Carla');
  await stage.sync();
  stage.sandbox.control.leaveUser({ sessionToken: carla.sessionToken });
  await stage.sync();
  // Carla one; Anna 0:00, 1:00, 2:00; Berta 0:30, 1:30; the seventh would be Berta's at 2:30.
  await pass({ seconds: 119 });
  await look();
  expect((await states(first, second)).map(([state]) => state)).toEqual(['open', 'ended']);
  await pass({ seconds: 30 });
  await look();
  expect(await states(first, second)).toEqual([
    ['ended', 3],
    ['ended', 2],
  ]);
  expect(await stage.minutesUsed(first)).toBe(6);
  expect((await refusalOf(stage.enter(third))).code).toBe('participant-minutes-used-up');
});

test('two processes that look at the same instant end a meeting once', async () => {
  const other = await stage.api.another();
  onTestFinished(() => other.close());
  const door = await stage.aRoom({ features: { participant_minutes: '1' } });
  await stage.enter(door, 'Anna');
  await stage.sync();
  await pass({ seconds: 59 });
  stage.sandbox.control.clearCalls();
  await Promise.all([look(), look(other), look(), look(other)]);
  expect(await states(door)).toEqual([['ended', 1]]);
  expect(stage.sandbox.control.calls().filter(({ call }) => call === 'end')).toHaveLength(1);
});

test('where the meeting server cannot be reached at that instant it is tried again, and what is used beyond is counted and told', async () => {
  const door = await stage.aRoom({ features: { participant_minutes: '2' } });
  await stage.enter(door, 'Anna');
  await stage.enter(door, 'Berta', 'attendee');
  await stage.sync();
  stage.sandbox.control.injectFault({ kind: 'connection-reset', times: null });
  onTestFinished(() => stage.sandbox.control.clearFaults());
  await pass({ seconds: 58 });
  await look();
  expect(await states(door)).toEqual([['open', 2]]);
  // Whoever tried has it for some seconds, dead or alive; then anybody may try.
  await pass({ seconds: 5 });
  stage.sandbox.control.clearCalls();
  await look();
  expect(stage.sandbox.control.calls()).toEqual([]);
  stage.sandbox.control.clearFaults();
  await pass({ seconds: 132 });
  await look();
  expect(await states(door)).toEqual([['ended', 8]]);
  expect(await stage.minutesUsed(door)).toBe(8);
  expect(stage.api.log()).toContain('"beyond":6');
});

test('minutes that only the attendance record reports are counted, and an overrun is logged', async () => {
  const { control } = stage.sandbox;
  const door = await stage.aRoom({ features: { participant_minutes: '1' } });
  onTestFinished(() => control.clearDisturbances());
  control.disturbCallbacks({ kind: 'lost', callback: 'hook', times: null });
  await stage.enter(door, 'Anna');
  await pass({ seconds: 50 });
  await stage.sync();
  await pass({ seconds: 30 });
  control.endMeeting(door.room.uuid);
  await pass({ seconds: 1 });
  await stage.sync();
  expect(await states(door)).toEqual([['ended', 1]]);
  await pass({ seconds: 10 });
  await stage.settle();
  expect(await states(door)).toEqual([['ended', 2]]);
  expect(await stage.minutesUsed(door)).toBe(2);
  const [meeting] = await stage.meetings(door);
  const told = stage.api
    .log()
    .split('\n')
    .filter((line) => line.includes(`"meeting":"${meeting?.uuid}"`));
  expect(told.filter((line) => line.includes('"beyond":1'))).toHaveLength(1);
});

test('a participant who reserved the last minute keeps it until they have joined and it has passed', async () => {
  const door = await stage.aRoom({ features: { participant_minutes: '3' } });
  await stage.enter(door, 'Anna');
  await stage.sync();
  await pass({ seconds: 50 });
  await stage.sync();
  await pass({ seconds: 5 });
  // Berta is let in for one of two minutes: of Anna's none is left after the second.
  const { data: entry } = await stage.api.admin.joinRoom({
    params: door.params,
    body: { name: 'Berta', role: 'attendee' },
  });
  await pass({ seconds: 50 });
  await arrive(stage.sandbox, entry.url);
  await pass({ seconds: 13 });
  await look();
  expect(await states(door)).toEqual([['ended', 3]]);
});

test('a worker ends meetings on its own, and a join that uses the last minutes wakes it', async () => {
  const keeper = keepMinutes(stage.api.app.dependencies);
  const woken: number[] = [];
  stage.api.app.invalidations.subscribe('minutes', () => {
    woken.push(1);
    keeper.wakeOn?.wake();
  });
  onTestFinished(() => keeper.stop());
  const door = await stage.aRoom({ features: { participant_minutes: '2' } });
  await stage.enter(door, 'Anna');
  await stage.sync();
  expect(woken).toEqual([]);
  await stage.enter(door, 'Berta', 'attendee');
  expect(woken.length).toBeGreaterThan(0);
  await stage.sync();
  await pass({ seconds: 59 });
  keeper.wakeOn?.wake();
  await expect.poll(async () => await states(door)).toEqual([['ended', 2]]);
});
