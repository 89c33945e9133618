import { startSandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobs } from '../src/worker.ts';
import { makeProvider, refusalOf } from './factories.ts';
import { openStage, type Stage } from './meeting-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage.close();
});

const run = async (name: string) => await jobs[name]?.run(stage.api.house.dependencies);

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

test('whoever may end meetings ends one on a server that is down at once, and the server can be deleted', async () => {
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
  const { rows } = await stage.api.house.connection.pool.query(
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
  await api.house.connection.pool.query(
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
