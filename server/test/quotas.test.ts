import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, refusalOf, soldFeatures } from './factories.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

async function anAccount(features: Record<string, string> = {}) {
  return await makeAccount(api, { features: { ...soldFeatures, ...features } });
}

type Above = Awaited<ReturnType<typeof anAccount>>;

function createRoom({ account }: Pick<Above, 'account'>, by = api) {
  return by.admin.createRoom({ body: { room_name: 'Room', account_id: account.id } });
}

async function usageOf({ subscription }: Pick<Above, 'subscription'>, tag: string) {
  const params = { subscription_id: subscription.id };
  const { data } = await api.admin.readSubscriptionUsage({ params, query: { search: `tag:${tag}` } });
  return data.find((feature) => feature.tag === tag)?.usage.data.used;
}

async function countRooms({ account }: Pick<Above, 'account'>) {
  const { meta } = await api.admin.listRooms({ query: { search: `account_id:${account.id}`, limit: 1 } });
  return meta.pagination?.total;
}

async function eventsNamed(name: string, { subscription }: Pick<Above, 'subscription'>) {
  return await api.house.dependencies.db
    .selectFrom('events')
    .select(['name', 'customer_id', 'payload'])
    .where('name', '=', name)
    .where('resource_id', '=', subscription.uuid)
    .execute();
}

/** As many calls at once, by turns at each of the APIs. */
async function atOnce(count: number, above: Above, apis: readonly TestApi[]) {
  const calls = Array.from({ length: count }, (_, index) => createRoom(above, apis[index % apis.length]));
  const outcomes = await Promise.allSettled(calls);
  return {
    made: outcomes.filter(({ status }) => status === 'fulfilled').length,
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
  'of 200 rooms that are made at once under a limit of 25 exactly 25 come to be, over %i processes',
  async (processes) => {
    const above = await anAccount({ max_rooms: '25' });
    const apis = [api];
    while (apis.length < processes) {
      const another = await api.another();
      onTestFinished(() => another.close());
      apis.push(another);
    }
    const { made, refusals } = await atOnce(200, above, apis);
    expect(made).toBe(25);
    expect(refusals).toHaveLength(175);
    for (const { status, code, message, errors } of refusals) {
      expect([status, code]).toEqual([422, 'feature-limit-reached']);
      expect(message).toContain('max_rooms');
      expect(message).toContain('25 of 25');
      expect(Object.keys(errors)).toEqual(['max_rooms']);
    }
    expect(await countRooms(above)).toBe(25);
    expect(await usageOf(above, 'max_rooms')).toBe(25);
    expect(await eventsNamed('subscription.limit_reached', above)).toEqual([
      {
        name: 'subscription.limit_reached',
        customer_id: above.customer.uuid,
        payload: { tag: 'max_rooms', limit: '25', used: 25 },
      },
    ]);
  },
);

test('the limit holds over all accounts of a subscription', async () => {
  const above = await anAccount({ max_rooms: '3' });
  const { data: second } = await api.admin.createAccount({
    body: { account_name: 'Second', subscription_id: above.subscription.id },
  });
  const calls = Array.from({ length: 12 }, (_, index) => createRoom(index % 2 === 0 ? above : { account: second }));
  const made = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled');
  expect(made).toHaveLength(3);
  expect(await usageOf(above, 'max_rooms')).toBe(3);
});

test('accounts made at once keep to max_accounts', async () => {
  const above = await anAccount({ max_accounts: '5' });
  const body = { account_name: 'More', subscription_id: above.subscription.id };
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => api.admin.createAccount({ body })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  expect(await usageOf(above, 'max_accounts')).toBe(5);
});

test('a creation that fails leaves no usage', async () => {
  const above = await anAccount();
  const body = { room_name: 'Room', account_id: above.account.id };
  const faulty = [
    { ...body, slug: '!!!' },
    { ...body, room_settings: { mute_on_start: 'loud' } },
    { ...body, room_features: { recording: 'perhaps' } },
    { ...body, room_type: 'live' as const },
  ];
  for (const wrong of faulty) expect((await refusalOf(api.admin.createRoom({ body: wrong }))).status).toBe(422);
  expect(await usageOf(above, 'max_rooms')).toBe(0);
  expect(await countRooms(above)).toBe(0);
});

test('a refusal by the limit leaves neither room nor usage nor event', async () => {
  const above = await anAccount({ max_rooms: '1' });
  await createRoom(above);
  const { db } = api.house.dependencies;
  const countEvents = () => db.selectFrom('events').select('id').execute();
  const before = (await countEvents()).length;
  await refusalOf(createRoom(above));
  expect((await countEvents()).length).toBe(before);
  expect(await usageOf(above, 'max_rooms')).toBe(1);
});

test('what is deleted is released, and can be made again', async () => {
  const above = await anAccount({ max_rooms: '2' });
  const first = await createRoom(above);
  await createRoom(above);
  expect((await refusalOf(createRoom(above))).code).toBe('feature-limit-reached');
  const params = { room_id: first.data.id };
  const deletions = await Promise.allSettled(Array.from({ length: 5 }, () => api.admin.deleteRoom({ params })));
  expect(deletions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await usageOf(above, 'max_rooms')).toBe(1);
  await createRoom(above);
  expect(await usageOf(above, 'max_rooms')).toBe(2);
});

test('making and deleting at once ends with what is there', async () => {
  const above = await anAccount({ max_rooms: '10' });
  const rooms = await Promise.all(Array.from({ length: 10 }, () => createRoom(above)));
  await Promise.allSettled([
    ...rooms.map(({ data }) => api.admin.deleteRoom({ params: { room_id: data.id } })),
    ...Array.from({ length: 20 }, () => createRoom(above)),
  ]);
  const left = await countRooms(above);
  expect(left).toBeLessThanOrEqual(10);
  expect(await usageOf(above, 'max_rooms')).toBe(left);
});

test('usage never falls below zero', async () => {
  const above = await anAccount();
  const { data: room } = await createRoom(above);
  await api.house.dependencies.db
    .updateTable('subscription_usages')
    .set({ used: 0 })
    .where('subscription_id', '=', above.subscription.uuid)
    .execute();
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  expect(await usageOf(above, 'max_rooms')).toBe(0);
});

test.each([
  ['a feature that the subscription does not have', null, 'feature-not-sold'],
  ['a limit of 0', '0', 'feature-limit-reached'],
])('%s allows none', async (_, value, code) => {
  const features: Record<string, string> = { ...soldFeatures };
  if (value === null) delete features['max_rooms'];
  else features['max_rooms'] = value;
  const above = await makeAccount(api, { features });
  const refusal = await refusalOf(createRoom(above));
  expect([refusal.status, refusal.code]).toEqual([422, code]);
  expect(refusal.message).toContain('max_rooms');
});

test('an unlimited feature is counted and never refused', async () => {
  const above = await anAccount({ max_rooms: 'unlimited' });
  const { made } = await atOnce(30, above, [api]);
  expect(made).toBe(30);
  expect(await usageOf(above, 'max_rooms')).toBe(30);
  expect(await eventsNamed('subscription.limit_reached', above)).toEqual([]);
});

test('a limit that is raised lets more in, and one that is lowered below what is used keeps what is there', async () => {
  const above = await anAccount({ max_rooms: '2' });
  await createRoom(above);
  await createRoom(above);
  const params = { subscription_id: above.subscription.id };
  const { data: features } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
  const feature = features.find(({ tag }) => tag === 'max_rooms');
  const featureParams = { ...params, feature_id: feature?.id ?? '' };
  await api.admin.updateSubscriptionFeature({ params: featureParams, body: { value: 3 } });
  await createRoom(above);
  await api.admin.updateSubscriptionFeature({ params: featureParams, body: { value: 1 } });
  const refusal = await refusalOf(createRoom(above));
  expect(refusal.message).toContain('3 of 1');
  expect(await countRooms(above)).toBe(3);
});
