import { expect, test } from 'vitest';
import { decimalsOf, parseCurrency } from './currency.ts';
import { moneyFaults } from './money.ts';

test.each(['EUR', 'usd', 'XAF', 'XOF', 'XPF', 'XCD', 'XCG', 'ZWG', 'SLE', 'VED'])('%s is money', (code) => {
  expect(parseCurrency(code)).toBe(code.toUpperCase());
});

test.each(['DEM', 'FRF', 'HRK', 'EU', 'EURO', 'ABC', '', 'XAU', 'XTS', 'XXX', 'CHE', 'toString', '__proto__'])(
  '%j is not a current currency',
  (code) => {
    expect(parseCurrency(code)).toBeNull();
  },
);

test.each([
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['CLP', 0],
  ['HUF', 2],
  ['IQD', 3],
])('%s has %i decimals', (currency, decimals) => {
  expect(decimalsOf(currency)).toBe(decimals);
});

test.each([
  ['EUR', 19.99],
  ['EUR', 0.1 + 0.2],
  ['JPY', 1980],
  ['KWD', 4.125],
  ['EUR', 9_999_999_999],
  ['EUR', 0],
])('%s has the amount %d', (currency, price) => {
  expect(moneyFaults({ price }, {}, currency)).toEqual({});
});

test.each([
  ['EUR', 19.999],
  ['EUR', 0.0001],
  ['JPY', 19.5],
  ['KWD', 4.1255],
])('%s does not have the amount %d', (currency, price) => {
  expect(Object.keys(moneyFaults({ price }, {}, currency))).toEqual(['price']);
});

test('all wrong amounts are reported together', () => {
  const faults = moneyFaults({ price: 1.5, signup_fee: 2.25 }, {}, 'JPY');
  expect(faults).toEqual({
    price: ['The price field must have no decimals in JPY.'],
    signup_fee: ['The signup fee field must have no decimals in JPY.'],
  });
});

test('a new currency is rejected if the stored amount does not exist in it', () => {
  expect(moneyFaults({}, { price: '9.9900', signup_fee: '5.0000' }, 'JPY')).toEqual({
    currency: ['The price 9.99 is not a valid amount in JPY.'],
  });
  expect(moneyFaults({ price: 10 }, { price: '9.9900' }, 'JPY')).toEqual({});
});
