import type { RoomRole } from '@foyer/contract/resources/room.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { arrive, type Door, openStage, type Stage } from './meeting-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

async function aToken({ params }: Door, role: RoomRole, options: { max_uses?: number } = {}) {
  return (await stage.api.admin.createRoomToken({ params, body: { role, ...options } })).data;
}

async function join({ params }: Door, token: string | undefined, by: TestApi = stage.api) {
  return (await by.anyone.joinRoom({ params, body: { name: 'Anna', token: token ?? '' } })).data;
}

/** A room whose meeting runs with so many in it who came past the door, and nobody has looked yet. */
async function aRoomWith(people: number, features: Record<string, string> = {}) {
  const door = await stage.aRoom({ features: { max_participants: '1000', ...features } });
  await stage.enter(door);
  for (let index = 0; index < people; index++)
    stage.sandbox.control.joinUser({ meetingID: door.room.uuid, fullName: `P${index}` });
  return door;
}

async function outcomes(joins: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(joins)) {
    const name = outcome.status === 'fulfilled' ? 'entered' : (outcome.reason as { code: string }).code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test('a join takes a handful of statements, also where a hundred are in', async () => {
  const statementsOfJoin = async (people: number) => {
    const door = await aRoomWith(people);
    const { token } = await aToken(door, 'attendee');
    // Who has come is written down by the next one who comes in.
    await arrive(stage.sandbox, (await join(door, token)).url);
    await join(door, token);
    // Now and then one looks at the meeting, or asks whether the access token still holds: the next ones do not.
    const least = async (act: () => Promise<unknown>) => {
      const counts = [];
      for (let round = 0; round < 3; round++) counts.push(await countStatements(stage.api, act));
      return Math.min(...counts);
    };
    const body = { name: 'Anna', role: 'attendee' } as const;
    return {
      byToken: await least(() => join(door, token)),
      byClient: await least(() => stage.api.admin.joinRoom({ params: door.params, body })),
    };
  };
  for (const people of [2, 100]) {
    const { byToken, byClient } = await statementsOfJoin(people);
    // Door, failed attempts, token; then the transaction: its two bounds, the places, what decides, and the entry.
    expect(byToken).toBeLessThanOrEqual(8);
    // Neither attempts nor a token of the room.
    expect(byClient).toBeLessThanOrEqual(7);
  }
});

test.each([
  { features: { max_participants: '130' }, code: 'room-full' },
  { features: { max_concurrent_participants: '130' }, code: 'concurrent-participants-reached' },
])('of many who come at once to a big meeting as many enter as $features admits, on two processes', async (limited) => {
  const door = await aRoomWith(118, limited.features);
  const { token } = await aToken(door, 'attendee');
  const second = await stage.api.another();
  onTestFinished(() => second.close());
  const joins = Array.from({ length: 24 }, (_, index) => join(door, token, index % 2 === 0 ? stage.api : second));
  expect(await outcomes(joins)).toEqual({ entered: 11, [limited.code]: 13 });
});

test('of many who come at once to a meeting that runs with a token of five uses, five enter, and five uses are counted', async () => {
  const door = await aRoomWith(1);
  const { id, token } = await aToken(door, 'attendee', { max_uses: 5 });
  const joins = Array.from({ length: 20 }, () => join(door, token));
  expect(await outcomes(joins)).toEqual({ entered: 5, 'token-used-up': 15 });
  const { data } = await stage.api.admin.readRoomToken({ params: { ...door.params, token_id: id } });
  expect(data).toMatchObject({ uses: 5 });
  const entries = await stage.api.app.dependencies.db
    .selectFrom('room_entries')
    .select('id')
    .where('room_id', '=', door.room.uuid)
    .where('room_token_id', 'is not', null)
    .execute();
  expect(entries).toHaveLength(5);
});

test('who comes while the meeting server is being asked waits for that answer, and it is asked once', async () => {
  const door = await aRoomWith(1);
  const { token } = await aToken(door, 'attendee');
  await join(door, token);
  stage.sandbox.control.injectFault({ kind: 'delay', milliseconds: 1500, call: 'getMeetingInfo' });
  onTestFinished(() => stage.sandbox.control.clearFaults());
  const asked = () => stage.sandbox.control.calls().filter(({ call }) => call === 'getMeetingInfo').length;
  const before = asked();
  expect(await outcomes(Array.from({ length: 5 }, () => join(door, token)))).toEqual({ entered: 5 });
  expect(asked() - before).toBe(1);
});

test('who comes in after the meeting ended on its server starts another one, and is not sent into the old one', async () => {
  const door = await aRoomWith(1);
  const { token } = await aToken(door, 'moderator');
  await join(door, token);
  stage.sandbox.control.endMeeting(door.room.uuid);
  stage.api.clock.advance({ seconds: 5 });
  stage.sandbox.control.advanceClock(5000);
  await stage.settle();
  expect(await join(door, token)).toMatchObject({ meeting_started: true });
  expect((await stage.meetings(door)).map(({ state }) => state)).toEqual(['open', 'ended']);
});
