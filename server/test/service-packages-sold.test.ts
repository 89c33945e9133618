import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, refusalOf } from './factories.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ now: '2026-03-10T12:00:00Z' });
});

afterAll(() => api.close());

async function sell(servicePackage: { id: string }, body: Record<string, unknown> = {}, node = api) {
  const customer = await makeCustomer(api);
  const { data } = await node.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id, ...body },
  });
  return data;
}

const paramsOf = ({ id }: { id: string }) => ({ service_package_id: id });
const day = (date: string) => `${date}T00:00:00.000000Z`;

function patch(servicePackage: { id: string }, body: Record<string, unknown>) {
  return api.admin.updateServicePackage({ params: paramsOf(servicePackage), body });
}

async function stockOf(servicePackage: { id: string }) {
  return (await api.admin.readServicePackage({ params: paramsOf(servicePackage) })).data.stock_qty;
}

async function read({ id }: { id: string }) {
  const { data } = await api.admin.readSubscription({
    params: { subscription_id: id },
    query: { include: 'features,providers,usages' },
  });
  return data;
}

async function collectOutcomes(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason as { code: string }).code));
}

describe('a sold subscription', () => {
  test('does not change with its package, features and providers, until a sync copies the features', async () => {
    const servicePackage = await makePackage(api, {
      features: { max_rooms: '5', recording: 'true', polls: 'true' },
      body: { price: 10, currency: 'EUR', tier: 1, trial_period: 3, grace_period: 5 },
    });
    const params = paramsOf(servicePackage);
    const subscription = await sell(servicePackage);
    const before = await read(subscription);
    const { data: features } = await api.admin.listServicePackageFeatures({ params });
    const feature = (tag: string) => ({
      ...params,
      feature_id: features.find((feature) => feature.tag === tag)?.id ?? '',
    });
    await api.admin.updateServicePackageFeature({ params: feature('max_rooms'), body: { value: 9, name: 'Halls' } });
    await api.admin.deleteServicePackageFeature({ params: feature('polls') });
    await api.admin.createServicePackageFeature({ params, body: { tag: 'captions', value: true } });
    await api.admin.createServicePackageProvider({
      params,
      body: { service_provider_id: (await makeProvider(api)).id, default: true },
    });
    await patch(servicePackage, {
      name: 'Renamed',
      price: 99,
      currency: 'USD',
      tier: 7,
      periodicity: 2,
      periodicity_type: 'year',
      trial_period: 0,
      grace_period: 0,
      signup_fee: 50,
    });
    const after = await read(subscription);
    // Only the links to the removed feature of the package are gone.
    const links = new Set(['package_feature_id', 'service_feature_id']);
    const strip = (data: object): unknown =>
      JSON.parse(JSON.stringify(data, (key, value: unknown) => (links.has(key) ? undefined : value)));
    expect(strip(after)).toEqual(strip(before));
    const valuesOf = async () => {
      const { data } = await api.admin.listSubscriptionFeatures({
        params: { subscription_id: subscription.id },
        query: { limit: 0 },
      });
      return Object.fromEntries(data.map(({ tag, value }) => [tag, value]));
    };
    expect(await valuesOf()).toEqual({ max_rooms: '5', recording: 'true', polls: 'true' });
    await api.admin.syncSubscriptionFeatures({ params: { subscription_id: subscription.id }, body: { sync: true } });
    expect(await valuesOf()).toEqual({ max_rooms: '9', recording: 'true', captions: 'true' });
    expect(await sell(servicePackage)).toMatchObject({ price: 99, currency: 'USD', tier: 7, periodicity_type: 'year' });
  });

  test('continues and renews when the package is retired, hidden, inactive or sold out', async () => {
    for (const body of [
      { retired: true },
      { hidden: true },
      { status: 'inactive' },
      { has_stock: true, stock_qty: 0 },
    ]) {
      const servicePackage = await makePackage(api);
      const subscription = await sell(servicePackage);
      await patch(servicePackage, body);
      const params = { subscription_id: subscription.id };
      const { data } = await api.admin.renewSubscription({ params, body: { renew: true } });
      expect(data).toMatchObject({ status: 'active', ends_at: day('2026-05-10') });
      await api.admin.createAccount({ body: { account_name: 'Still', subscription_id: subscription.id } });
    }
  });

  test('begins with the trial and grace of its package, unless it is created with its own', async () => {
    const terms = { trial_period: 2, trial_interval: 'week', grace_period: 3, grace_interval: 'day' };
    const packageTrialOutside = await makePackage(api, { body: terms });
    expect(await sell(packageTrialOutside)).toMatchObject({
      ...terms,
      trial_ends_at: day('2026-03-24'),
      starts_at: day('2026-03-24'),
      ends_at: day('2026-04-24'),
    });
    const packageTrialInside = await makePackage(api, { body: { ...terms, trial_mode: 'inside' } });
    expect(await sell(packageTrialInside)).toMatchObject({
      trial_ends_at: day('2026-03-24'),
      starts_at: day('2026-03-10'),
      ends_at: day('2026-04-10'),
    });
    expect(await sell(packageTrialOutside, { trial_period: 0, grace_period: 1, grace_interval: 'year' })).toMatchObject(
      {
        trial_ends_at: null,
        starts_at: day('2026-03-10'),
        grace_period: 1,
        grace_interval: 'year',
      },
    );
  });

  test('uses the default provider, or the next active one', async () => {
    const servicePackage = await makePackage(api);
    const params = paramsOf(servicePackage);
    const [first] = (await api.admin.listServicePackageProviders({ params })).data;
    const { data: second } = await api.admin.createServicePackageProvider({
      params,
      body: { service_provider_id: (await makeProvider(api)).id },
    });
    const providersOf = async (subscription: { id: string }) =>
      (await api.admin.listSubscriptionProviders({ params: { subscription_id: subscription.id } })).data;
    expect(await providersOf(await sell(servicePackage))).toMatchObject([
      { service_provider_id: first?.service_provider_id, default: true, active: true },
    ]);
    const providerParams = { ...params, provider_id: first?.id ?? '' };
    await api.admin.updateServicePackageProvider({ params: providerParams, body: { active: false } });
    expect(await providersOf(await sell(servicePackage))).toMatchObject([
      { service_provider_id: second.service_provider_id, default: true, active: true },
    ]);
    await api.admin.updateServicePackageProvider({
      params: { ...params, provider_id: second.id },
      body: { active: false },
    });
    expect((await refusalOf(sell(servicePackage))).code).toBe('package-not-available');
  });
});

describe('stock', () => {
  test('can be sold completely under concurrency, but never falls below 0', async () => {
    const servicePackage = await makePackage(api, { body: { has_stock: true, stock_qty: 4 } });
    const second = await api.another();
    onTestFinished(() => second.close());
    const results = await collectOutcomes(
      Array.from({ length: 16 }, (_, index) => sell(servicePackage, {}, index % 2 === 0 ? api : second)),
    );
    expect(results.filter((outcome) => outcome === 'done')).toHaveLength(4);
    expect(new Set(results)).toEqual(new Set(['done', 'package-not-available']));
    expect(await stockOf(servicePackage)).toBe(0);
    await patch(servicePackage, { stock_qty: 2 });
    expect(
      (await collectOutcomes([sell(servicePackage), sell(servicePackage), sell(servicePackage)])).toSorted(),
    ).toEqual(['done', 'done', 'package-not-available']);
    expect(await stockOf(servicePackage)).toBe(0);
  });

  test('is not reduced by packages without stock, by rejected sales or by previews', async () => {
    const servicePackage = await makePackage(api, { body: { has_stock: false, stock_qty: 3 } });
    await sell(servicePackage);
    expect(await stockOf(servicePackage)).toBe(3);
    await patch(servicePackage, { has_stock: true });
    const customer = await makeCustomer(api);
    const body = { package_id: servicePackage.id, subscriber_id: customer.id };
    await api.admin.previewNewSubscription({ body });
    await refusalOf(sell(servicePackage, { price: 1.005, currency: 'EUR' }));
    await refusalOf(sell(servicePackage, { features: { teleport: true } }));
    await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'suspended' } });
    await refusalOf(api.admin.createSubscription({ body }));
    expect(await stockOf(servicePackage)).toBe(3);
  });

  test('is not returned by a cancellation or a deletion', async () => {
    const servicePackage = await makePackage(api, { body: { has_stock: true, stock_qty: 2 } });
    const params = { subscription_id: (await sell(servicePackage)).id };
    await api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
    await api.admin.updateSubscription({ params, body: { status: 'terminated' } });
    await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
    await api.admin.deleteSubscription({ params });
    expect(await stockOf(servicePackage)).toBe(1);
  });
});

test('if a package is deleted and sold concurrently, the later request is rejected', async () => {
  for (let round = 0; round < 6; round++) {
    const servicePackage = await makePackage(api, { features: {} });
    const customer = await makeCustomer(api);
    const body = { package_id: servicePackage.id, subscriber_id: customer.id };
    const [deletion, sale] = await collectOutcomes([
      api.admin.deleteServicePackage({ params: paramsOf(servicePackage) }),
      api.admin.createSubscription({ body }),
    ]);
    expect([
      ['done', 'validation-failed'],
      ['package-in-use', 'done'],
    ]).toContainEqual([deletion, sale]);
  }
});

test('packages are ordered by tier and sort order, and can be searched', async () => {
  const word = 'Orderly';
  const make = (tier: number, sort_order: number, body = {}) =>
    api.admin.createServicePackage({ body: { name: `${word} ${tier}-${sort_order}`, tier, sort_order, ...body } });
  await make(2, 1);
  await make(1, 2, { hidden: true });
  await make(1, 1, { retired: true });
  const names = async (query: Record<string, string>) =>
    (await api.admin.listServicePackages({ query })).data.map(({ name }) => name.slice(word.length + 1));
  expect(await names({ search: word, orderBy: 'tier,sort_order' })).toEqual(['1-1', '1-2', '2-1']);
  expect(await names({ search: `name:${word};hidden:false`, searchJoin: 'and', orderBy: 'tier' })).toEqual([
    '1-1',
    '2-1',
  ]);
  expect(await names({ search: `name:${word};retired:true`, searchJoin: 'and' })).toEqual(['1-1']);
});
