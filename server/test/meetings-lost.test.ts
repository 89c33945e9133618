import { startSandbox } from '@foyer/sandbox';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeProvider, refusalOf } from './factories.ts';
import type { TestApi } from './api.ts';
import { type Door, openStage, type Stage } from './meeting-stage.ts';
import { runJob } from '../src/modules.ts';

let stage: Stage;
/** Another process, which alone finds the meeting server lost. */
let elsewhere: TestApi;

beforeAll(async () => {
  stage = await openStage();
  elsewhere = await stage.api.another();
});

afterEach(() => {
  stage.sandbox.control.clearFaults();
  stage.sandbox.control.clearDisturbances();
});

afterAll(async () => {
  await elsewhere.close();
  await stage.close();
});

const run = async (name: string) => await runJob(stage.api.app.dependencies, name);

/** A room with a running meeting on a server of its own, which answers nothing from then on; another server stands by. */
async function lose() {
  const { api } = stage;
  const doomed = await startSandbox({ port: 0, now: () => api.clock.nowMs() });
  const provider = await makeProvider(api, doomed);
  const door = await stage.aRoom({ provider: provider.id });
  const params = { subscription_id: door.subscription.id };
  const { data: subscription } = await api.admin.readSubscription({ params });
  const { data: standby } = await api.admin.createServicePackageProvider({
    params: { service_package_id: subscription.package_id ?? '' },
    body: { service_provider_id: stage.provider.id },
  });
  await api.admin.createSubscriptionProvider({ params, body: { package_provider_id: standby.id } });
  await api.admin.joinRoom({ params: door.params, body: { name: 'Anna', role: 'moderator' } });
  await run('sync-meetings');
  await doomed.close();
  return { provider, door };
}

async function pass(minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    stage.api.clock.advance({ minutes: 1 });
    await run('check-providers');
    await run('sync-meetings');
    await run('end-meetings');
  }
}

const enter = (door: { params: { room_id: string } }) =>
  stage.api.admin.joinRoom({ params: door.params, body: { name: 'Anna', role: 'moderator' } });

test('a room whose meeting server says nothing for ten minutes opens on the next one', async () => {
  const { door } = await lose();
  expect(await refusalOf(enter(door))).toMatchObject({ status: 503, code: 'provider-unavailable' });
  await pass(12);
  const [meeting] = await stage.meetings(door);
  expect(meeting).toMatchObject({ state: 'ended', end_reason: 'provider-lost' });
  expect((await enter(door)).data.url).toContain(stage.sandbox.url);
});

test('a meeting on a server that is down can be ended at once, and the server can be deleted', async () => {
  const { door, provider } = await lose();
  const [meeting] = await stage.meetings(door);
  const params = { meeting_id: meeting?.id ?? '' };
  expect(await refusalOf(stage.api.admin.endMeeting({ params }))).toMatchObject({ status: 503 });
  await pass(3);
  expect((await stage.api.admin.endMeeting({ params })).data).toMatchObject({
    state: 'ended',
    end_reason: 'provider-lost',
  });
  expect((await enter(door)).data.url).toContain(stage.sandbox.url);
  const { rows } = await stage.api.app.connection.pool.query(
    `select 1 from meetings meeting join service_providers provider on provider.id = meeting.service_provider_id
      where provider.id = $1 and meeting.state <> 'ended'`,
    [provider.uuid],
  );
  expect(rows).toEqual([]);
});

test('a place of a meeting that never opened lapses with its minute', async () => {
  const { api } = stage;
  const silent = await startSandbox({ port: 0 });
  silent.control.injectFault({ kind: 'hang', times: null });
  const provider = await makeProvider(api, silent);
  const door = await stage.aRoom({ provider: provider.id, features: { max_participants: '1' } });
  await api.app.connection.pool.query(
    `with meeting as (
      insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, created_at, updated_at)
      select gen_random_uuid(), id, customer_id, subscription_id, id, 'opening', $2, $2 from rooms where id = $1 returning *
    ) insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, created_at)
    select gen_random_uuid(), room_id, id, subscription_id, 'moderator', $2::timestamptz + interval '60 seconds', $2 from meeting`,
    [door.room.uuid, api.clock.now()],
  );
  expect(await refusalOf(enter(door))).toMatchObject({ code: 'room-full' });
  api.clock.advance({ seconds: 61 });
  expect(await refusalOf(enter(door))).toMatchObject({ code: 'provider-unavailable' });
  await silent.close();
});

test('everybody who comes at once to a session that is met again is let in', async () => {
  const door = await stage.aRoom();
  await enter(door);
  await stage.api.app.connection.pool.query(
    `update meetings set state = 'ended', ended_at = $2, end_reason = 'provider-lost' where room_id = $1`,
    [door.room.uuid, stage.api.clock.now()],
  );
  const comers = Array.from({ length: 16 }, (_, index) =>
    (index % 2 ? stage.api : elsewhere).admin.joinRoom({
      params: door.params,
      body: { name: 'Anna', role: 'moderator' },
    }),
  );
  expect(await Promise.all(comers)).toHaveLength(16);
  expect(await stage.meetings(door)).toMatchObject([{ state: 'open', end_reason: null }]);
});

const carryOn = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    stage.api.clock.advance({ minutes: 1 });
    await stage.settle();
    await run('sync-meetings');
  }
};

/** For so many minutes nothing of the meeting server gets through, while its meetings go on. */
async function outage(minutes: number, meanwhile: () => void = () => undefined): Promise<void> {
  const { control } = stage.sandbox;
  control.injectFault({ kind: 'connection-reset', call: '*', times: null });
  control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
  meanwhile();
  for (let minute = 0; minute < minutes; minute++) {
    stage.api.clock.advance({ minutes: 1 });
    for (const name of ['check-providers', 'sync-meetings', 'end-meetings'])
      await runJob(elsewhere.app.dependencies, name);
  }
  control.clearFaults();
  control.clearDisturbances();
  await run('check-providers');
}

/** The session ends, and its record is told. */
async function finish(door: Door): Promise<void> {
  stage.sandbox.control.endMeeting(door.room.uuid);
  stage.api.clock.advance({ seconds: 4 });
  await stage.settle();
  stage.api.clock.advance({ seconds: 10 });
  await stage.settle();
  await stage.sync();
  await stage.settle();
}

async function outcome(door: Door) {
  const meetings = await stage.meetings(door);
  return {
    meetings: meetings.map(({ state, end_reason: reason, participant_minutes: minutes }) => [state, reason, minutes]),
    charged: await stage.minutesUsed(door),
    people: (
      await Promise.all(
        meetings.map(async (meeting) =>
          (await stage.participants(meeting)).map(({ name, stays }) => [name, ...stays.map(({ minutes }) => minutes)]),
        ),
      )
    )
      .flat()
      .sort(([one], [other]) => String(one).localeCompare(String(other))),
  };
}

test.each([
  { told: 'its record', anna: 23 },
  // The end is seen a moment later.
  { told: 'nothing', anna: 24 },
])(
  'a session that was given up and is met again is the same meeting, charged once, where $told is told',
  async (each) => {
    const { sandbox, api } = stage;
    const door = await stage.aRoom();
    await stage.enter(door, 'Anna');
    const berta = await stage.enter(door, 'Berta', 'attendee');
    await stage.settle();
    await carryOn(3);
    await outage(16, () => sandbox.control.leaveUser(berta));
    expect(await outcome(door)).toMatchObject({ meetings: [['ended', 'provider-lost', 6]], charged: 6 });
    const [lost] = await stage.meetings(door);
    if (each.told === 'nothing') sandbox.control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
    const [carla] = await Promise.all([stage.enter(door, 'Carla'), stage.enter(door, 'Dora')]);
    expect(await stage.meetings(door)).toMatchObject([{ id: lost?.id, state: 'open', end_reason: null }]);
    await stage.settle();
    await carryOn(2);
    sandbox.control.leaveUser(carla);
    await carryOn(2);
    await finish(door);
    const minutes = each.anna + 3 + 2 + 4;
    expect(await outcome(door)).toEqual({
      meetings: [['ended', 'ended', minutes]],
      charged: minutes,
      people: [
        ['Anna', each.anna],
        ['Berta', 3],
        ['Carla', 2],
        ['Dora', 4],
      ],
    });
    const { rows } = await api.app.connection.pool.query(
      `select name from events join meetings on meetings.id = events.resource_id
    where room_id = $1 and name in ('meeting.started', 'meeting.ended', 'meeting.resumed') order by sequence`,
      [door.room.uuid],
    );
    const told = rows.map(({ name }) => name);
    expect(told.slice(0, 4)).toEqual(['meeting.started', 'meeting.ended', 'meeting.resumed', 'meeting.ended']);
  },
);

test('the record of a session whose opening seemed to fail belongs to the meeting that meets it again', async () => {
  const { sandbox, api } = stage;
  const door = await stage.aRoom();
  sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'create', times: 3, applied: true });
  expect(await refusalOf(enter(door))).toMatchObject({ status: 503 });
  await stage.enter(door, 'Anna');
  await stage.settle();
  await carryOn(1);
  await finish(door);
  const { meetings, charged } = await outcome(door);
  expect(meetings).toEqual([['ended', 'ended', 1]]);
  expect(charged).toBe(1);
  const { rows } = await api.app.connection.pool.query(
    'select attendance_at is not null as recorded from meetings where room_id = $1 order by id desc',
    [door.room.uuid],
  );
  expect(rows).toEqual([{ recorded: true }]);
});
