import { features as catalogue } from '@foyer/contract/features.ts';
import type { ServicePackageProvider } from '@foyer/contract/service-package.ts';
import type { ResourceObject } from '@foyer/contract/resource.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makePackage, makeProvider, refusalOf, unique } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function create(body: Record<string, unknown> = {}) {
  return (await api.admin.createServicePackage({ body: { name: unique('Package'), ...body } })).data;
}

async function addFeature(id: string, body: Record<string, unknown>) {
  const params = { service_package_id: id };
  return (await api.admin.createServicePackageFeature({ params, body: body as never })).data;
}

async function attach(id: string, body: Record<string, unknown> = {}) {
  const provider = await makeProvider(api);
  const answer = await api.admin.createServicePackageProvider({
    params: { service_package_id: id },
    body: { service_provider_id: provider.id, ...body },
  });
  return answer.data;
}

async function defaultsOf(id: string): Promise<string[]> {
  const { data } = await api.admin.listServicePackageProviders({ params: { service_package_id: id } });
  return data.filter((row) => row.default).map((row) => row.id);
}

test('a package of which only the name is given has the defaults of everything else', async () => {
  expect(await create({ name: 'Größe & Co.' })).toMatchObject({
    object: 'ServicePackage',
    id: expect.stringMatching(/^pkg_/),
    name: 'Größe & Co.',
    tag: expect.stringMatching(/^groesse-and-co-[a-z0-9]{6}$/),
    description: null,
    short_description: null,
    service_type: 'meet',
    status: 'active',
    hidden: false,
    retired: false,
    has_stock: false,
    stock_qty: null,
    price: 0,
    signup_fee: 0,
    currency: 'USD',
    tier: null,
    sort_order: null,
    periodicity: 1,
    periodicity_type: 'month',
    trial_period: 0,
    trial_interval: 'day',
    trial_mode: 'outside',
    grace_period: 0,
    grace_interval: 'day',
    package_settings: {},
    package_metadata: {},
  });
});

test('a package is created, read, listed, changed and deleted', async () => {
  const body = {
    name: 'Whole',
    tag: 'whole',
    description: 'Two\nlines',
    short_description: 'One line',
    status: 'inactive',
    hidden: true,
    retired: true,
    has_stock: true,
    stock_qty: 3,
    price: 12.3456,
    signup_fee: 0.1,
    currency: 'EUR',
    tier: 2,
    sort_order: 9,
    periodicity: 2,
    periodicity_type: 'week',
    trial_period: 14,
    trial_interval: 'day',
    trial_mode: 'inside',
    grace_period: 1,
    grace_interval: 'week',
    package_settings: { color: 'blue' },
    package_metadata: { sold_by: ['web', 'phone'] },
  };
  const made = await create(body);
  expect(made).toMatchObject(body);
  const params = { service_package_id: made.id };
  expect((await api.admin.readServicePackage({ params })).data).toEqual(made);
  expect((await api.admin.listServicePackages({ query: { search: `id:${made.id}` } })).data).toEqual([made]);
  const changes = { name: 'Partly', price: 1, short_description: null, tier: null, package_settings: null };
  const { data: changed } = await api.admin.updateServicePackage({ params, body: changes });
  expect(changed).toMatchObject({ ...body, ...changes, package_settings: {} });
  await api.admin.deleteServicePackage({ params });
  const refusals = await Promise.all(
    [
      api.admin.readServicePackage({ params }),
      api.admin.updateServicePackage({ params, body: { name: 'Ghost' } }),
      api.admin.deleteServicePackage({ params }),
      api.admin.listServicePackageFeatures({ params }),
      api.admin.listServicePackageProviders({ params }),
      api.admin.createServicePackageFeature({ params, body: { tag: 'polls', value: true } }),
    ].map(refusalOf),
  );
  expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
});

test('a package whose name has no letters still gets a tag', async () => {
  expect((await create({ name: '🚀🚀' })).tag).toMatch(/^[a-z0-9-]+$/);
});

test('every fault of a package is named at once', async () => {
  const refusal = await refusalOf(
    create({
      name: ' ',
      service_type: 'phone',
      status: 'sold',
      price: -1,
      signup_fee: 0.00001,
      currency: 'EURO',
      periodicity: 0,
      periodicity_type: 'hour',
      trial_period: -1,
      trial_mode: 'beside',
      grace_period: 1.5,
      stock_qty: -1,
      hidden: 'maybe',
      package_metadata: { deep: { deeper: {} } },
    }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors).sort()).toEqual([
    'currency',
    'grace_period',
    'hidden',
    'name',
    'package_metadata.deep',
    'periodicity',
    'periodicity_type',
    'price',
    'service_type',
    'signup_fee',
    'status',
    'stock_qty',
    'trial_mode',
    'trial_period',
  ]);
});

test('a tag belongs to one package, on creation and in a change', async () => {
  const first = await create({ tag: 'taken' });
  const second = await create({ tag: 'free' });
  const refusal = await refusalOf(create({ tag: 'taken' }));
  expect([refusal.status, refusal.errors]).toEqual([422, { tag: ['The tag has already been taken.'] }]);
  const params = { service_package_id: second.id };
  const changed = await refusalOf(api.admin.updateServicePackage({ params, body: { tag: 'taken' } }));
  expect([changed.status, Object.keys(changed.errors)]).toEqual([422, ['tag']]);
  const own = await api.admin.updateServicePackage({
    params: { service_package_id: first.id },
    body: { tag: 'taken', name: 'Itself' },
  });
  expect(own.data).toMatchObject({ tag: 'taken', name: 'Itself' });
  const cleared = await refusalOf(api.admin.updateServicePackage({ params, body: { tag: null } as never }));
  expect(Object.keys(cleared.errors)).toEqual(['tag']);
});

test('of many that ask for one tag at the same time one gets it, and the others are told of the tag', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create({ tag: 'raced-for' })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      expect(outcome.reason).toMatchObject({ status: 422, errors: { tag: ['The tag has already been taken.'] } });
    }
  }
  const [one, other] = await Promise.all([create(), create()]);
  const renamed = await Promise.allSettled(
    [one, other].map(({ id }) =>
      api.admin.updateServicePackage({ params: { service_package_id: id }, body: { tag: 'raced-for-again' } }),
    ),
  );
  expect(renamed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(renamed.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { status: 422, errors: { tag: ['The tag has already been taken.'] } },
  });
});

test('a stock needs a quantity, given or stored', async () => {
  for (const body of [{ has_stock: true }, { has_stock: true, stock_qty: null }]) {
    expect(Object.keys((await refusalOf(create(body))).errors)).toEqual(['stock_qty']);
  }
  const made = await create();
  const params = { service_package_id: made.id };
  const update = async (body: Record<string, unknown>) => (await api.admin.updateServicePackage({ params, body })).data;
  expect((await refusalOf(update({ has_stock: true }))).status).toBe(422);
  expect(await update({ has_stock: true, stock_qty: 0 })).toMatchObject({ has_stock: true, stock_qty: 0 });
  expect((await refusalOf(update({ stock_qty: null }))).status).toBe(422);
  expect(await update({ has_stock: false, stock_qty: null })).toMatchObject({ has_stock: false, stock_qty: null });
});

test('a stock is sold down to nothing and never below, however many buy at once', async () => {
  const servicePackage = await makePackage(api, { features: {}, body: { has_stock: true, stock_qty: 3 } });
  const customer = await makeCustomer(api);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () =>
      api.admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } }),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      expect(outcome.reason).toMatchObject({ status: 422, code: 'package-not-available' });
    }
  }
  const params = { service_package_id: servicePackage.id };
  expect((await api.admin.readServicePackage({ params })).data.stock_qty).toBe(0);
});

test('a package that subscriptions are based on is not deleted', async () => {
  const { servicePackage } = await makeAccount(api);
  const params = { service_package_id: servicePackage.id };
  const refusal = await refusalOf(api.admin.deleteServicePackage({ params }));
  expect([refusal.status, refusal.code]).toEqual([409, 'package-in-use']);
  const { data } = await api.admin.readServicePackage({ params, query: { include: 'features,providers' } });
  expect(data).toMatchObject({ features: { data: { length: 5 } }, providers: { data: { length: 1 } } });
});

test('a package is deleted with its features and providers', async () => {
  const provider = await makeProvider(api);
  const servicePackage = await makePackage(api, { provider: provider.id });
  await api.admin.deleteServicePackage({ params: { service_package_id: servicePackage.id } });
  await api.admin.deleteServiceProvider({ params: { service_provider_id: provider.id } });
  const left = await api.house.dependencies.db
    .selectFrom('service_package_features')
    .select('id')
    .where('package_id', '=', servicePackage.uuid)
    .execute();
  expect(left).toEqual([]);
});

test('a feature is added by its code, with the words of the catalogue, and read, listed, changed and removed', async () => {
  const { id } = await create();
  const feature = await addFeature(id, { tag: 'max_rooms', value: 5 });
  expect(feature).toMatchObject({
    object: 'ServicePackageFeature',
    id: expect.stringMatching(/^pkgfeat_/),
    package_id: id,
    tag: 'max_rooms',
    name: 'Rooms',
    description: 'Rooms over all accounts.',
    value: '5',
    resettable_period: 0,
    resettable_interval: null,
    sort_order: null,
  });
  const params = { service_package_id: id, feature_id: feature.id };
  expect((await api.admin.readServicePackageFeature({ params })).data).toEqual(feature);
  expect((await api.admin.listServicePackageFeatures({ params })).data).toEqual([feature]);
  const { data: changed } = await api.admin.updateServicePackageFeature({
    params,
    body: { value: 'unlimited', name: 'Halls', description: null, sort_order: 4, tag: 'max_rooms' } as never,
  });
  expect(changed).toMatchObject({ value: 'unlimited', name: 'Halls', description: null, sort_order: 4 });
  const immutable = await refusalOf(
    api.admin.updateServicePackageFeature({ params, body: { tag: 'max_accounts' } as never }),
  );
  expect([immutable.status, Object.keys(immutable.errors)]).toEqual([422, ['tag']]);
  await api.admin.deleteServicePackageFeature({ params });
  expect((await refusalOf(api.admin.readServicePackageFeature({ params }))).status).toBe(404);
  expect((await refusalOf(api.admin.deleteServicePackageFeature({ params }))).status).toBe(404);
  expect((await addFeature(id, { tag: 'max_rooms', value: 1 })).value).toBe('1');
});

test('service_feature_code is taken for the tag, and named when it is at fault', async () => {
  const { id } = await create();
  expect((await addFeature(id, { service_feature_code: 'polls', value: true })).tag).toBe('polls');
  const refusal = await refusalOf(addFeature(id, { service_feature_code: 'teleport', value: true }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['service_feature_code']]);
});

test('only codes of the catalogue are features', async () => {
  const { id } = await create();
  for (const tag of ['teleport', 'MAX_ROOMS', 'constructor', '__proto__', 'toString', '', null, undefined]) {
    const refusal = await refusalOf(addFeature(id, { tag, value: 1 }));
    expect([tag, refusal.status, Object.keys(refusal.errors)]).toEqual([tag, 422, ['tag']]);
  }
  expect((await api.admin.listServicePackageFeatures({ params: { service_package_id: id } })).data).toEqual([]);
});

test('a package has a feature once, also when it is added many times at the same time', async () => {
  const { id } = await create();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, () => addFeature(id, { tag: 'max_rooms', value: 1 })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      expect(outcome.reason).toMatchObject({
        status: 422,
        errors: { tag: ['The package has this feature already.'] },
      });
    }
  }
  const byCode = await refusalOf(addFeature(id, { service_feature_code: 'max_rooms', value: 2 }));
  expect([byCode.status, Object.keys(byCode.errors)]).toEqual([422, ['service_feature_code']]);
});

test.each([
  [0, '0'],
  [25, '25'],
  ['25', '25'],
  [' 0025 ', '25'],
  ['unlimited', 'unlimited'],
  ['UNLIMITED', 'unlimited'],
  [true, 'unlimited'],
  ['true', 'unlimited'],
  [-1, 'unlimited'],
  ['-1', 'unlimited'],
  [9_007_199_254_740_991, '9007199254740991'],
])('the limit %j is kept as %s', async (value, kept) => {
  const { id } = await create();
  const feature = await addFeature(id, { tag: 'max_rooms', value: 3 });
  const params = { service_package_id: id, feature_id: feature.id };
  expect((await api.admin.updateServicePackageFeature({ params, body: { value } })).data.value).toBe(kept);
  const other = await create();
  expect((await addFeature(other.id, { tag: 'max_rooms', value })).value).toBe(kept);
});

test.each([-2, 1.5, '1.5', 'many', '1e3', false, 'N', '', null, [5], {}, '9007199254740993', '0x10'])(
  'the limit %j is refused',
  async (value) => {
    const { id } = await create();
    const refusal = await refusalOf(addFeature(id, { tag: 'max_rooms', value }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['value']]);
    const feature = await addFeature(id, { tag: 'max_rooms', value: 3 });
    const params = { service_package_id: id, feature_id: feature.id };
    const changed = await refusalOf(api.admin.updateServicePackageFeature({ params, body: { value } as never }));
    expect([changed.status, Object.keys(changed.errors)]).toEqual([422, ['value']]);
    expect((await api.admin.readServicePackageFeature({ params })).data.value).toBe('3');
  },
);

test.each([
  [true, 'true'],
  ['true', 'true'],
  ['Y', 'true'],
  ['y', 'true'],
  [1, 'true'],
  ['1', 'true'],
  [false, 'false'],
  ['FALSE', 'false'],
  ['N', 'false'],
  [0, 'false'],
  ['0', 'false'],
])('the flag %j is kept as %s', async (value, kept) => {
  const { id } = await create();
  expect((await addFeature(id, { tag: 'recording', value })).value).toBe(kept);
});

test.each([2, -1, 'yes', 'unlimited', '', null, []])('the flag %j is refused', async (value) => {
  const { id } = await create();
  const refusal = await refusalOf(addFeature(id, { tag: 'recording', value }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['value']]);
});

test('a feature that begins again needs the interval in which it does', async () => {
  const { id } = await create();
  const refusal = await refusalOf(addFeature(id, { tag: 'max_rooms', value: 'x', resettable_period: 2 }));
  expect([refusal.status, Object.keys(refusal.errors).sort()]).toEqual([422, ['resettable_interval', 'value']]);
  const feature = await addFeature(id, {
    tag: 'max_rooms',
    value: 1,
    resettable_period: 2,
    resettable_interval: 'week',
  });
  expect(feature).toMatchObject({ resettable_period: 2, resettable_interval: 'week' });
  const params = { service_package_id: id, feature_id: feature.id };
  const update = (body: Record<string, unknown>) => api.admin.updateServicePackageFeature({ params, body });
  expect(Object.keys((await refusalOf(update({ resettable_interval: null }))).errors)).toEqual(['resettable_interval']);
  expect(Object.keys((await refusalOf(update({ resettable_interval: 'hour' }))).errors)).toEqual([
    'resettable_interval',
  ]);
  expect((await update({ resettable_period: 0, resettable_interval: null })).data).toMatchObject({
    resettable_period: 0,
    resettable_interval: null,
  });
  expect(await addFeature(id, { tag: 'participant_minutes', value: 600 })).toMatchObject({
    resettable_period: 1,
    resettable_interval: 'month',
  });
});

test('the catalogue lists every feature in its order, and nobody else reads it', async () => {
  const { data } = await api.admin.listFeatures({ query: { limit: 0 } });
  expect(data.map(({ code }) => code)).toEqual(catalogue.map(({ code }) => code));
  expect(data[0]).toEqual({
    object: 'Feature',
    name: 'Accounts',
    code: 'max_accounts',
    value_type: 'limit',
    unit: 'accounts',
    consumable: true,
    aggregation_type: 'count',
    description: 'Accounts of the subscription.',
    service_types: ['meet'],
  });
  expect((await refusalOf(api.anyone.listFeatures())).status).toBe(401);
});

test('the catalogue speaks the list dialect', async () => {
  const codes = async (query: Record<string, string | number>) =>
    (await api.admin.listFeatures({ query })).data.map(({ code }) => code);
  expect(await codes({ search: 'value_type:flag', limit: 100 })).toEqual(
    catalogue.filter(({ valueType }) => valueType === 'flag').map(({ code }) => code),
  );
  expect(await codes({ search: 'consumable:true', orderBy: 'code', sortedBy: 'desc' })).toEqual([
    'participant_minutes',
    'max_rooms',
    'max_accounts',
  ]);
  expect(await codes({ search: 'write CHAT' })).toEqual(['public_chat', 'private_chat']);
  expect(await codes({ search: 'write teleport' })).toEqual([]);
  expect(await codes({ search: 'private' })).toEqual(['private_chat']);
  expect(await codes({ search: 'code:max_;unit:rooms', searchJoin: 'and' })).toEqual(['max_rooms']);
  const { data, meta } = await api.admin.listFeatures({ query: { limit: 5, page: 2, filter: 'code' } });
  expect(data).toEqual(catalogue.slice(5, 10).map(({ code }) => ({ code })));
  expect(meta.pagination).toMatchObject({ total: catalogue.length, count: 5, current_page: 2 });
  const next = await codes({ limit: 5, cursor: meta.pagination?.next_cursor ?? '' });
  expect(next).toEqual(catalogue.slice(10, 15).map(({ code }) => code));
  expect((await refusalOf(api.admin.listFeatures({ query: { orderBy: 'service_types' } }))).code).toBe(
    'unknown-query-field',
  );
});

test('the first provider becomes the default, later ones do not unless they say so', async () => {
  const { id } = await create();
  const first = await attach(id, { settings: { weight: 2 }, metadata: { a: 1 } });
  expect(first).toMatchObject({
    object: 'ServicePackageProvider',
    id: expect.stringMatching(/^pkgprov_/),
    package_id: id,
    active: true,
    default: true,
    service_provider_type: 'bigbluebutton',
    settings: { weight: 2 },
    metadata: { a: 1 },
  });
  const second = await attach(id, { active: false });
  expect(second).toMatchObject({ active: false, default: false, settings: [], metadata: {} });
  expect(await defaultsOf(id)).toEqual([first.id]);
  const third = await attach(id, { default: true });
  expect(await defaultsOf(id)).toEqual([third.id]);
  const listed = await api.admin.listServicePackageProviders({
    params: { service_package_id: id },
    query: { search: 'default:true', include: 'service_provider,package' },
  });
  expect(listed.data).toMatchObject([
    { id: third.id, service_provider: { data: { id: third.service_provider_id } }, package: { data: { id } } },
  ]);
});

test('the default moves with default:true, and is not given up for nobody', async () => {
  const { id } = await create();
  const [first, second] = [await attach(id), await attach(id)];
  const update = (row: { id: string }, body: Record<string, unknown>) =>
    api.admin.updateServicePackageProvider({ params: { service_package_id: id, provider_id: row.id }, body });
  const given = await refusalOf(update(first, { default: false }));
  expect([given.status, given.code]).toEqual([409, 'default-provider-required']);
  expect((await update(second, { default: false })).data.default).toBe(false);
  expect(await defaultsOf(id)).toEqual([first.id]);
  expect((await update(second, { default: true, settings: { weight: 1 } })).data).toMatchObject({
    default: true,
    settings: { weight: 1 },
  });
  expect(await defaultsOf(id)).toEqual([second.id]);
  expect((await update(second, { settings: null, metadata: null })).data).toMatchObject({ settings: [], metadata: {} });
  const other = await makeProvider(api);
  const immutable = await refusalOf(update(second, { service_provider_id: other.id }));
  expect([immutable.status, Object.keys(immutable.errors)]).toEqual([422, ['service_provider_id']]);
  expect((await update(second, { service_provider_id: second.service_provider_id })).data.id).toBe(second.id);
});

test('exactly one default stays, however many want to be it at the same time', async () => {
  const { id } = await create();
  const rows: ResourceObject<typeof ServicePackageProvider>[] = [];
  for (let index = 0; index < 4; index += 1) rows.push(await attach(id));
  const switches = Array.from({ length: 20 }, (_, index) =>
    api.admin.updateServicePackageProvider({
      params: { service_package_id: id, provider_id: rows[index % rows.length]?.id ?? '' },
      body: { default: true },
    }),
  );
  const joiners = Array.from({ length: 4 }, () => attach(id, { default: true }));
  for (const { data } of await Promise.all(switches)) expect(data.id).toMatch(/^pkgprov_/);
  await Promise.all(joiners);
  expect(await defaultsOf(id)).toHaveLength(1);
});

test('of providers that come first at the same time one is the default', async () => {
  const { id } = await create();
  const rows = await Promise.all(Array.from({ length: 6 }, () => attach(id)));
  expect(rows.filter((row) => row.default)).toHaveLength(1);
  expect(await defaultsOf(id)).toHaveLength(1);
});

test('a provider is detached only when it is neither active nor the default', async () => {
  const { id } = await create();
  const [first, second] = [await attach(id), await attach(id)];
  const remove = (row: { id: string }) =>
    api.admin.deleteServicePackageProvider({ params: { service_package_id: id, provider_id: row.id } });
  const update = (row: { id: string }, body: Record<string, unknown>) =>
    api.admin.updateServicePackageProvider({ params: { service_package_id: id, provider_id: row.id }, body });
  const refused = async (row: { id: string }) => {
    const refusal = await refusalOf(remove(row));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-active-or-default']);
  };
  await refused(first);
  await refused(second);
  await update(second, { active: false });
  await update(second, { default: true });
  await refused(second);
  await update(first, { default: true });
  await remove(second);
  const params = { service_package_id: id, provider_id: second.id };
  expect((await refusalOf(api.admin.readServicePackageProvider({ params }))).status).toBe(404);
  expect(await defaultsOf(id)).toEqual([first.id]);
});

test('a provider that a subscription uses is not detached', async () => {
  const servicePackage = await makePackage(api, { features: {} });
  const [used] = await defaultsOf(servicePackage.id);
  const customer = await makeCustomer(api);
  await api.admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } });
  await attach(servicePackage.id, { default: true });
  const params = { service_package_id: servicePackage.id, provider_id: used ?? '' };
  await api.admin.updateServicePackageProvider({ params, body: { active: false } });
  const refusal = await refusalOf(api.admin.deleteServicePackageProvider({ params }));
  expect([refusal.status, refusal.code]).toEqual([409, 'package-provider-in-use']);
  expect((await api.admin.readServicePackageProvider({ params })).data.id).toBe(used);
});

test('a service provider is attached once, and must exist', async () => {
  const { id } = await create();
  const row = await attach(id);
  const provider = await makeProvider(api);
  await api.admin.deleteServiceProvider({ params: { service_provider_id: provider.id } });
  for (const service_provider_id of [row.service_provider_id, provider.id, id, 'nonsense']) {
    const refusal = await refusalOf(
      api.admin.createServicePackageProvider({ params: { service_package_id: id }, body: { service_provider_id } }),
    );
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['service_provider_id']]);
  }
});

test('features and providers of another package are not found', async () => {
  const [mine, other] = await Promise.all([create(), create()]);
  const feature = await addFeature(mine.id, { tag: 'polls', value: true });
  const provider = await attach(mine.id);
  const featureParams = { service_package_id: other.id, feature_id: feature.id };
  const providerParams = { service_package_id: other.id, provider_id: provider.id };
  const refusals = await Promise.all(
    [
      api.admin.readServicePackageFeature({ params: featureParams }),
      api.admin.updateServicePackageFeature({ params: featureParams, body: { value: false } }),
      api.admin.deleteServicePackageFeature({ params: featureParams }),
      api.admin.readServicePackageProvider({ params: providerParams }),
      api.admin.updateServicePackageProvider({ params: providerParams, body: { default: true } }),
      api.admin.deleteServicePackageProvider({ params: providerParams }),
    ].map(refusalOf),
  );
  expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  const { data } = await api.admin.readServicePackage({
    params: { service_package_id: mine.id },
    query: { include: 'features,providers' },
  });
  expect(data).toMatchObject({
    features: { data: [{ id: feature.id, value: 'true' }] },
    providers: { data: [{ id: provider.id }] },
  });
});
