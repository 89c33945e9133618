import { startSandbox } from '@foyer/sandbox';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeProvider, refusalOf } from './factories.ts';
import type { TestApi } from './api.ts';
import { type RoomFixture, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let harness: MeetingHarness;
/** A second process. In the tests of outages, only its jobs run. */
let otherProcess: TestApi;

beforeAll(async () => {
  harness = await startMeetingHarness();
  otherProcess = await harness.api.another();
});

afterEach(() => {
  harness.sandbox.control.clearFaults();
  harness.sandbox.control.clearDisturbances();
});

afterAll(async () => {
  await otherProcess.close();
  await harness.close();
});

const run = async (name: string) => await runJob(harness.api.app.dependencies, name);

/** Creates a room with a running meeting on a server that then stops responding; a second server is available. */
async function createUnreachableMeeting() {
  const { api } = harness;
  const lostServer = await startSandbox({ port: 0, now: () => api.clock.nowMs() });
  const provider = await makeProvider(api, lostServer);
  const fixture = await harness.createTestRoom({ provider: provider.id });
  const params = { subscription_id: fixture.subscription.id };
  const { data: subscription } = await api.admin.readSubscription({ params });
  const { data: standby } = await api.admin.createServicePackageProvider({
    params: { service_package_id: subscription.package_id ?? '' },
    body: { service_provider_id: harness.provider.id },
  });
  await api.admin.createSubscriptionProvider({ params, body: { package_provider_id: standby.id } });
  await api.admin.joinRoom({ params: fixture.params, body: { name: 'Anna', role: 'moderator' } });
  await run('sync-meetings');
  await lostServer.close();
  return { provider, fixture };
}

async function passMinutes(minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    harness.api.clock.advance({ minutes: 1 });
    await run('check-providers');
    await run('sync-meetings');
    await run('end-meetings');
  }
}

const enter = (fixture: { params: { room_id: string } }) =>
  harness.api.admin.joinRoom({ params: fixture.params, body: { name: 'Anna', role: 'moderator' } });

test('a room whose meeting server does not respond for ten minutes opens on the next server', async () => {
  const { fixture } = await createUnreachableMeeting();
  expect(await refusalOf(enter(fixture))).toMatchObject({ status: 503, code: 'provider-unavailable' });
  await passMinutes(12);
  const [meeting] = await harness.meetings(fixture);
  expect(meeting).toMatchObject({ state: 'ended', end_reason: 'provider-lost' });
  expect((await enter(fixture)).data.url).toContain(harness.sandbox.url);
});

test('a meeting on a server that is down can be ended at once, and the server can be deleted', async () => {
  const { fixture, provider } = await createUnreachableMeeting();
  const [meeting] = await harness.meetings(fixture);
  const params = { meeting_id: meeting?.id ?? '' };
  expect(await refusalOf(harness.api.admin.endMeeting({ params }))).toMatchObject({ status: 503 });
  await passMinutes(3);
  expect((await harness.api.admin.endMeeting({ params })).data).toMatchObject({
    state: 'ended',
    end_reason: 'provider-lost',
  });
  expect((await enter(fixture)).data.url).toContain(harness.sandbox.url);
  const { rows } = await harness.api.app.connection.pool.query(
    `select 1 from meetings meeting join service_providers provider on provider.id = meeting.service_provider_id
      where provider.id = $1 and meeting.state <> 'ended'`,
    [provider.uuid],
  );
  expect(rows).toEqual([]);
});

test('the participant slot of a meeting that never opened expires after one minute', async () => {
  const { api } = harness;
  const hangingServer = await startSandbox({ port: 0 });
  hangingServer.control.injectFault({ kind: 'hang', times: null });
  const provider = await makeProvider(api, hangingServer);
  const fixture = await harness.createTestRoom({ provider: provider.id, features: { max_participants: '1' } });
  await api.app.connection.pool.query(
    `with meeting as (
      insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, created_at, updated_at)
      select gen_random_uuid(), id, customer_id, subscription_id, id, 'opening', $2, $2 from rooms where id = $1 returning *
    ) insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, created_at)
    select gen_random_uuid(), room_id, id, subscription_id, 'moderator', $2::timestamptz + interval '60 seconds', $2 from meeting`,
    [fixture.room.uuid, api.clock.now()],
  );
  expect(await refusalOf(enter(fixture))).toMatchObject({ code: 'room-full' });
  api.clock.advance({ seconds: 61 });
  expect(await refusalOf(enter(fixture))).toMatchObject({ code: 'provider-unavailable' });
  await hangingServer.close();
});

test('concurrent joins of a resumed session are all admitted', async () => {
  const fixture = await harness.createTestRoom();
  await enter(fixture);
  await harness.api.app.connection.pool.query(
    `update meetings set state = 'ended', ended_at = $2, end_reason = 'provider-lost' where room_id = $1`,
    [fixture.room.uuid, harness.api.clock.now()],
  );
  const pendingJoins = Array.from({ length: 16 }, (_, index) =>
    (index % 2 ? harness.api : otherProcess).admin.joinRoom({
      params: fixture.params,
      body: { name: 'Anna', role: 'moderator' },
    }),
  );
  expect(await Promise.all(pendingJoins)).toHaveLength(16);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', end_reason: null }]);
});

const passSyncedMinutes = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    harness.api.clock.advance({ minutes: 1 });
    await harness.deliverCallbacks();
    await run('sync-meetings');
  }
};

/** Makes the meeting server unreachable for some minutes, while its meetings continue. */
async function outage(minutes: number, duringOutage: () => void = () => undefined): Promise<void> {
  const { control } = harness.sandbox;
  control.injectFault({ kind: 'connection-reset', call: '*', times: null });
  control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
  duringOutage();
  for (let minute = 0; minute < minutes; minute++) {
    harness.api.clock.advance({ minutes: 1 });
    for (const name of ['check-providers', 'sync-meetings', 'end-meetings'])
      await runJob(otherProcess.app.dependencies, name);
  }
  control.clearFaults();
  control.clearDisturbances();
  await run('check-providers');
}

/** Ends the session and delivers its attendance record. */
async function finish(fixture: RoomFixture): Promise<void> {
  harness.sandbox.control.endMeeting(fixture.room.uuid);
  harness.api.clock.advance({ seconds: 4 });
  await harness.deliverCallbacks();
  harness.api.clock.advance({ seconds: 10 });
  await harness.deliverCallbacks();
  await harness.sync();
  await harness.deliverCallbacks();
}

async function readOutcome(fixture: RoomFixture) {
  const meetings = await harness.meetings(fixture);
  return {
    meetings: meetings.map(({ state, end_reason: reason, participant_minutes: minutes }) => [state, reason, minutes]),
    charged: await harness.minutesUsed(fixture),
    people: (
      await Promise.all(
        meetings.map(async (meeting) =>
          (await harness.participants(meeting)).map(({ name, stays }) => [
            name,
            ...stays.map(({ minutes }) => minutes),
          ]),
        ),
      )
    )
      .flat()
      .sort(([one], [other]) => String(one).localeCompare(String(other))),
  };
}

test.each([
  { reported: 'the attendance record', annasMinutes: 23 },
  // Without the record, the platform notices the end of the session up to a minute later.
  { reported: 'nothing', annasMinutes: 24 },
])(
  'a lost session that is found again continues its meeting and is charged once, if the server reports $reported',
  async ({ reported, annasMinutes }) => {
    const { sandbox, api } = harness;
    const fixture = await harness.createTestRoom();
    await harness.enter(fixture, 'Anna');
    const berta = await harness.enter(fixture, 'Berta', 'attendee');
    await harness.deliverCallbacks();
    await passSyncedMinutes(3);
    await outage(16, () => sandbox.control.leaveUser(berta));
    expect(await readOutcome(fixture)).toMatchObject({ meetings: [['ended', 'provider-lost', 6]], charged: 6 });
    const [lostMeeting] = await harness.meetings(fixture);
    if (reported === 'nothing') sandbox.control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
    const [carla] = await Promise.all([harness.enter(fixture, 'Carla'), harness.enter(fixture, 'Dora')]);
    expect(await harness.meetings(fixture)).toMatchObject([{ id: lostMeeting?.id, state: 'open', end_reason: null }]);
    await harness.deliverCallbacks();
    await passSyncedMinutes(2);
    sandbox.control.leaveUser(carla);
    await passSyncedMinutes(2);
    await finish(fixture);
    const minutes = annasMinutes + 3 + 2 + 4;
    expect(await readOutcome(fixture)).toEqual({
      meetings: [['ended', 'ended', minutes]],
      charged: minutes,
      people: [
        ['Anna', annasMinutes],
        ['Berta', 3],
        ['Carla', 2],
        ['Dora', 4],
      ],
    });
    const { rows } = await api.app.connection.pool.query(
      `select name from events join meetings on meetings.id = events.resource_id
    where room_id = $1 and name in ('meeting.started', 'meeting.ended', 'meeting.resumed') order by sequence`,
      [fixture.room.uuid],
    );
    const names = rows.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(['meeting.started', 'meeting.ended', 'meeting.resumed', 'meeting.ended']);
  },
);

test('if creating a session fails but the server created it, its attendance record belongs to the meeting of the next join', async () => {
  const { sandbox, api } = harness;
  const fixture = await harness.createTestRoom();
  sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'create', times: 3, applied: true });
  expect(await refusalOf(enter(fixture))).toMatchObject({ status: 503 });
  await harness.enter(fixture, 'Anna');
  await harness.deliverCallbacks();
  await passSyncedMinutes(1);
  await finish(fixture);
  const { meetings, charged } = await readOutcome(fixture);
  expect(meetings).toEqual([['ended', 'ended', 1]]);
  expect(charged).toBe(1);
  const { rows } = await api.app.connection.pool.query(
    'select attendance_at is not null as recorded from meetings where room_id = $1 order by id desc',
    [fixture.room.uuid],
  );
  expect(rows).toEqual([{ recorded: true }]);
});
