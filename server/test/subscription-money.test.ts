import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, refusalOf } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('prices of a subscription must be valid amounts in its currency', async () => {
  const servicePackage = await makePackage(api, { body: { price: 9.99, currency: 'EUR' } });
  const customer = await makeCustomer(api);
  const subscribe = (body: Record<string, unknown>) =>
    api.admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id, ...body } });
  expect((await refusalOf(subscribe({ currency: 'JPY' }))).errors).toEqual({
    currency: ['The price 9.99 is not a valid amount in JPY.'],
  });
  expect(Object.keys((await refusalOf(subscribe({ price: 1.234 }))).errors)).toEqual(['price']);
  expect(Object.keys((await refusalOf(subscribe({ currency: 'ZZZ' }))).errors)).toEqual(['currency']);
  const { data } = await subscribe({ price: 1980, currency: 'JPY' });
  const params = { subscription_id: data.id };
  const patch = (body: Record<string, unknown>) => api.admin.updateSubscription({ params, body });
  expect(Object.keys((await refusalOf(patch({ price: 0.5 }))).errors)).toEqual(['price']);
  await patch({ price: 0.5, currency: 'EUR' });
  expect(Object.keys((await refusalOf(patch({ currency: 'JPY' }))).errors)).toEqual(['currency']);
});

test('a package change cannot result in a price that is not valid in the currency, neither now nor on its effective day', async () => {
  const provider = (await makeProvider(api)).id;
  const createPackage = (price: number, currency: string, tier: number) =>
    makePackage(api, { provider, body: { price, currency, tier, grace_period: 5, grace_interval: 'day' } });
  const euros = await createPackage(9.99, 'EUR', 1);
  const [moreEuros, yen] = [await createPackage(19.99, 'EUR', 2), await createPackage(1980, 'JPY', 2)];
  const { data } = await api.admin.createSubscription({
    body: { package_id: euros.id, subscriber_id: (await makeCustomer(api)).id, price: 990, currency: 'JPY' },
  });
  const params = { subscription_id: data.id };
  const changePackage = (target: { id: string }, when: 'now' | 'period_end') =>
    api.admin.changePackage({ params, body: { package_id: target.id, when } });
  for (const when of ['now', 'period_end'] as const)
    expect((await refusalOf(changePackage(moreEuros, when))).errors).toEqual({
      package_id: ['The package is sold in EUR, but the subscription is billed in JPY.'],
    });
  expect((await changePackage(yen, 'now')).data).toMatchObject({ price: 1980, currency: 'JPY' });
  const cheaper = await createPackage(500, 'JPY', 1);
  await changePackage(cheaper, 'period_end');
  const cheaperParams = { service_package_id: cheaper.id };
  await api.admin.updateServicePackage({ params: cheaperParams, body: { price: 4.99, currency: 'EUR' } });
  api.clock.set('2026-04-11T12:00:00Z');
  await api.admin.renewSubscription({ params, body: { renew: true } });
  const { data: renewed } = await api.admin.readSubscription({ params });
  expect(renewed).toMatchObject({ package_id: yen.id, price: 1980, currency: 'JPY', status: 'active' });
  const { data: changes } = await api.admin.listPackageChanges({ params });
  expect(changes).toContainEqual(expect.objectContaining({ to_package_id: cheaper.id, status: 'failed' }));
});
