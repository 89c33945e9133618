import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, refusalOf } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a subscription keeps to its currency, whether the price is its own or that of the package', async () => {
  const servicePackage = await makePackage(api, { body: { price: 9.99, currency: 'EUR' } });
  const customer = await makeCustomer(api);
  const subscribe = (body: Record<string, unknown>) =>
    api.admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id, ...body } });
  expect((await refusalOf(subscribe({ currency: 'JPY' }))).errors).toEqual({
    currency: ['The price 9.99 does not exist in JPY.'],
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
