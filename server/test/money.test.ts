import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf, unique } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const yen = { price: 1980, signup_fee: 500, currency: 'JPY' };

test.each([
  [{ price: 19.999, currency: 'EUR' }, ['price']],
  [{ price: 19.99, signup_fee: 0.5, currency: 'JPY' }, ['price', 'signup_fee']],
  [{ price: 1.2345, currency: 'KWD' }, ['price']],
  [{ price: 0.001 }, ['price']],
  [{ price: 1, currency: 'DEM' }, ['currency']],
  [{ price: 1, currency: 'XAU' }, ['currency']],
  [{ price: -1, currency: 'EURO' }, ['price', 'currency']],
  [{ price: 0.5, currency: 'JPY', has_stock: true }, ['stock_qty', 'price']],
])('a package cannot have the price %j', async (body, fields) => {
  const refusal = await refusalOf(api.admin.createServicePackage({ body: { name: unique('Package'), ...body } }));
  expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields.toSorted()]);
});

test('prices have the decimals of their currency, and currencies are normalized to ISO 4217', async () => {
  const { data } = await api.admin.createServicePackage({
    body: { name: unique('Package'), price: 4.125, signup_fee: 0.005, currency: 'kwd' },
  });
  expect(data).toMatchObject({ price: 4.125, signup_fee: 0.005, currency: 'KWD' });
});

test('price and currency of a package are checked together when either changes', async () => {
  const { data } = await api.admin.createServicePackage({ body: { name: unique('Package'), ...yen } });
  const params = { service_package_id: data.id };
  const patch = (body: Record<string, unknown>) => api.admin.updateServicePackage({ params, body });
  expect((await refusalOf(patch({ price: 19.5 }))).errors).toEqual({
    price: ['The price field must have no decimals in JPY.'],
  });
  await patch({ price: 19.5, currency: 'EUR' });
  expect((await refusalOf(patch({ currency: 'JPY' }))).errors).toEqual({
    currency: ['The price 19.5 is not a valid amount in JPY.'],
  });
  expect((await patch({ currency: 'JPY', price: 20 })).data).toMatchObject({ price: 20, currency: 'JPY' });
});

test.each(['XX', 'ZZ', 'EU', 'UK', 'Germany', 'D'])('the country %s is rejected', async (country) => {
  const refusal = await refusalOf(makeCustomer(api, { country }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['country']]);
});

test.each(['DEM', 'XAU', 'XXX', 'QQQ', 'EU'])('the currency %s is rejected', async (currency) => {
  const refusal = await refusalOf(makeCustomer(api, { currency }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['currency']]);
});
