import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makePackage, makeProvider, makeRoom, openSandbox, refusalOf } from './factories.ts';
import { followJoinUrl } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;
let provider: string;
const start = '2026-03-10T12:00:00Z';

beforeAll(async () => {
  api = await startApi({ now: start });
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

beforeEach(() => api.clock.set(start));

/** Creates a room with a running meeting, and its parents. */
async function createTestMeeting(providerId = provider, host = sandbox) {
  const newFixture = await makeRoom(api, { provider: providerId });
  const params = { room_id: newFixture.room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
  const fixture = {
    ...newFixture,
    params,
    token: token.token,
    subscriptionParams: { subscription_id: newFixture.subscription.id },
  };
  await followJoinUrl(host, (await join(fixture)).url);
  return fixture;
}

type Fixture = Awaited<ReturnType<typeof createTestMeeting>>;

async function join({ params, token }: Pick<Fixture, 'params' | 'token'>) {
  return (await api.anyone.joinRoom({ params, body: { name: 'Anna', token } })).data;
}

function createAnotherRoom({ account }: Fixture) {
  return api.admin.createRoom({ body: { room_name: 'Another', account_id: account.id } });
}

async function run(job: string, node = api): Promise<number> {
  return (await runJob(node.app.dependencies, job)) ?? Number.NaN;
}

async function meetingsOf({ room }: Pick<Fixture, 'room'>) {
  return await api.app.dependencies.db
    .selectFrom('meetings')
    .select(['state', 'end_reason'])
    .where('room_id', '=', room.uuid)
    .orderBy('created_at')
    .execute();
}

function isRunning({ room }: Pick<Fixture, 'room'>, host: Sandbox = sandbox): boolean {
  return host.control.state().meetings.findLast(({ meetingID }) => meetingID === room.uuid)?.running ?? false;
}

function setStatus(
  { subscriptionParams: params }: Fixture,
  status: 'active' | 'inactive' | 'suspended' | 'terminated',
) {
  return api.admin.updateSubscription({ params, body: { status } });
}

interface Cause {
  readonly apply: (testFixture: Fixture) => Promise<unknown>;
  readonly joinCode: string;
  readonly roomCode: string;
  readonly reason: string;
}

const causes: Readonly<Record<string, Cause>> = {
  'suspended subscription': {
    apply: (fixture) => setStatus(fixture, 'suspended'),
    joinCode: 'entry-subscription-not-usable',
    roomCode: 'subscription-not-usable',
    reason: 'subscription-suspended',
  },
  'inactive subscription': {
    apply: (fixture) => setStatus(fixture, 'inactive'),
    joinCode: 'entry-subscription-not-usable',
    roomCode: 'subscription-not-usable',
    reason: 'subscription-inactive',
  },
  'terminated subscription': {
    apply: (fixture) => setStatus(fixture, 'terminated'),
    joinCode: 'entry-subscription-not-usable',
    roomCode: 'subscription-not-usable',
    reason: 'subscription-terminated',
  },
  'subscription that was canceled immediately': {
    apply: ({ subscriptionParams: params }) =>
      api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } }),
    joinCode: 'entry-subscription-not-usable',
    roomCode: 'subscription-not-usable',
    reason: 'subscription-canceled',
  },
  'inactive account': {
    apply: ({ account }) =>
      api.admin.updateAccount({ params: { account_id: account.id }, body: { status: 'inactive' } }),
    joinCode: 'account-not-usable',
    roomCode: 'account-not-active',
    reason: 'account-inactive',
  },
  'inactive customer': {
    apply: ({ customer }) =>
      api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'inactive' } }),
    joinCode: 'customer-not-usable',
    roomCode: 'customer-not-active',
    reason: 'customer-inactive',
  },
};

test.each(Object.entries(causes))(
  '%s: new rooms and joins are rejected immediately, and the meeting ends after exactly the grace period',
  async (_, { apply, joinCode, roomCode, reason }) => {
    const fixture = await createTestMeeting();
    await apply(fixture);
    expect((await refusalOf(join(fixture))).code).toBe(joinCode);
    expect((await refusalOf(createAnotherRoom(fixture))).code).toBe(roomCode);
    api.clock.advance({ minutes: 14 });
    expect(await run('end-meetings')).toBe(0);
    expect(isRunning(fixture)).toBe(true);
    api.clock.advance({ minutes: 2 });
    expect(await run('end-meetings')).toBe(1);
    expect(isRunning(fixture)).toBe(false);
    expect(await meetingsOf(fixture)).toEqual([{ state: 'ended', end_reason: reason }]);
    expect(await run('end-meetings')).toBe(0);
  },
);

test('a terminated customer rejects joins, and its meetings end after the grace period', async () => {
  const fixture = await createTestMeeting();
  await api.admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { status: 'terminated' } });
  expect((await refusalOf(join(fixture))).status).toBe(403);
  expect((await refusalOf(createAnotherRoom(fixture))).status).toBe(409);
  expect(await run('end-meetings')).toBe(0);
  api.clock.advance({ minutes: 16 });
  expect(await run('end-meetings')).toBe(1);
  expect(isRunning(fixture)).toBe(false);
});

test('a subscription that is canceled for the end of its period can be used until then, and not from the next day on', async () => {
  const fixture = await createTestMeeting();
  await api.admin.cancelSubscription({ params: fixture.subscriptionParams, body: { cancel: true } });
  await join(fixture);
  await createAnotherRoom(fixture);
  api.clock.advance({ hours: 24 });
  expect(await run('end-meetings')).toBe(0);
  api.clock.set('2026-04-11T00:00:00Z');
  expect((await refusalOf(join(fixture))).code).toBe('entry-subscription-not-usable');
  await run('expire-subscriptions');
  api.clock.advance({ minutes: 14 });
  expect(await run('end-meetings')).toBe(0);
  api.clock.advance({ minutes: 2 });
  expect(await run('end-meetings')).toBe(1);
  expect(await meetingsOf(fixture)).toEqual([{ state: 'ended', end_reason: 'subscription-canceled' }]);
});

test('an expired subscription rejects joins and rooms from the first minute on, and its meeting ends after the grace period', async () => {
  const fixture = await createTestMeeting();
  api.clock.set('2026-04-11T00:00:00Z');
  expect((await refusalOf(join(fixture))).code).toBe('entry-subscription-not-usable');
  expect((await refusalOf(createAnotherRoom(fixture))).code).toBe('subscription-not-usable');
  expect(await run('end-meetings')).toBe(0);
  await run('expire-subscriptions');
  api.clock.advance({ minutes: 16 });
  expect(await run('end-meetings')).toBe(1);
  expect(isRunning(fixture)).toBe(false);
});

test('a renewal makes rooms usable again and cancels a pending end', async () => {
  const fixture = await createTestMeeting();
  await setStatus(fixture, 'suspended');
  api.clock.advance({ minutes: 10 });
  expect(await run('end-meetings')).toBe(0);
  await api.admin.renewSubscription({ params: fixture.subscriptionParams, body: { renew: true } });
  await join(fixture);
  await createAnotherRoom(fixture);
  api.clock.advance({ hours: 1 });
  expect(await run('end-meetings')).toBe(0);
  expect(isRunning(fixture)).toBe(true);
  await setStatus(fixture, 'suspended');
  api.clock.advance({ minutes: 14 });
  expect(await run('end-meetings')).toBe(0);
  api.clock.advance({ minutes: 2 });
  expect(await run('end-meetings')).toBe(1);
  await api.admin.renewSubscription({ params: fixture.subscriptionParams, body: { renew: true } });
  sandbox.control.advanceClock(5000);
  expect(await join(fixture)).toMatchObject({ meeting_started: true });
});

test('an immediate cancellation is completely undone by a renewal with uncancel', async () => {
  const fixture = await createTestMeeting();
  await api.admin.cancelSubscription({ params: fixture.subscriptionParams, body: { cancel: true, cancel_now: true } });
  api.clock.advance({ minutes: 10 });
  await api.admin.renewSubscription({ params: fixture.subscriptionParams, body: { renew: true, uncancel: true } });
  api.clock.advance({ hours: 1 });
  expect(await run('end-meetings')).toBe(0);
  await join(fixture);
  await createAnotherRoom(fixture);
});

test('deactivating an account does not extend the grace period of its suspended subscription', async () => {
  const fixture = await createTestMeeting();
  await setStatus(fixture, 'suspended');
  const params = { account_id: fixture.account.id };
  api.clock.advance({ minutes: 10 });
  await api.admin.updateAccount({ params, body: { status: 'inactive' } });
  api.clock.advance({ minutes: 6 });
  expect(await run('end-meetings')).toBe(1);
});

test('changes of an unusable subscription do not extend its grace period', async () => {
  const fixture = await createTestMeeting();
  await setStatus(fixture, 'suspended');
  api.clock.advance({ minutes: 10 });
  await setStatus(fixture, 'terminated');
  api.clock.advance({ minutes: 6 });
  expect(await run('end-meetings')).toBe(1);
});

test('the grace period does not depend on stored events', async () => {
  const fixture = await createTestMeeting();
  await setStatus(fixture, 'suspended');
  await api.app.connection.pool.query('delete from events');
  api.clock.advance({ minutes: 14 });
  expect(await run('end-meetings')).toBe(0);
  expect(isRunning(fixture)).toBe(true);
  api.clock.advance({ minutes: 2 });
  expect(await run('end-meetings')).toBe(1);
  expect(isRunning(fixture)).toBe(false);
});

test('the meeting of a deleted room ends on its provider, whether or not its events are stored', async () => {
  const fixture = await createTestMeeting();
  await api.admin.deleteRoom({ params: { room_id: fixture.room.id } });
  await api.app.connection.pool.query('delete from events');
  expect(isRunning(fixture)).toBe(true);
  await run('end-meetings');
  expect(isRunning(fixture)).toBe(false);
  const { rows } = await api.app.connection.pool.query('select reason from unconfirmed_ends');
  expect(rows).toEqual([{ reason: 'room-deleted' }]);
  api.clock.advance({ days: 2 });
  await run('end-meetings');
  expect((await api.app.connection.pool.query('select from unconfirmed_ends')).rows).toEqual([]);
});

test('an earlier package change does not shorten the grace period', async () => {
  const fixture = await createTestMeeting();
  const smaller = await makePackage(api, { provider, body: { tier: 1 } });
  const params = fixture.subscriptionParams;
  await api.admin.changePackage({ params, body: { package_id: smaller.id, when: 'period_end' } });
  api.clock.advance({ hours: 2 });
  await setStatus(fixture, 'suspended');
  api.clock.advance({ minutes: 14 });
  expect(await run('end-meetings')).toBe(0);
  expect(isRunning(fixture)).toBe(true);
  api.clock.advance({ minutes: 2 });
  expect(await run('end-meetings')).toBe(1);
});

test('when a reseller becomes inactive, meetings of the customers below it end too, and meetings of other customers continue', async () => {
  const unrelated = await createTestMeeting();
  const reseller = await createTestMeeting();
  const { db } = api.app.dependencies;
  await db.updateTable('customers').set({ is_reseller: true }).where('id', '=', reseller.customer.uuid).execute();
  const childFixture = await createTestMeeting();
  await db
    .updateTable('customers')
    .set({ parent_customer_id: reseller.customer.uuid, ancestors: [reseller.customer.uuid] })
    .where('id', '=', childFixture.customer.uuid)
    .execute();
  await api.admin.updateCustomer({ params: { customer_id: reseller.customer.id }, body: { status: 'inactive' } });
  expect((await refusalOf(join(childFixture))).code).toBe('customer-not-usable');
  api.clock.advance({ minutes: 16 });
  expect(await run('end-meetings')).toBe(2);
  expect([unrelated, reseller, childFixture].map((fixture) => isRunning(fixture))).toEqual([true, false, false]);
});

test('the grace period follows the setting, also if it changes during the grace period', async () => {
  const fixture = await createTestMeeting();
  onTestFinished(async () => {
    await api.admin.updateSettings({ body: { suspension_meeting_grace_minutes: 15 } });
  });
  await setStatus(fixture, 'suspended');
  await api.admin.updateSettings({ body: { suspension_meeting_grace_minutes: 60 } });
  api.clock.advance({ minutes: 59 });
  expect(await run('end-meetings')).toBe(0);
  await api.admin.updateSettings({ body: { suspension_meeting_grace_minutes: 0 } });
  expect(await run('end-meetings')).toBe(1);
});

test('concurrent workers end each meeting once', async () => {
  const fixtures = [await createTestMeeting(), await createTestMeeting(), await createTestMeeting()];
  for (const fixture of fixtures) await setStatus(fixture, 'suspended');
  api.clock.advance({ minutes: 16 });
  const another = await api.another();
  onTestFinished(() => another.close());
  const ended = await Promise.all([run('end-meetings'), run('end-meetings', another), run('end-meetings', another)]);
  expect(ended.reduce((sum, count) => sum + count, 0)).toBe(3);
  for (const { room } of fixtures) {
    const events = await api.app.dependencies.db
      .selectFrom('events')
      .innerJoin('meetings', 'meetings.id', 'events.resource_id')
      .select('events.name')
      .where('meetings.room_id', '=', room.uuid)
      .where('events.name', '=', 'meeting.ended')
      .execute();
    expect(events).toHaveLength(1);
  }
});

test('a provider that hangs delays no other meeting, holds no transaction, and is retried', async () => {
  const hangingSandbox = await openSandbox();
  onTestFinished(() => hangingSandbox.close());
  const hangingFixture = await createTestMeeting((await makeProvider(api, hangingSandbox)).id, hangingSandbox);
  const fixture = await createTestMeeting();
  await setStatus(hangingFixture, 'suspended');
  await setStatus(fixture, 'suspended');
  api.clock.advance({ minutes: 16 });
  hangingSandbox.control.injectFault({ kind: 'hang', call: 'end' });
  const inProgress = run('end-meetings');
  await expect.poll(() => isRunning(fixture)).toBe(false);
  await expect.poll(() => meetingsOf(fixture)).toEqual([{ state: 'ended', end_reason: 'subscription-suspended' }]);
  expect(await meetingsOf(hangingFixture)).toEqual([{ state: 'open', end_reason: null }]);
  const listIdleTransactions = async () =>
    (
      await api.app.connection.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      )
    ).rows;
  await expect.poll(listIdleTransactions).toEqual([]);
  expect(await inProgress).toBe(1);
  hangingSandbox.control.clearFaults();
  await expect.poll(() => run('end-meetings'), { timeout: 60_000, interval: 500 }).toBe(1);
  expect(isRunning(hangingFixture, hangingSandbox)).toBe(false);
}, 90_000);

test('a join is rejected if the subscription is suspended during the request to the provider', async () => {
  const slow = await openSandbox();
  onTestFinished(() => slow.close());
  const fixture = await createTestMeeting((await makeProvider(api, slow)).id, slow);
  slow.control.injectFault({ kind: 'delay', call: 'getMeetingInfo', milliseconds: 3_600_000 });
  slow.control.clearCalls();
  const pendingJoin = refusalOf(join(fixture));
  await expect.poll(() => slow.control.calls().map(({ call }) => call)).toContain('getMeetingInfo');
  await setStatus(fixture, 'suspended');
  slow.control.clearFaults();
  expect((await pendingJoin).code).toBe('entry-subscription-not-usable');
});
