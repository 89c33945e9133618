import { afterAll, beforeAll, expect, test } from 'vitest';
import { arrive, type Door, openStage, type Stage } from './meeting-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    stage.api.clock.advance({ minutes: 1 });
    await stage.settle();
    await stage.sync();
  }
}

/** One entry link that three people open. */
async function openThreeTimes(door: Door) {
  const { data } = await stage.api.admin.joinRoom({ params: door.params, body: { name: 'Anna', role: 'moderator' } });
  const sessions = [];
  for (let time = 0; time < 3; time++) sessions.push(await arrive(stage.sandbox, data.url));
  await stage.settle();
  return sessions;
}

test('three sessions by one entry link are three participants, and three times the minutes', async () => {
  const door = await stage.aRoom();
  const sessions = await openThreeTimes(door);
  await stage.sync();
  await pass(4);
  const [meeting] = await stage.meetings(door);
  expect(meeting).toMatchObject({ participant_count: 3 });
  expect(await stage.participants(meeting ?? { id: '' })).toHaveLength(3);
  expect(await stage.minutesUsed(door)).toBe(3 * 4);
  const [, second, third] = sessions;
  for (const session of [second, third]) if (session) stage.sandbox.control.leaveUser(session);
  await pass(3);
  expect((await stage.meetings(door))[0]).toMatchObject({ participant_count: 1, state: 'open' });
  const usedBefore = await stage.minutesUsed(door);
  await pass(2);
  expect(await stage.minutesUsed(door)).toBe((usedBefore ?? 0) + 2);
});

test('sessions by one entry link count against the limit of the room', async () => {
  const door = await stage.aRoom({ features: { max_participants: '4' } });
  await openThreeTimes(door);
  await stage.sync();
  const join = () => stage.api.admin.joinRoom({ params: door.params, body: { name: 'Berta', role: 'moderator' } });
  await arrive(stage.sandbox, (await join()).data.url);
  await expect(join()).rejects.toMatchObject({ status: 403, code: 'room-full' });
});

test('the record of attendance alone charges each of the sessions that were open at once', async () => {
  const door = await stage.aRoom();
  await openThreeTimes(door);
  stage.api.clock.advance({ seconds: 290 });
  await stage.settle();
  stage.sandbox.control.endMeeting(door.room.uuid);
  stage.api.clock.advance({ minutes: 3 });
  await stage.settle();
  expect((await stage.meetings(door))[0]).toMatchObject({ state: 'ended', participant_count: 0 });
  expect(await stage.minutesUsed(door)).toBe(3 * 5);
});
