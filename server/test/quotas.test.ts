import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inTransaction, system } from '../src/events/change.ts';
import { consumeWithinLimit, releaseFeature, recordUsage } from '../src/modules/subscriptions/index.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeAccount, makePackage, refusalOf, soldFeatures } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

async function createTestAccount(features: Record<string, string> = {}) {
  return await makeAccount(api, { features: { ...soldFeatures, ...features } });
}

type Fixture = Awaited<ReturnType<typeof createTestAccount>>;

function createRoom({ account }: Pick<Fixture, 'account'>, testApi = api) {
  return testApi.admin.createRoom({ body: { room_name: 'Room', account_id: account.id } });
}

async function readUsage({ subscription }: Pick<Fixture, 'subscription'>, tag: string) {
  const params = { subscription_id: subscription.id };
  const { data } = await api.admin.readSubscriptionUsage({ params, query: { search: `tag:${tag}` } });
  return data.find((feature) => feature.tag === tag)?.usage.data.used;
}

async function countRooms({ account }: Pick<Fixture, 'account'>) {
  const { meta } = await api.admin.listRooms({ query: { search: `account_id:${account.id}`, limit: 1 } });
  return meta.pagination?.total;
}

async function readAuditEntries(name: string, { subscription }: Pick<Fixture, 'subscription'>) {
  return await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select(['action as name', 'customer_id', 'new_values as payload'])
    .where('action', '=', name)
    .where('resource_id', '=', subscription.uuid)
    .execute();
}

/** Creates this number of rooms concurrently, alternating between the APIs. */
async function createRoomsConcurrently(count: number, fixture: Fixture, apis: readonly TestApi[]) {
  const calls = Array.from({ length: count }, (_, index) => createRoom(fixture, apis[index % apis.length]));
  const outcomes = await Promise.allSettled(calls);
  return {
    created: outcomes.filter(({ status }) => status === 'fulfilled').length,
    refusals: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Refusal] : [])),
  };
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

test.each([1, 2])(
  'of 200 rooms that are created concurrently with a limit of 25, exactly 25 succeed, with %i processes',
  async (processCount) => {
    const fixture = await createTestAccount({ max_rooms: '25' });
    const apis = [api];
    while (apis.length < processCount) {
      const otherProcess = await api.another();
      onTestFinished(() => otherProcess.close());
      apis.push(otherProcess);
    }
    const { created, refusals } = await createRoomsConcurrently(200, fixture, apis);
    expect(created).toBe(25);
    expect(refusals).toHaveLength(175);
    for (const { status, code, message, errors } of refusals) {
      expect([status, code]).toEqual([422, 'feature-limit-reached']);
      expect(message).toContain('max_rooms');
      expect(message).toContain('25 of 25');
      expect(Object.keys(errors)).toEqual(['max_rooms']);
    }
    expect(await countRooms(fixture)).toBe(25);
    expect(await readUsage(fixture, 'max_rooms')).toBe(25);
    expect(await readAuditEntries('subscription.limit_reached', fixture)).toEqual([
      {
        name: 'subscription.limit_reached',
        customer_id: fixture.customer.uuid,
        payload: { feature: { tag: 'max_rooms', limit: '25', used: 25 } },
      },
    ]);
  },
);

test('the limit applies to all accounts of a subscription together', async () => {
  const fixture = await createTestAccount({ max_rooms: '3' });
  const { data: second } = await api.admin.createAccount({
    body: { account_name: 'Second', subscription_id: fixture.subscription.id },
  });
  const calls = Array.from({ length: 12 }, (_, index) => createRoom(index % 2 === 0 ? fixture : { account: second }));
  const created = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled');
  expect(created).toHaveLength(3);
  expect(await readUsage(fixture, 'max_rooms')).toBe(3);
});

test('concurrently created accounts do not exceed max_accounts', async () => {
  const fixture = await createTestAccount({ max_accounts: '5' });
  const body = { account_name: 'More', subscription_id: fixture.subscription.id };
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => api.admin.createAccount({ body })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  expect(await readUsage(fixture, 'max_accounts')).toBe(5);
});

test('a failed creation leaves no usage', async () => {
  const fixture = await createTestAccount();
  const body = { room_name: 'Room', account_id: fixture.account.id };
  const invalidBodies = [
    { ...body, slug: '!!!' },
    { ...body, room_settings: { mute_on_start: 'loud' } },
    { ...body, room_features: { recording: 'perhaps' } },
    { ...body, room_type: 'live' as const },
  ];
  for (const invalidBody of invalidBodies)
    expect((await refusalOf(api.admin.createRoom({ body: invalidBody }))).status).toBe(422);
  expect(await readUsage(fixture, 'max_rooms')).toBe(0);
  expect(await countRooms(fixture)).toBe(0);
});

test('a creation that the limit rejects leaves no room and no usage, and its only event is that the limit is reached', async () => {
  const fixture = await createTestAccount({ max_rooms: '1' });
  await createRoom(fixture);
  const { db } = api.app.dependencies;
  const readEventNames = async () => (await db.selectFrom('events').select('name').execute()).map(({ name }) => name);
  const before = await readEventNames();
  await refusalOf(createRoom(fixture));
  expect((await readEventNames()).toSorted()).toEqual([...before, 'subscription.limit_reached'].toSorted());
  expect(await readUsage(fixture, 'max_rooms')).toBe(1);
});

test('deleting releases usage, so that the resource can be created again', async () => {
  const fixture = await createTestAccount({ max_rooms: '2' });
  const first = await createRoom(fixture);
  await createRoom(fixture);
  expect((await refusalOf(createRoom(fixture))).code).toBe('feature-limit-reached');
  const params = { room_id: first.data.id };
  const deletions = await Promise.allSettled(Array.from({ length: 5 }, () => api.admin.deleteRoom({ params })));
  expect(deletions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await readUsage(fixture, 'max_rooms')).toBe(1);
  await createRoom(fixture);
  expect(await readUsage(fixture, 'max_rooms')).toBe(2);
});

test('concurrent creations and deletions end with the correct usage', async () => {
  const fixture = await createTestAccount({ max_rooms: '10' });
  const rooms = await Promise.all(Array.from({ length: 10 }, () => createRoom(fixture)));
  await Promise.allSettled([
    ...rooms.map(({ data }) => api.admin.deleteRoom({ params: { room_id: data.id } })),
    ...Array.from({ length: 20 }, () => createRoom(fixture)),
  ]);
  const remaining = await countRooms(fixture);
  expect(remaining).toBeLessThanOrEqual(10);
  expect(await readUsage(fixture, 'max_rooms')).toBe(remaining);
});

test('usage never falls below zero', async () => {
  const fixture = await createTestAccount();
  const { data: room } = await createRoom(fixture);
  await api.app.dependencies.db
    .updateTable('subscription_usages')
    .set({ used: 0 })
    .where('subscription_id', '=', fixture.subscription.uuid)
    .execute();
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  expect(await readUsage(fixture, 'max_rooms')).toBe(0);
});

test.each([
  ['a feature that the subscription does not have', null],
  ['a limit of 0', '0'],
])('%s allows no room', async (_, value) => {
  const features: Record<string, string> = { ...soldFeatures };
  if (value === null) delete features['max_rooms'];
  else features['max_rooms'] = value;
  const fixture = await makeAccount(api, { features });
  const refusal = await refusalOf(createRoom(fixture));
  expect([refusal.status, refusal.code]).toEqual([422, 'feature-limit-reached']);
  expect(refusal.message).toContain('max_rooms is reached: 0 of 0');
});

test('an unlimited feature is counted and never rejected', async () => {
  const fixture = await createTestAccount({ max_rooms: 'unlimited' });
  const { created } = await createRoomsConcurrently(30, fixture, [api]);
  expect(created).toBe(30);
  expect(await readUsage(fixture, 'max_rooms')).toBe(30);
  expect(await readAuditEntries('subscription.limit_reached', fixture)).toEqual([]);
});

test('raising a limit allows more, and lowering it below the usage keeps existing resources', async () => {
  const fixture = await createTestAccount({ max_rooms: '2' });
  await createRoom(fixture);
  await createRoom(fixture);
  const params = { subscription_id: fixture.subscription.id };
  const { data: features } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
  const feature = features.find(({ tag }) => tag === 'max_rooms');
  const featureParams = { ...params, feature_id: feature?.id ?? '' };
  await api.admin.updateSubscriptionFeature({ params: featureParams, body: { value: 3 } });
  await createRoom(fixture);
  await api.admin.updateSubscriptionFeature({ params: featureParams, body: { value: 1 } });
  const refusal = await refusalOf(createRoom(fixture));
  expect(refusal.message).toContain('3 of 1');
  expect(await countRooms(fixture)).toBe(3);
});

test('a refusal states the limit, the usage and the requested amount', async () => {
  const fixture = await createTestAccount({ max_rooms: '3' });
  const { dependencies } = api.app;
  const consume = (amount: number) =>
    inTransaction(dependencies, system, (change) =>
      consumeWithinLimit(change, fixture.subscription.uuid, 'max_rooms', amount),
    );
  await consume(2);
  await expect(consume(2)).rejects.toMatchObject({
    code: 'feature-limit-reached',
    message: `The limit of max_rooms is reached: 2 of 3 are used in the subscription ${fixture.subscription.id}, and 2 more were requested.`,
  });
  await consume(1);
  const refusal = await refusalOf(createRoom(fixture));
  expect(refusal.message).toContain('3 of 3 are used');
  expect(refusal.message).toContain('1 more was requested');
  expect(refusal.errors).toEqual({ max_rooms: [refusal.message] });
});

test('concurrent consumption and release give the exact usage', async () => {
  const fixture = await createTestAccount({ max_rooms: '40' });
  const { dependencies } = api.app;
  const amounts = Array.from({ length: 60 }, (_, index) => (index % 5) + 1);
  const results = await Promise.allSettled(
    amounts.map((amount) =>
      inTransaction(dependencies, system, (change) =>
        consumeWithinLimit(change, fixture.subscription.uuid, 'max_rooms', amount),
      ),
    ),
  );
  const consumed = amounts.filter((_, index) => results[index]?.status === 'fulfilled');
  const total = consumed.reduce((sum, amount) => sum + amount, 0);
  expect(total).toBe(40);
  expect(await readUsage(fixture, 'max_rooms')).toBe(40);
  await Promise.all(
    consumed.map((amount) =>
      inTransaction(dependencies, system, (change) =>
        releaseFeature(change, fixture.subscription.uuid, 'max_rooms', amount),
      ),
    ),
  );
  expect(await readUsage(fixture, 'max_rooms')).toBe(0);
});

const minutesFeature = { tag: 'participant_minutes', resettable_period: 1, resettable_interval: 'month' } as const;

/** Creates a subscription with minutes that reset each month. */
async function createSubscriptionWithMinutes(value: string) {
  const servicePackage = await makePackage(api);
  const params = { service_package_id: servicePackage.id };
  await api.admin.createServicePackageFeature({ params, body: { ...minutesFeature, value } });
  const { customer } = await createTestAccount();
  const { data: subscription } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id, periodicity: 12 },
  });
  return { customer, subscription };
}

function recordMinutes({ subscription }: Pick<Fixture, 'subscription'>, amount: number) {
  return inTransaction(api.app.dependencies, system, (change) =>
    recordUsage(change, subscription.uuid, 'participant_minutes', amount),
  );
}

async function readFeature({ subscription }: Pick<Fixture, 'subscription'>, tag: string) {
  const params = { subscription_id: subscription.id };
  const { data } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
  const feature = data.find((candidate) => candidate.tag === tag);
  if (!feature) throw new Error(`The subscription has no feature ${tag}.`);
  return feature;
}

test('minutes that are used while the window changes are all counted in the new window', async () => {
  const fixture = await createSubscriptionWithMinutes('1000');
  await recordMinutes(fixture, 700);
  onTestFinished(() => api.clock.set('2026-03-10T12:00:00Z'));
  api.clock.set('2026-05-11T12:00:00Z');
  await Promise.all([
    ...Array.from({ length: 20 }, () => recordMinutes(fixture, 3)),
    runJob(api.app.dependencies, 'reset-usage'),
    runJob(api.app.dependencies, 'reset-usage'),
  ]);
  const { usage } = await readFeature(fixture, 'participant_minutes');
  expect(usage.data).toMatchObject({ used: 60, valid_until: '2026-06-10T00:00:00.000000Z' });
});

test('usage beyond the limit is counted, and one mail is sent when the limit is exceeded', async () => {
  const fixture = await createSubscriptionWithMinutes('10');
  await recordMinutes(fixture, 4);
  await recordMinutes(fixture, 9);
  await recordMinutes(fixture, 5);
  expect((await readFeature(fixture, 'participant_minutes')).usage.data.used).toBe(18);
  const { rows } = await api.app.connection.pool.query<{ details: object }>(
    "select details from notifications where kind = 'limit_reached' and cause like $1",
    [`%${fixture.subscription.uuid}:participant_minutes%`],
  );
  expect(rows).toMatchObject([{ details: { limit: 10, used: 13 } }]);
});

test('a feature whose reset interval is shortened or added keeps its usage until its window ends', async () => {
  const fixture = await createSubscriptionWithMinutes('1000');
  await recordMinutes(fixture, 50);
  const { id } = await readFeature(fixture, 'participant_minutes');
  const params = { subscription_id: fixture.subscription.id, feature_id: id };
  await api.admin.updateSubscriptionFeature({ params, body: { resettable_interval: 'week' } });
  await recordMinutes(fixture, 5);
  const weekUsage = (await readFeature(fixture, 'participant_minutes')).usage.data;
  expect(weekUsage).toMatchObject({ used: 55, valid_until: '2026-03-17T00:00:00.000000Z' });
  await api.admin.updateSubscriptionFeature({ params, body: { resettable_period: 0 } });
  expect((await readFeature(fixture, 'participant_minutes')).usage.data).toMatchObject({ used: 55, valid_until: null });
  await api.admin.updateSubscriptionFeature({ params, body: { resettable_period: 2, resettable_interval: 'day' } });
  onTestFinished(() => api.clock.set('2026-03-10T12:00:00Z'));
  api.clock.advance({ hours: 48 });
  await recordMinutes(fixture, 1);
  const dayUsage = (await readFeature(fixture, 'participant_minutes')).usage.data;
  expect(dayUsage).toMatchObject({ used: 1, valid_until: '2026-03-14T00:00:00.000000Z' });
});

test('a recount during creations and deletions finds no drift, and corrects existing drift', async () => {
  const fixture = await createTestAccount({ max_rooms: 'unlimited' });
  const rooms = await Promise.all(Array.from({ length: 10 }, () => createRoom(fixture)));
  await runJob(api.app.dependencies, 'reconcile-usage');
  const recounts: (number | undefined)[] = [];
  const recount = async () => {
    for (let time = 0; time < 15; time++) recounts.push(await runJob(api.app.dependencies, 'reconcile-usage'));
  };
  await Promise.all([
    recount(),
    recount(),
    ...rooms.map(({ data }) => api.admin.deleteRoom({ params: { room_id: data.id } })),
    ...Array.from({ length: 30 }, () => createRoom(fixture)),
  ]);
  expect(recounts).toEqual(Array.from({ length: 30 }, () => 0));
  expect(await readUsage(fixture, 'max_rooms')).toBe(30);
  await inTransaction(api.app.dependencies, system, (change) =>
    consumeWithinLimit(change, fixture.subscription.uuid, 'max_rooms', 7),
  );
  const corrections = await Promise.all([1, 2].map(async () => await runJob(api.app.dependencies, 'reconcile-usage')));
  expect(corrections.toSorted((one, other) => one - other)).toEqual([0, 1]);
  expect(await readUsage(fixture, 'max_rooms')).toBe(30);
  expect((await readAuditEntries('subscription.usage_reconciled', fixture)).map(({ payload }) => payload)).toEqual([
    { max_rooms: 30 },
  ]);
});

test('each effective value of a room has its source: package, subscription or room', async () => {
  const fixture = await createTestAccount({ max_participants: '50' });
  const { data: room } = await createRoom(fixture);
  const params = { room_id: room.id };
  const readValueAndSource = async () => {
    const { data } = await api.admin.readRoomFeatures({ params });
    const feature = data.find(({ tag }) => tag === 'max_participants');
    return [feature?.used, feature?.source];
  };
  expect(await readValueAndSource()).toEqual(['50', 'package']);
  const { id } = await readFeature(fixture, 'max_participants');
  const featureParams = { subscription_id: fixture.subscription.id, feature_id: id };
  await api.admin.updateSubscriptionFeature({ params: featureParams, body: { value: 80 } });
  expect(await readValueAndSource()).toEqual(['80', 'subscription']);
  await api.admin.updateRoom({ params, body: { room_features: { max_participants: 70 } } });
  expect(await readValueAndSource()).toEqual(['70', 'room']);
  await api.admin.updateRoom({ params, body: { room_features: { max_participants: 90 } } });
  expect(await readValueAndSource()).toEqual(['80', 'subscription']);
});

test('a list with features, usages, providers and accounts takes as many statements for 1 subscription as for 100', async () => {
  const { customer, servicePackage } = await createTestAccount();
  const body = { package_id: servicePackage.id, subscriber_id: customer.id };
  const list = (limit: number) =>
    api.admin.listSubscriptions({
      query: {
        limit,
        include: 'features,usages,providers,accounts',
        search: `subscriber_id:${customer.id}`,
        skipCache: true,
      },
    });
  await list(1);
  const statementCount = await countStatements(() => list(1));
  for (let subscriptionCount = 1; subscriptionCount < 100; subscriptionCount++) {
    const { data } = await api.admin.createSubscription({ body });
    if (subscriptionCount % 10 === 0)
      await api.admin.createAccount({ body: { account_name: 'Another', subscription_id: data.id } });
  }
  expect(await countStatements(() => list(100))).toBe(statementCount);
  expect((await list(100)).data).toHaveLength(100);
});
