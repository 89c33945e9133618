import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyAudit } from '../src/modules/audit/index.ts';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { countStatements } from './count-statements.ts';
import { makeProvider, makeRoom, refusalOf } from './factories.ts';
import { followJoinUrl, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

const countCalls = (target: MeetingHarness, name: string) =>
  target.sandbox.control.calls().filter(({ call }) => call === name).length;

/** Creates one meeting per room on the sandbox, stores all in the database, and returns the ids of the rooms. */
async function createMeetings(
  target: MeetingHarness,
  meetingCount: number,
  peoplePerMeeting: number,
): Promise<string[]> {
  const { api, sandbox } = target;
  const fixture = await target.createTestRoom({ features: { max_rooms: '1000000' } });
  const first = await target.enter(fixture);
  sandbox.control.leaveUser(first);
  const { pool } = api.app.connection;
  await target.sync();
  const rooms = Array.from({ length: meetingCount }, () => newUuid());
  await pool.query(
    `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, slug, room_type,
      created_at, updated_at)
    select made.id, room.customer_id, room.account_id, room.subscription_id, 'Many', 'active', false,
      'many', room.room_type, room.created_at, room.created_at
    from rooms room, unnest($2::uuid[]) made(id) where room.id = $1`,
    [fixture.room.uuid, rooms],
  );
  const meetingRows: string[] = [];
  for (const room of rooms) {
    const answer = await fetch(
      signUrl(target, 'create', `name=Many&meetingID=${room}&attendeePW=aaaa&moderatorPW=mmmm`),
    );
    const text = await answer.text();
    const internal = /<internalMeetingID>(.*?)</.exec(text)?.[1];
    const created = /<createTime>(.*?)</.exec(text)?.[1];
    meetingRows.push(`${room},${internal},${created}`);
    for (let index = 0; index < peoplePerMeeting; index++)
      sandbox.control.joinUser({ meetingID: room, fullName: `P${index}`, userID: `${room}-${index}` });
  }
  await pool.query(
    `insert into meetings (id, room_id, customer_id, subscription_id, service_provider_id, provider_meeting_id,
      provider_internal_id, provider_created_at, state, started_at, created_at, updated_at)
    select gen_random_uuid(), room.id, room.customer_id, room.subscription_id, $1, room.id,
      split_part(made.line, ',', 2), split_part(made.line, ',', 3)::bigint, 'open', room.created_at, room.created_at, room.created_at
    from unnest($2::text[]) made(line) join rooms room on room.id = split_part(made.line, ',', 1)::uuid`,
    [target.provider.uuid, meetingRows],
  );
  return rooms;
}

function signUrl(target: MeetingHarness, call: string, query: string): string {
  const checksum = createHash('sha1').update(`${call}${query}${target.sandbox.secret}`).digest('hex');
  return `${target.sandbox.apiUrl}/${call}?${query}&checksum=${checksum}`;
}

test('each run reads all meetings of a provider with one request, and a concurrent run sends none', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  const otherProcess = await isolated.api.another();
  onTestFinished(() => otherProcess.close());
  for (let count = 0; count < 3; count++) await isolated.enter(await isolated.createTestRoom());
  await isolated.sync();
  isolated.sandbox.control.clearCalls();
  isolated.sandbox.control.injectFault({ kind: 'delay', call: 'getMeetings', milliseconds: 3_600_000 });
  const firstRun = isolated.sync();
  await expect.poll(() => countCalls(isolated, 'getMeetings')).toBe(1);
  await Promise.all([isolated.sync(otherProcess), isolated.sync()]);
  isolated.sandbox.control.clearFaults();
  await firstRun;
  expect(countCalls(isolated, 'getMeetings')).toBe(1);
  // The other process has its own callback address.
  const calls = isolated.sandbox.control.calls().map(({ call }) => call);
  expect(calls.filter((call) => !call.startsWith('hooks/'))).toEqual(['getMeetings']);
  await isolated.sync();
  expect(countCalls(isolated, 'getMeetings')).toBe(2);
});

test('the lease of a crashed process on a provider expires after some minutes', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  const fixture = await isolated.createTestRoom();
  await isolated.enter(fixture);
  await isolated.sync();
  await isolated.api.app.connection.pool.query('update provider_polls set claimed_until = $1', [
    isolated.api.clock.after(300),
  ]);
  isolated.sandbox.control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
  isolated.sandbox.control.endMeeting(fixture.room.uuid);
  await isolated.sync();
  expect(await isolated.meetings(fixture)).toMatchObject([{ state: 'open' }]);
  isolated.api.clock.advance({ minutes: 6 });
  await isolated.sync();
  expect(await isolated.meetings(fixture)).toMatchObject([{ state: 'ended' }]);
});

test('the number of statements does not depend on the number of meetings and participants, with or without changes', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  await isolated.api.admin.updateSettings({ body: { meeting_webhooks: false } });
  // Callbacks during the run would add statements.
  isolated.sandbox.control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
  const run = () => countStatements(async () => await runJob(isolated.api.app.dependencies, 'sync-meetings'));
  const counts: number[][] = [];
  for (const [meetingCount, peoplePerMeeting] of [
    [5, 2],
    [200, 2],
    [5, 60],
  ] as const) {
    const rooms = await createMeetings(isolated, meetingCount, peoplePerMeeting);
    const afterJoins = await run();
    isolated.api.clock.advance({ minutes: 1 });
    const afterMinute = await run();
    const unchanged = await run();
    for (const room of rooms) {
      for (let index = 1; index < peoplePerMeeting; index++)
        isolated.sandbox.control.leaveUser({ meetingID: room, userID: `${room}-${index}` });
    }
    const afterLeaves = await run();
    counts.push([afterJoins, afterMinute, unchanged, afterLeaves]);
  }
  const { rows } = await isolated.api.app.connection.pool.query(
    `select count(*)::int as meetings, sum(participant_count)::int as participants, sum(participant_minutes)::int as minutes
    from meetings join rooms room on room.id = meetings.room_id where state = 'open' and room.room_name = 'Many'`,
  );
  expect(rows).toEqual([{ meetings: 210, participants: 210, minutes: expect.any(Number) }]);
  const [baseline = [], ...otherCounts] = counts;
  for (const runCounts of otherCounts) {
    for (const [index, count] of runCounts.entries()) expect(count - (baseline[index] ?? 0)).toBeLessThanOrEqual(2);
    expect(Math.max(...runCounts)).toBeLessThan(60);
  }
  await expectNumberedEvents(isolated);
});

/** Expects events without gaps in their numbers, with joins before leaves, and a valid audit log. */
async function expectNumberedEvents({ api: { app } }: MeetingHarness): Promise<void> {
  const { rows } = await app.connection.pool.query(
    `select count(distinct meeting_id)::int as meetings, max(told) as most, bool_and(last = told and "in order") as "in order"
    from (
      select meeting_id, count(*)::int as told, bool_and(gapless) as "in order", count(*)::int as last
      from (
        select entry.meeting_id, event.sequence = row_number() over earlier and (event.name = 'participant.admitted'
          or (event.name = 'participant.joined')
            = ((event.sequence - count(*) filter (where event.name = 'participant.admitted') over earlier) % 2 = 1)) as gapless
        from events event join room_entries entry on entry.id = event.resource_id
        where event.resource_type = 'Participant'
        window earlier as (partition by event.resource_id order by event.id)
      ) told group by meeting_id
    ) numbered`,
  );
  expect(rows).toEqual([{ meetings: expect.any(Number), most: 60 + 59, 'in order': true }]);
  const findings: unknown[] = [];
  await verifyAudit(app.dependencies, (finding) => findings.push(finding));
  expect(findings).toEqual([]);
}

test('a run that finds no change writes no meetings, participants or events', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  const fixture = await isolated.createTestRoom();
  await isolated.enter(fixture);
  await isolated.sync();
  await isolated.sync();
  const state = async () =>
    (
      await isolated.api.app.connection.pool.query(
        `select (select jsonb_agg(xmin::text order by id) from meetings) as meetings,
          (select jsonb_agg(xmin::text order by id) from room_entries) as entries,
          (select count(*)::int from events) as events`,
      )
    ).rows[0] as { meetings: unknown; entries: unknown; events: number };
  const before = await state();
  await isolated.sync();
  const after = await state();
  expect(after).toEqual(before);
});

test('no meeting ends because the list of meetings is too long or incomplete', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  const fixture = await isolated.createTestRoom();
  const user = await isolated.enter(fixture);
  await isolated.sync();
  await isolated.api.admin.updateSettings({ body: { meeting_webhooks: false } });
  await isolated.sync();
  isolated.sandbox.control.injectFault({
    kind: 'oversize',
    call: 'getMeetings',
    times: null,
    bytes: 33 * 1024 * 1024,
  });
  await isolated.sync();
  expect(await isolated.meetings(fixture)).toMatchObject([{ state: 'open', participant_count: 1 }]);
  isolated.sandbox.control.leaveUser(user);
  await isolated.sync();
  expect(await isolated.meetings(fixture)).toMatchObject([{ state: 'open', participant_count: 0 }]);
});

test('a provider that hangs does not delay other providers beyond its time-out, and its meetings stay unchanged', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  const hangingHarness = await startMeetingHarness();
  onTestFinished(() => hangingHarness.close());
  await isolated.api.admin.updateSettings({ body: { provider_timeout_ms: 300 } });
  const hangingProvider = await makeProvider(isolated.api, hangingHarness.sandbox);
  const hangingFixture = await isolated.createTestRoom({ provider: hangingProvider.id });
  const { data } = await isolated.api.admin.joinRoom({
    params: hangingFixture.params,
    body: { name: 'S', role: 'moderator' },
  });
  await followJoinUrl(hangingHarness.sandbox, data.url);
  const fixture = await isolated.createTestRoom();
  await isolated.enter(fixture);
  await isolated.sync();
  hangingHarness.sandbox.control.injectFault({ kind: 'hang', times: null });
  isolated.sandbox.control.endMeeting(fixture.room.uuid);
  isolated.api.clock.advance({ minutes: 1 });
  await isolated.sync();
  expect(await isolated.meetings(fixture)).toMatchObject([{ state: 'ended' }]);
  expect(await isolated.meetings(hangingFixture)).toMatchObject([{ state: 'open', participant_count: 1 }]);
});

test('a participant slot is released when a poll after its minute finds it unused, and counts for all rooms of the subscription', async () => {
  const { api, sandbox } = harness;
  const { account, room } = await makeRoom(api, {
    provider: harness.provider.id,
    features: { max_accounts: '1', max_rooms: '5', max_concurrent_participants: '2' },
  });
  const { data: otherRoom } = await api.admin.createRoom({ body: { room_name: 'Other', account_id: account.id } });
  const enter = async (id: string) =>
    (await api.admin.joinRoom({ params: { room_id: id }, body: { name: 'P', role: 'moderator' } })).data;
  await followJoinUrl(sandbox, (await enter(room.id)).url);
  const lateJoin = await enter(room.id);
  api.clock.advance({ seconds: 50 });
  await followJoinUrl(sandbox, lateJoin.url);
  api.clock.advance({ seconds: 20 });
  expect((await refusalOf(enter(otherRoom.id))).code).toBe('concurrent-participants-reached');
  await harness.sync();
  expect((await refusalOf(enter(otherRoom.id))).code).toBe('concurrent-participants-reached');
  const [anna] = sandbox.control.state().meetings.find(({ meetingID }) => meetingID === room.uuid)?.users ?? [];
  sandbox.control.leaveUser({ meetingID: room.uuid, userID: anna?.userID ?? '' });
  await harness.deliverCallbacks();
  await harness.sync();
  await enter(otherRoom.id);
  api.clock.advance({ seconds: 61 });
  await harness.sync();
  await enter(otherRoom.id);
});

test('participants who join after their reservation expired, or return, are counted', async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  const { data } = await api.admin.joinRoom({ params: fixture.params, body: { name: 'Late', role: 'moderator' } });
  const attendee = await api.admin.joinRoom({ params: fixture.params, body: { name: 'Later', role: 'attendee' } });
  const user = await followJoinUrl(sandbox, data.url);
  api.clock.advance({ minutes: 3 });
  await harness.sync();
  await followJoinUrl(sandbox, attendee.data.url);
  await harness.deliverCallbacks();
  await harness.sync();
  sandbox.control.leaveUser(user);
  await harness.deliverCallbacks();
  api.clock.advance({ seconds: 30 });
  await followJoinUrl(sandbox, data.url);
  await harness.deliverCallbacks();
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  expect(meeting).toMatchObject({ participant_count: 2, peak_participants: 2 });
  const people = await harness.participants(meeting ?? { id: '' });
  expect(people.map(({ name, stays, left_at }) => [name, stays.length, left_at])).toEqual([
    ['Late', 1, null],
    ['Later', 1, null],
  ]);
});

test('deleting rooms during joins causes neither deadlocks nor internal errors', async () => {
  const isolated = await startMeetingHarness();
  onTestFinished(() => isolated.close());
  const fixtures = await Promise.all(Array.from({ length: 6 }, () => isolated.createTestRoom()));
  for (const fixture of fixtures) await isolated.enter(fixture);
  await isolated.sync();
  for (const { room } of fixtures)
    for (let index = 0; index < 20; index++)
      isolated.sandbox.control.joinUser({ meetingID: room.uuid, fullName: `P${index}`, userID: `outsider-${index}` });
  const outcomes = await Promise.allSettled([
    isolated.deliverCallbacks(),
    isolated.sync(),
    ...fixtures.map(({ params }) => isolated.api.admin.deleteRoom({ params })),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'fulfilled'));
  const { rows } = await isolated.api.app.connection.pool.query('select count(*)::int as meetings from meetings');
  expect(rows).toEqual([{ meetings: 0 }]);
});
