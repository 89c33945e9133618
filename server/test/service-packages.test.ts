import { features as catalogue } from '@foyer/contract/resources/packages/features.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makePackage, makeProvider, refusalOf, unique } from './factories.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

function create(body: Record<string, unknown> = {}) {
  return api.admin.createServicePackage({ body: { name: unique('Package'), ...body } });
}

async function createTestPackage(body: Record<string, unknown> = {}) {
  const { data } = await create(body);
  return { servicePackage: data, params: { service_package_id: data.id } };
}

type Params = { service_package_id: string };

function patch(params: Params, body: Record<string, unknown>) {
  return api.admin.updateServicePackage({ params, body });
}

const missingParams = { service_package_id: 'pkg_01jd0000000000000000000000' };

describe('a service package', () => {
  test('has sensible default terms if only its name is sent', async () => {
    const { servicePackage } = await createTestPackage({ name: 'Große Räume' });
    expect(servicePackage).toMatchObject({
      object: 'ServicePackage',
      name: 'Große Räume',
      service_type: 'meet',
      status: 'active',
      hidden: false,
      retired: false,
      has_stock: false,
      stock_qty: null,
      price: 0,
      signup_fee: 0,
      periodicity: 1,
      periodicity_type: 'month',
      trial_period: 0,
      trial_mode: 'outside',
      grace_period: 0,
      package_settings: {},
      package_metadata: {},
    });
    expect(servicePackage.tag).toMatch(/^grosse-raeume-[a-z0-9]{6}$/);
  });

  test('is created, read, listed, changed and deleted', async () => {
    const fields = {
      tag: unique('gold'),
      description: 'Two\nlines',
      short_description: 'Short',
      price: 19.9,
      signup_fee: 5,
      currency: 'EUR',
      tier: 2,
      sort_order: 1,
      periodicity: 3,
      periodicity_type: 'week',
      trial_period: 10,
      trial_interval: 'day',
      trial_mode: 'inside',
      grace_period: 1,
      grace_interval: 'week',
      hidden: true,
      package_settings: { a: { b: 1 } },
      package_metadata: { c: [1, 2] },
    };
    const { servicePackage, params } = await createTestPackage(fields);
    expect(servicePackage).toMatchObject(fields);
    expect((await api.admin.readServicePackage({ params })).data).toEqual(servicePackage);
    const { data: listed } = await api.admin.listServicePackages({ query: { search: `tag:${fields.tag}` } });
    expect(listed).toEqual([servicePackage]);
    const { data } = await patch(params, { price: 25, tier: null, package_settings: null, description: '' });
    expect(data).toMatchObject({ price: 25, tier: null, package_settings: {}, description: null, tag: fields.tag });
    await api.admin.deleteServicePackage({ params });
    expect((await refusalOf(api.admin.readServicePackage({ params }))).status).toBe(404);
  });

  test.each([
    [{ name: ' ' }, ['name']],
    [{ price: -1 }, ['price']],
    [{ price: 0.00001 }, ['price']],
    [{ currency: 'EURO' }, ['currency']],
    [{ periodicity: 0 }, ['periodicity']],
    [{ periodicity_type: 'decade', trial_mode: 'beside' }, ['periodicity_type', 'trial_mode']],
    [{ status: 'retired' }, ['status']],
    [{ has_stock: true }, ['stock_qty']],
    [{ stock_qty: -1 }, ['stock_qty']],
    [{ package_metadata: { a: { b: { c: 1 } } } }, ['package_metadata.a']],
    [{ service_type: 'phone' }, ['service_type']],
  ])('is rejected with %j', async (body, fields) => {
    const refusal = await refusalOf(create(body));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields.toSorted()]);
  });

  test('has a unique tag, also with concurrent requests', async () => {
    const tag = unique('wanted');
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create({ tag })));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toHaveLength(7);
    for (const refusal of refusals as { status: number; errors: object }[]) {
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['tag']]);
    }
    const { params, servicePackage } = await createTestPackage();
    expect(Object.keys((await refusalOf(patch(params, { tag }))).errors)).toEqual(['tag']);
    expect((await patch(params, { tag: servicePackage.tag })).data.tag).toBe(servicePackage.tag);
  });

  test('with stock always has a quantity', async () => {
    const { params } = await createTestPackage();
    expect(Object.keys((await refusalOf(patch(params, { has_stock: true }))).errors)).toEqual(['stock_qty']);
    expect((await patch(params, { has_stock: true, stock_qty: 3 })).data).toMatchObject({
      has_stock: true,
      stock_qty: 3,
    });
    expect(Object.keys((await refusalOf(patch(params, { stock_qty: null }))).errors)).toEqual(['stock_qty']);
    expect((await patch(params, { has_stock: false, stock_qty: null })).data).toMatchObject({ stock_qty: null });
  });

  test('with subscriptions is not deleted', async () => {
    const { servicePackage, subscription } = await makeAccount(api);
    const params = { service_package_id: servicePackage.id };
    const refusal = await refusalOf(api.admin.deleteServicePackage({ params }));
    expect([refusal.status, refusal.code]).toEqual([409, 'package-in-use']);
    await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'inactive' } });
    await api.admin.deleteSubscription({ params: { subscription_id: subscription.id } });
    await api.admin.deleteServicePackage({ params });
  });

  test('that does not exist is a 404 for every call', async () => {
    const calls = [
      api.admin.readServicePackage({ params: missingParams }),
      patch(missingParams, { price: 1 }),
      api.admin.deleteServicePackage({ params: missingParams }),
      api.admin.listServicePackageFeatures({ params: missingParams }),
      api.admin.createServicePackageFeature({ params: missingParams, body: { tag: 'polls', value: true } }),
      api.admin.listServicePackageProviders({ params: missingParams }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
  });
});

describe('features of a package', () => {
  const add = (params: Params, body: Record<string, unknown>) =>
    api.admin.createServicePackageFeature({ params, body: body as never });

  test.each([
    [{ tag: 'max_rooms', value: 5 }, '5'],
    [{ tag: 'max_rooms', value: '007' }, '7'],
    [{ tag: 'max_rooms', value: -1 }, 'unlimited'],
    [{ tag: 'max_rooms', value: true }, 'unlimited'],
    [{ tag: 'max_rooms', value: ' Unlimited ' }, 'unlimited'],
    [{ tag: 'recording', value: 'Y' }, 'true'],
    [{ tag: 'recording', value: 0 }, 'false'],
    [{ service_feature_code: 'recording', value: 'n' }, 'false'],
  ])('%j is stored as %s', async (body, value) => {
    const { params, servicePackage } = await createTestPackage();
    const { data } = await add(params, body);
    expect(data).toMatchObject({ object: 'ServicePackageFeature', package_id: servicePackage.id, value });
    expect(data.name).not.toBe('');
    const featureParams = { ...params, feature_id: data.id };
    expect((await api.admin.readServicePackageFeature({ params: featureParams })).data).toEqual(data);
  });

  test.each([
    [{ tag: 'teleport', value: 1 }, ['tag']],
    [{ service_feature_code: 'teleport', value: 1 }, ['service_feature_code']],
    [{ value: 1 }, ['tag']],
    [{ tag: 'max_rooms', value: 'many' }, ['value']],
    [{ tag: 'max_rooms', value: 1.5 }, ['value']],
    [{ tag: 'max_rooms', value: -2 }, ['value']],
    [{ tag: 'recording', value: 'perhaps' }, ['value']],
    [{ tag: 'max_rooms', value: 1, resettable_period: 1, resettable_interval: 'hour' }, ['resettable_interval']],
  ])('%j is rejected', async (body, fields) => {
    const { params } = await createTestPackage();
    const refusal = await refusalOf(add(params, body));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, fields]);
  });

  test('have the reset period of the catalogue by default', async () => {
    const { params } = await createTestPackage();
    const { data } = await add(params, { tag: 'participant_minutes', value: 100 });
    expect(data).toMatchObject({ resettable_period: 1, resettable_interval: 'month' });
    const featureParams = { ...params, feature_id: data.id };
    const change = (body: Record<string, unknown>) =>
      api.admin.updateServicePackageFeature({ params: featureParams, body });
    expect((await change({ resettable_period: 2, resettable_interval: 'week' })).data).toMatchObject({
      resettable_period: 2,
      resettable_interval: 'week',
    });
    expect((await change({ resettable_period: 0, resettable_interval: null })).data).toMatchObject({
      resettable_period: 0,
      resettable_interval: 'month',
      value: '100',
    });
  });

  test('have the reset interval "month" by default', async () => {
    const { params } = await createTestPackage();
    const created = await add(params, { tag: 'max_rooms', value: 1, resettable_period: 1 });
    expect(created.data).toMatchObject({ resettable_period: 1, resettable_interval: 'month' });
    expect((await add(params, { tag: 'recording', value: true })).data).toMatchObject({
      resettable_period: 0,
      resettable_interval: 'month',
    });
  });

  test('exist once per tag, also with concurrent requests', async () => {
    const { params } = await createTestPackage();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, value) => add(params, { tag: 'max_rooms', value })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusal = await refusalOf(add(params, { tag: 'max_rooms', value: 1 }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['tag']]);
    // `service_feature_code` is another name of `tag`.
    const codeRefusal = await refusalOf(add(params, { service_feature_code: 'max_rooms', value: 1 }));
    expect([codeRefusal.status, Object.keys(codeRefusal.errors)]).toEqual([422, ['service_feature_code']]);
  });

  test.each([false, 'N', '1e3', '0x10', '9007199254740993', '', null, [5], {}])(
    'that are limits cannot have the value %j',
    async (value) => {
      const { params } = await createTestPackage();
      const added = await refusalOf(add(params, { tag: 'max_rooms', value }));
      expect([added.status, Object.keys(added.errors)]).toEqual([422, ['value']]);
      const { data } = await add(params, { tag: 'max_rooms', value: 3 });
      const featureParams = { ...params, feature_id: data.id };
      const body = { value } as never;
      const changed = await refusalOf(api.admin.updateServicePackageFeature({ params: featureParams, body }));
      expect([changed.status, Object.keys(changed.errors)]).toEqual([422, ['value']]);
      expect((await api.admin.readServicePackageFeature({ params: featureParams })).data.value).toBe('3');
    },
  );

  test.each(['constructor', '__proto__', 'toString', 'MAX_ROOMS', '', null])('cannot have the tag %j', async (tag) => {
    const { params } = await createTestPackage();
    const refusal = await refusalOf(add(params, { tag, value: 1 }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['tag']]);
  });

  test('can be changed, except for their tag, and removed', async () => {
    const { params } = await createTestPackage();
    const { data } = await add(params, { tag: 'max_rooms', value: 1 });
    const featureParams = { ...params, feature_id: data.id };
    const change = (body: Record<string, unknown>) =>
      api.admin.updateServicePackageFeature({ params: featureParams, body });
    expect((await change({ value: 9, name: 'Rooms!', sort_order: 4, tag: 'max_rooms' })).data).toMatchObject({
      id: data.id,
      value: '9',
      name: 'Rooms!',
      sort_order: 4,
    });
    expect(Object.keys((await refusalOf(change({ tag: 'polls' }))).errors)).toEqual(['tag']);
    expect(Object.keys((await refusalOf(change({ value: 'x' }))).errors)).toEqual(['value']);
    const other = await createTestPackage();
    const wrongParams = { ...other.params, feature_id: data.id };
    expect((await refusalOf(api.admin.deleteServicePackageFeature({ params: wrongParams }))).status).toBe(404);
    await api.admin.deleteServicePackageFeature({ params: featureParams });
    expect((await api.admin.listServicePackageFeatures({ params })).data).toEqual([]);
  });
});

describe('providers of a package', () => {
  const add = (params: Params, body: { service_provider_id: string; default?: boolean; active?: boolean }) =>
    api.admin.createServicePackageProvider({ params, body });
  const list = async (params: Params) => (await api.admin.listServicePackageProviders({ params })).data;
  const change = (params: Params, id: string, body: Record<string, unknown>) =>
    api.admin.updateServicePackageProvider({ params: { ...params, provider_id: id }, body });
  const remove = (params: Params, id: string) =>
    api.admin.deleteServicePackageProvider({ params: { ...params, provider_id: id } });

  async function createWithTwoProviders() {
    const servicePackage = await createTestPackage();
    const { data: first } = await add(servicePackage.params, { service_provider_id: (await makeProvider(api)).id });
    const { data: second } = await add(servicePackage.params, { service_provider_id: (await makeProvider(api)).id });
    return { ...servicePackage, first, second };
  }

  test('have the first one as the default', async () => {
    const { first, second, servicePackage } = await createWithTwoProviders();
    expect(first).toMatchObject({
      object: 'ServicePackageProvider',
      package_id: servicePackage.id,
      service_provider_type: 'bigbluebutton',
      active: true,
      default: true,
      settings: [],
      metadata: {},
    });
    expect(second.default).toBe(false);
  });

  test('always have exactly one default', async () => {
    const { params, first, second } = await createWithTwoProviders();
    await change(params, second.id, { default: true });
    const defaults = async () => (await list(params)).filter((row) => row.default).map(({ id }) => id);
    expect(await defaults()).toEqual([second.id]);
    const refusal = await refusalOf(change(params, second.id, { default: false }));
    expect([refusal.status, refusal.code]).toEqual([409, 'default-provider-required']);
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => change(params, [first, second][n % 2]?.id ?? '', { default: true })),
    );
    expect(await defaults()).toHaveLength(1);
    const third = await add(params, { service_provider_id: (await makeProvider(api)).id, default: true });
    expect(await defaults()).toEqual([third.data.id]);
  });

  test('have one default when the first ones are added concurrently', async () => {
    for (const options of [{}, { default: true }]) {
      const { params } = await createTestPackage();
      const providers = await Promise.all(Array.from({ length: 6 }, () => makeProvider(api)));
      await Promise.all(providers.map(({ id }) => add(params, { service_provider_id: id, ...options })));
      const rows = await list(params);
      expect(rows).toHaveLength(6);
      expect(rows.filter((row) => row.default)).toHaveLength(1);
    }
  });

  test('are unique and must exist', async () => {
    const { params, first } = await createWithTwoProviders();
    for (const id of [first.service_provider_id, 'prov_01jd0000000000000000000000', 'x']) {
      const refusal = await refusalOf(add(params, { service_provider_id: id }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['service_provider_id']]);
    }
  });

  test('cannot change their service provider', async () => {
    const { params, first, second } = await createWithTwoProviders();
    const body = { service_provider_id: second.service_provider_id };
    const refusal = await refusalOf(change(params, first.id, body));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['service_provider_id']]);
  });

  test('are removed only when inactive and not the default', async () => {
    const { params, first, second } = await createWithTwoProviders();
    expect((await refusalOf(remove(params, second.id))).code).toBe('provider-active-or-default');
    await change(params, first.id, { active: false });
    const refusal = await refusalOf(remove(params, first.id));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-active-or-default']);
    await change(params, second.id, { active: false, settings: { a: 1 } });
    await remove(params, second.id);
    expect((await list(params)).map(({ id }) => id)).toEqual([first.id]);
  });

  test('are not removed while a subscription of the package uses them', async () => {
    const { servicePackage, subscription } = await makeAccount(api);
    const params = { service_package_id: servicePackage.id };
    const [used] = await list(params);
    await add(params, { service_provider_id: (await makeProvider(api)).id, default: true });
    await change(params, used?.id ?? '', { active: false });
    const refusal = await refusalOf(remove(params, used?.id ?? ''));
    expect([refusal.status, refusal.code]).toEqual([409, 'package-provider-in-use']);
    await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'inactive' } });
    await api.admin.deleteSubscription({ params: { subscription_id: subscription.id } });
    await remove(params, used?.id ?? '');
  });
});

test('features and providers of a package can be included', async () => {
  const servicePackage = await makePackage(api, { features: { max_rooms: '1' } });
  const params = { service_package_id: servicePackage.id };
  const { data } = await api.admin.readServicePackage({
    params,
    query: { include: 'features,providers,subscriptions' },
  });
  expect(data).toMatchObject({
    features: { data: [{ tag: 'max_rooms', value: '1' }] },
    providers: { data: [{ default: true }] },
    subscriptions: { data: [] },
  });
});

test('features and providers of another package are not found', async () => {
  const otherPackage = await makePackage(api, { features: { polls: 'true' } });
  const { params } = await createTestPackage();
  const otherParams = { service_package_id: otherPackage.id };
  const [feature] = (await api.admin.listServicePackageFeatures({ params: otherParams })).data;
  const [provider] = (await api.admin.listServicePackageProviders({ params: otherParams })).data;
  const featureParams = { ...params, feature_id: feature?.id ?? '' };
  const providerParams = { ...params, provider_id: provider?.id ?? '' };
  const calls = [
    api.admin.readServicePackageFeature({ params: featureParams }),
    api.admin.updateServicePackageFeature({ params: featureParams, body: { value: false } }),
    api.admin.deleteServicePackageFeature({ params: featureParams }),
    api.admin.readServicePackageProvider({ params: providerParams }),
    api.admin.updateServicePackageProvider({ params: providerParams, body: { active: false } }),
    api.admin.deleteServicePackageProvider({ params: providerParams }),
  ];
  for (const refusal of await Promise.all(calls.map(refusalOf))) {
    expect([refusal.status, refusal.code]).toEqual([404, 'not-found']);
  }
  expect((await api.admin.listServicePackageFeatures({ params: otherParams })).data).toEqual([feature]);
  expect((await api.admin.listServicePackageProviders({ params: otherParams })).data).toEqual([provider]);
});

describe('the catalogue of features', () => {
  test('lists all features in order, for every authenticated caller', async () => {
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
      service_types: ['video', 'live', 'meet', 'simulcast'],
    });
    expect((await refusalOf(api.anyone.listFeatures())).status).toBe(401);
  });

  test('is searched, ordered, filtered and paged like every list', async () => {
    const codes = async (query: Record<string, string | number>) =>
      (await api.admin.listFeatures({ query })).data.map(({ code }) => code);
    expect(await codes({ search: 'value_type:flag', limit: 100 })).toEqual(
      catalogue.filter(({ valueType }) => valueType === 'flag').map(({ code }) => code),
    );
    expect(await codes({ search: 'consumable:true', orderBy: 'code', sortedBy: 'desc' })).toEqual([
      'viewer_minutes',
      'transcoding_minutes',
      'stream_minutes',
      'participant_minutes',
      'max_videos',
      'max_rooms',
      'max_outputs',
      'max_accounts',
    ]);
    expect(await codes({ search: 'write CHAT' })).toEqual(['public_chat', 'private_chat']);
    expect(await codes({ search: 'write teleport' })).toEqual([]);
    expect(await codes({ search: 'code:max_;unit:rooms', searchJoin: 'and' })).toEqual(['max_rooms']);
    const { data, meta } = await api.admin.listFeatures({ query: { limit: 5, page: 2, filter: 'code' } });
    expect(data).toEqual(catalogue.slice(5, 10).map(({ code }) => ({ code })));
    expect(meta.pagination).toMatchObject({ total: catalogue.length, count: 5, current_page: 2 });
    const next = await codes({ limit: 5, cursor: meta.pagination?.next_cursor ?? '' });
    expect(next).toEqual(catalogue.slice(10, 15).map(({ code }) => code));
    const refusal = await refusalOf(api.admin.listFeatures({ query: { orderBy: 'service_types' } }));
    expect([refusal.status, refusal.code]).toEqual([422, 'unknown-query-field']);
  });
});
