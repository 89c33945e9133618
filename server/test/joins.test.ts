import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { followJoinUrl, type RoomFixture, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});

afterAll(() => harness.close());

async function createTestToken({ params }: RoomFixture, role: RoomRole, options: { max_uses?: number } = {}) {
  return (await harness.api.admin.createRoomToken({ params, body: { role, ...options } })).data;
}

async function join({ params }: RoomFixture, token: string | undefined, node: TestApi = harness.api) {
  return (await node.anyone.joinRoom({ params, body: { name: 'Anna', token: token ?? '' } })).data;
}

/** Creates a room whose meeting has participants who joined directly on the provider and were not polled yet. */
async function createRoomWithParticipants(participantCount: number, features: Record<string, string> = {}) {
  const fixture = await harness.createTestRoom({ features: { max_participants: '1000', ...features } });
  await harness.enter(fixture);
  for (let index = 0; index < participantCount; index++)
    harness.sandbox.control.joinUser({ meetingID: fixture.room.uuid, fullName: `P${index}` });
  return fixture;
}

async function countOutcomes(joins: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(joins)) {
    const name = outcome.status === 'fulfilled' ? 'entered' : (outcome.reason as { code: string }).code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test('a join runs at most eight statements, also with a hundred participants', async () => {
  const countJoinStatements = async (participantCount: number) => {
    const fixture = await createRoomWithParticipants(participantCount);
    const { token } = await createTestToken(fixture, 'attendee');
    // The next join records the arrival of the previous one.
    await followJoinUrl(harness.sandbox, (await join(fixture, token)).url);
    await join(fixture, token);
    // Some joins also poll the meeting or revalidate the access token; the following ones use the cached results.
    const countLeastStatements = async (act: () => Promise<unknown>) => {
      const counts = [];
      for (let round = 0; round < 3; round++) counts.push(await countStatements(act));
      return Math.min(...counts);
    };
    const body = { name: 'Anna', role: 'attendee' } as const;
    return {
      tokenStatements: await countLeastStatements(() => join(fixture, token)),
      staffStatements: await countLeastStatements(() => harness.api.admin.joinRoom({ params: fixture.params, body })),
    };
  };
  for (const participantCount of [2, 100]) {
    const { tokenStatements, staffStatements } = await countJoinStatements(participantCount);
    // Room, failed attempts, token; then the transaction: begin, commit, slots, access check and entry.
    expect(tokenStatements).toBeLessThanOrEqual(8);
    // Staff joins read neither failed attempts nor a room token.
    expect(staffStatements).toBeLessThanOrEqual(7);
  }
});

test.each([
  { features: { max_participants: '130' }, code: 'room-full' },
  { features: { max_concurrent_participants: '130' }, code: 'concurrent-participants-reached' },
])('as many concurrent joins of a big meeting on two processes succeed as $features allows', async (limited) => {
  const fixture = await createRoomWithParticipants(118, limited.features);
  const { token } = await createTestToken(fixture, 'attendee');
  const second = await harness.api.another();
  onTestFinished(() => second.close());
  const joins = Array.from({ length: 24 }, (_, index) => join(fixture, token, index % 2 === 0 ? harness.api : second));
  expect(await countOutcomes(joins)).toEqual({ entered: 11, [limited.code]: 13 });
});

test('concurrent joins of a running meeting with a token for five uses admit five participants and count five uses', async () => {
  const fixture = await createRoomWithParticipants(1);
  const { id, token } = await createTestToken(fixture, 'attendee', { max_uses: 5 });
  const joins = Array.from({ length: 20 }, () => join(fixture, token));
  expect(await countOutcomes(joins)).toEqual({ entered: 5, 'token-used-up': 15 });
  const { data } = await harness.api.admin.readRoomToken({ params: { ...fixture.params, token_id: id } });
  expect(data).toMatchObject({ uses: 5 });
  const entries = await harness.api.app.dependencies.db
    .selectFrom('room_entries')
    .select('id')
    .where('room_id', '=', fixture.room.uuid)
    .where('room_token_id', 'is not', null)
    .execute();
  expect(entries).toHaveLength(5);
});

test('concurrent joins share one request to the meeting server', async () => {
  const fixture = await createRoomWithParticipants(1);
  const { token } = await createTestToken(fixture, 'attendee');
  await join(fixture, token);
  harness.sandbox.control.injectFault({ kind: 'delay', milliseconds: 1500, call: 'getMeetingInfo' });
  onTestFinished(() => harness.sandbox.control.clearFaults());
  const infoCalls = () => harness.sandbox.control.calls().filter(({ call }) => call === 'getMeetingInfo').length;
  const before = infoCalls();
  expect(await countOutcomes(Array.from({ length: 5 }, () => join(fixture, token)))).toEqual({ entered: 5 });
  expect(infoCalls() - before).toBe(1);
});

test('a join after the meeting ended on its server starts a new meeting', async () => {
  const fixture = await createRoomWithParticipants(1);
  const { token } = await createTestToken(fixture, 'moderator');
  await join(fixture, token);
  harness.sandbox.control.endMeeting(fixture.room.uuid);
  harness.api.clock.advance({ seconds: 5 });
  harness.sandbox.control.advanceClock(5000);
  await harness.deliverCallbacks();
  expect(await join(fixture, token)).toMatchObject({ meeting_started: true });
  expect((await harness.meetings(fixture)).map(({ state }) => state)).toEqual(['open', 'ended']);
});
