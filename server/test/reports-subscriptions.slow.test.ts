import type { SubscriptionsRow } from '@foyer/contract/resources/platform/report.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeHolder } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makePackage, makeRoom, refusalOf } from './factories.ts';
import { inTransaction, system } from '../src/events/change.ts';
import { newUuid, printIdentifier } from '../src/platform/identity/identifier.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;

beforeEach(async () => {
  api = await startApi({ now: '2026-01-10T12:00:00Z' });
});
afterEach(() => api.close());

async function report(query: Record<string, unknown> = {}): Promise<SubscriptionsRow[]> {
  return (await api.admin.readSubscriptionsReport({ query })).data;
}

function figures({ period, currency, active, trialing, canceled, expiring, ...row }: SubscriptionsRow) {
  return [period, currency, active, trialing, row.new, canceled, expiring, row.monthly_recurring_value];
}

async function subscribe(body: Record<string, unknown>) {
  const servicePackage = await makePackage(api, { body: { currency: 'EUR', ...body } });
  const customer = await makeCustomer(api);
  const { data } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  return { ...data, customer };
}

test('each period has the figures at its end: new, active, on trial, canceled, expiring and value', async () => {
  await subscribe({ price: 30, periodicity: 1, periodicity_type: 'month' });
  await subscribe({ price: 120, periodicity: 1, periodicity_type: 'year', currency: 'USD' });
  await subscribe({ price: 50, periodicity: 1, periodicity_type: 'month', trial_period: 10, trial_interval: 'day' });
  api.clock.set('2026-01-15T12:00:00Z');
  const canceled = await subscribe({ price: 7, periodicity: 1, periodicity_type: 'day' });
  await api.admin.cancelSubscription({ params: { subscription_id: canceled.id }, body: { cancel: true } });
  api.clock.set('2026-02-20T12:00:00Z');
  expect((await report({ from: '2026-01-09', to: '2026-01-21', expiring_within: 5 })).map(figures)).toEqual([
    ...['2026-01-10'].flatMap((day) => [
      [day, 'EUR', 2, 1, 2, 0, 0, 30],
      [day, 'USD', 1, 0, 1, 0, 0, 10],
    ]),
    ...['2026-01-11', '2026-01-12', '2026-01-13', '2026-01-14'].flatMap((day) => [
      [day, 'EUR', 2, 1, 0, 0, 0, 30],
      [day, 'USD', 1, 0, 0, 0, 0, 10],
    ]),
    ['2026-01-15', 'EUR', 3, 1, 1, 1, 1, 30],
    ['2026-01-15', 'USD', 1, 0, 0, 0, 0, 10],
    ['2026-01-16', 'EUR', 3, 1, 0, 0, 1, 30],
    ['2026-01-16', 'USD', 1, 0, 0, 0, 0, 10],
    ...['2026-01-17', '2026-01-18', '2026-01-19', '2026-01-20'].flatMap((day) => [
      [day, 'EUR', 2, 1, 0, 0, 0, 30],
      [day, 'USD', 1, 0, 0, 0, 0, 10],
    ]),
    ['2026-01-21', 'EUR', 2, 0, 0, 0, 0, 80],
    ['2026-01-21', 'USD', 1, 0, 0, 0, 0, 10],
  ]);
  const months = await report({ from: '2026-01-01', by: 'month', currency: 'EUR', expiring_within: 10 });
  // On 20 February, the first has ended (on the 10th); the subscription with the trial ends on the 20th.
  expect(months.map(figures)).toEqual([
    ['2026-01', 'EUR', 2, 0, 3, 1, 1, 80],
    ['2026-02', 'EUR', 1, 0, 0, 0, 1, 50],
  ]);
});

test('past figures stay the same, regardless of later changes of the subscription', async () => {
  const subscription = await subscribe({ price: 30, periodicity: 1, periodicity_type: 'month' });
  const params = { subscription_id: subscription.id };
  api.clock.set('2026-01-20T12:00:00Z');
  await api.admin.updateSubscription({ params, body: { price: 40 } });
  api.clock.set('2026-01-25T12:00:00Z');
  await api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
  api.clock.set('2026-01-28T12:00:00Z');
  await api.admin.renewSubscription({ params, body: { renew: true, uncancel: true } });
  api.clock.set('2026-01-29T12:00:00Z');
  await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
  api.clock.set('2026-01-30T12:00:00Z');
  const reportedRows = async () =>
    (await report({ from: '2026-01-01', to: '2026-01-30' }))
      .filter(({ period }) => ['10', '19', '20', '24', '25', '27', '28', '29'].includes(period.slice(8)))
      .map((row) => [row.period.slice(8), row.active, row.new, row.canceled, row.monthly_recurring_value]);
  const before = [
    ['10', 1, 1, 0, 30],
    ['19', 1, 0, 0, 30],
    ['20', 1, 0, 0, 40],
    ['24', 1, 0, 0, 40],
    ['25', 0, 0, 1, 0],
    ['28', 1, 0, 0, 40],
  ];
  expect(await reportedRows()).toEqual(before);
  await api.admin.deleteSubscription({ params });
  expect(await reportedRows()).toEqual(before);
});

test('a subscription counts as active through its grace, whether or not the job that suspends it has run', async () => {
  await subscribe({
    price: 10,
    periodicity: 10,
    periodicity_type: 'day',
    grace_period: 2,
    grace_interval: 'day',
  });
  const countActive = async () =>
    (await report({ from: '2026-01-19', to: '2026-01-25' })).map(({ period, active: count }) => [
      period.slice(8),
      count,
    ]);
  api.clock.set('2026-01-25T12:00:00Z');
  const expected = [
    ['19', 1],
    ['20', 1],
    ['21', 1],
    ['22', 1],
  ];
  expect(await countActive()).toEqual(expected);
  expect(await runJob(api.app.dependencies, 'expire-subscriptions')).toBe(1);
  expect(await countActive()).toEqual(expected);
});

test('only statements that change reported columns store a version', async () => {
  const subscription = await subscribe({ price: 30, periodicity: 1, periodicity_type: 'month' });
  const countVersions = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from subscription_versions where subscription_id = ${subscription.uuid}`.execute(
      api.app.dependencies.db,
    );
    return rows[0]?.count;
  };
  expect(await countVersions()).toBe(1);
  await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { name: 'Another name' } });
  expect(await countVersions()).toBe(1);
  await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { price: 31 } });
  expect(await countVersions()).toBe(2);
});

test('filters limit the report to a customer, a package or a currency', async () => {
  const subscription = await subscribe({ price: 30, periodicity: 1, periodicity_type: 'month' });
  await subscribe({ price: 40, periodicity: 1, periodicity_type: 'month', currency: 'USD' });
  const values = async (query: Record<string, string>) =>
    (await report({ from: '2026-01-10', ...query })).map((row) => row.monthly_recurring_value);
  expect(await values({})).toEqual([30, 40]);
  expect(await values({ customer_id: subscription.customer.id })).toEqual([30]);
  expect(await values({ package_id: subscription.package_id })).toEqual([30]);
  expect(await values({ currency: 'usd' })).toEqual([40]);
  expect(await values({ orderBy: 'monthly_recurring_value', sortedBy: 'desc' })).toEqual([40, 30]);
});

test.each([
  [{ expiring_within: 'soon' }, 'expiring_within'],
  [{ expiring_within: 367 }, 'expiring_within'],
  [{ expiring_within: -1 }, 'expiring_within'],
  [{ currency: 'EURO' }, 'currency'],
  [{ currency: 'QQQ' }, 'currency'],
  [{ customer_id: '0190cafe-0000-7000-8000-000000000000' }, 'customer_id'],
  [{ package_id: '0190cafe-0000-7000-8000-000000000000' }, 'package_id'],
  [{ by: 'year' }, 'by'],
  [{ orderBy: 'price' }, 'orderBy'],
])('a subscriptions report with the query %j is rejected for its member %s', async (query, member) => {
  const refusal = await refusalOf(api.admin.readSubscriptionsReport({ query: query as never }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [member]]);
});

test('users see the usage and subscriptions of their own customer only', async () => {
  const [own, foreign] = [await makeRoom(api), await makeRoom(api)];
  const { db } = api.app.dependencies;
  for (const { room, customer, subscription } of [own, foreign]) {
    await sql`
      insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
        created_at, updated_at)
      values (${room.uuid}, ${room.uuid}, ${customer.uuid}, ${subscription.uuid}, 'm', 'ended', '2026-01-10T10:00:00Z',
        '2026-01-10T11:00:00Z', '2026-01-10T10:00:00Z', '2026-01-10T11:00:00Z')`.execute(db);
  }
  const owner = await signInUser(own.customer.email, 'difference engine no. 2');
  const { data: rows } = await owner.readUsageReport({ query: { group_by: 'room' } });
  expect(rows.map(({ room_id, customer_name, meetings }) => [room_id, customer_name, meetings])).toEqual([
    [own.room.id, own.customer.full_name, 1],
  ]);
  expect((await owner.readUsageReport()).data[0]).toMatchObject({ meetings: 1, peak_meetings: 1 });
  const features = (await owner.readUsageReport({ query: { group_by: 'feature' } })).data;
  expect(features.map(({ feature, used }) => [feature, used])).toEqual([
    ['max_accounts', 1],
    ['max_concurrent_meetings', 1],
    ['max_rooms', 1],
  ]);
  const { data: subscriptionRows } = await owner.readSubscriptionsReport({ query: { from: '2026-01-10' } });
  expect(subscriptionRows.map(({ active }) => active)).toEqual([1]);
  for (const query of [
    { customer_id: foreign.customer.id },
    { subscription_id: foreign.subscription.id },
    { account_id: foreign.account.id },
    { room_id: foreign.room.id },
  ]) {
    const refusal = await refusalOf(owner.readUsageReport({ query }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, Object.keys(query)]);
    expect(
      (await owner.readUsageReport({ query: { [Object.keys(query)[0] ?? '']: idOf(own, query) } })).data,
    ).toHaveLength(1);
  }
  const refusal = await refusalOf(owner.readSubscriptionsReport({ query: { customer_id: foreign.customer.id } }));
  expect(refusal.status).toBe(422);
});

function idOf(fixture: Awaited<ReturnType<typeof makeRoom>>, query: object): string {
  if ('customer_id' in query) return fixture.customer.id;
  if ('subscription_id' in query) return fixture.subscription.id;
  return 'account_id' in query ? fixture.account.id : fixture.room.id;
}

test('a user who may only read a room sees its usage, without the names of its account, subscription and customer', async () => {
  const fixture = await makeRoom(api);
  const password = 'a password of one room';
  const { data: user } = await api.admin.createUser({
    body: { email: 'one.room@example.com', first_name: 'One', last_name: 'Room', password },
  });
  await api.admin.createRoomUser({
    params: { room_id: fixture.room.id },
    body: { user_id: user.id, permissions: ['read-room'] },
  });
  const { data: other } = await api.admin.createRoom({
    body: { room_name: 'Other', account_id: fixture.account.id },
  });
  for (const { uuid } of [fixture.room, other]) {
    await sql`
      insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
        created_at, updated_at)
      values (${uuid}, ${uuid}, ${fixture.customer.uuid}, ${fixture.subscription.uuid}, 'm', 'ended', '2026-01-10T10:00:00Z',
        '2026-01-10T11:00:00Z', '2026-01-10T10:00:00Z', '2026-01-10T11:00:00Z')`.execute(api.app.dependencies.db);
  }
  const member = await signInUser('one.room@example.com', password);
  const { data } = await member.readUsageReport({ query: { group_by: 'room' } });
  expect(data).toMatchObject([
    {
      room_id: fixture.room.id,
      room_name: fixture.room.room_name,
      meetings: 1,
      customer_name: null,
      subscription_name: null,
      account_name: null,
    },
  ]);
  expect((await member.readSubscriptionsReport()).data).toEqual([]);
});

test('an administrator without the permission for a resource does not see its name', async () => {
  const { account } = await makeAccount(api);
  await api.admin.createRoom({ body: { room_name: 'Secret', account_id: account.id } });
  const client = await makeHolder(api, ['read-meetings']);
  const { data } = await client.readUsageReport({ query: { group_by: 'account,feature' } });
  expect(data.length).toBeGreaterThan(0);
  expect(JSON.stringify(data)).not.toContain(account.account_name);
  expect((await refusalOf(client.readSubscriptionsReport())).status).toBe(403);
});

async function signInUser(username: string, password: string) {
  const { access_token } = await api.anyone.loginUser({ body: { username, password } });
  return api.clientWith(access_token);
}

test('each price counts once, for its seller: the platform, the reseller or the sub-reseller; a customer sees what it pays', async () => {
  const monthly = { price: 100, currency: 'EUR', periodicity: 1, periodicity_type: 'month' };
  const servicePackage = await makePackage(api, { body: monthly, features: { max_rooms: '10' } });
  const reseller = await makeCustomer(api, { is_reseller: true });
  const middle = await makeCustomer(api, { is_reseller: true, parent_customer_id: reseller.id });
  const lowest = await makeCustomer(api, { parent_customer_id: middle.id });
  const subscribeTo = async (seller: typeof api.admin, subscriber: string, price: number) => {
    const body = { package_id: servicePackage.id, subscriber_id: subscriber };
    const { data } = await seller.createSubscription({ body });
    await seller.updateSubscription({ params: { subscription_id: data.id }, body: { price } });
    return data;
  };
  const clientOf = async ({ email }: { email: string }) => {
    const login = { username: email, password: 'difference engine no. 2' };
    return api.clientWith((await api.anyone.loginUser({ body: login })).access_token);
  };
  const [resellerClient, middleClient, lowestClient] = [
    await clientOf(reseller),
    await clientOf(middle),
    await clientOf(lowest),
  ];
  await subscribeTo(api.admin, reseller.id, 100);
  const resold = await subscribeTo(resellerClient, middle.id, 9_999);
  await subscribeTo(middleClient, lowest.id, 30);
  // Sales of the platform below a reseller belong to the platform.
  await subscribeTo(api.admin, lowest.id, 7);

  const values = async (client: typeof api.admin, query: Record<string, unknown> = {}) =>
    (await client.readSubscriptionsReport({ query: { from: '2026-01-10', ...query } })).data.map((row) => [
      row.active,
      row.new,
      row.monthly_recurring_value,
    ]);
  expect(await values(api.admin)).toEqual([[2, 2, 107]]);
  expect(await values(api.admin, { customer_id: middle.id })).toEqual([[1, 1, 9_999]]);
  expect(await values(api.admin, { customer_id: lowest.id })).toEqual([[2, 2, 37]]);
  expect(await values(resellerClient)).toEqual([[1, 1, 9_999]]);
  expect(await values(resellerClient, { customer_id: reseller.id })).toEqual([[1, 1, 100]]);
  expect(await values(middleClient)).toEqual([[1, 1, 30]]);
  expect(await values(middleClient, { customer_id: middle.id })).toEqual([[1, 1, 9_999]]);
  expect(await values(lowestClient)).toEqual([[2, 2, 37]]);
  expect((await refusalOf(middleClient.readSubscriptionsReport({ query: { customer_id: reseller.id } }))).status).toBe(
    422,
  );

  api.clock.set('2026-01-10T12:30:00Z');
  await resellerClient.updateSubscription({ params: { subscription_id: resold.id }, body: { price: 50 } });
  expect(await values(api.admin)).toEqual([[2, 2, 107]]);
  expect(await values(resellerClient)).toEqual([[1, 1, 50]]);
});

test('if a subscription changes twice at the same instant, the report uses the later change', async () => {
  const { id, uuid } = await subscribe({ price: 10 });
  const params = { subscription_id: id };
  await inTransaction(api.app.dependencies, system, async ({ tx, now }) => {
    await api.admin.updateSubscription({ params, body: { price: 20 } });
    await tx.updateTable('subscriptions').set({ price: '30', updated_at: now }).where('id', '=', uuid).execute();
  });
  const { data } = await api.admin.readSubscription({ params });
  expect(data.price).toBe(30);
  api.clock.advance({ days: 1 });
  expect((await report({ from: '2026-01-10', to: '2026-01-11' })).map((row) => row.monthly_recurring_value)).toEqual([
    30, 30,
  ]);
});

test('deleted resources can be filtered by id while the report counts them', async () => {
  const { id, package_id, customer } = await subscribe({ price: 10 });
  const params = { subscription_id: id };
  await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
  await api.admin.deleteSubscription({ params });
  await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params: { customer_id: customer.id } });
  await api.admin.deleteServicePackage({ params: { service_package_id: package_id } });
  for (const query of [{ customer_id: customer.id }, { package_id }])
    expect(await report(query)).toMatchObject([{ period: '2026-01-10', new: 1 }]);
  const unknown = printIdentifier('pkg', newUuid());
  expect((await refusalOf(report({ package_id: unknown }))).errors).toHaveProperty('package_id');
});

test('report and list use the same effective end date', async () => {
  const trialSubscription = await subscribe({ price: 10 });
  await api.admin.updateSubscription({
    params: { subscription_id: trialSubscription.id },
    body: { trial_ends_at: '2035-01-01' },
  });
  const canceled = await subscribe({ price: 10, trial_period: 14, trial_interval: 'day' });
  const params = { subscription_id: canceled.id };
  await api.admin.renewSubscription({ params, body: { renew: true, cycles: 3 } });
  await api.admin.cancelSubscription({ params, body: { cancel: true } });
  const listEnding = async (days: number) => {
    const { data } = await api.admin.listSubscriptions({ query: { expiring_within: days } });
    const [row] = await report({ from: '2026-01-10', to: '2026-01-10', expiring_within: days });
    return [data.map(({ id }) => id), row?.expiring];
  };
  expect(await listEnding(13)).toEqual([[], 0]);
  expect(await listEnding(14)).toEqual([[canceled.id], 1]);
  expect(await listEnding(366)).toEqual([[canceled.id], 1]);
  expect((await api.admin.readSubscription({ params })).data.last_day_of_use).toBe('2026-01-24T00:00:00.000000Z');
  const trial = await api.admin.readSubscription({ params: { subscription_id: trialSubscription.id } });
  expect(trial.data.last_day_of_use).toBe('2035-01-01T00:00:00.000000Z');
});
