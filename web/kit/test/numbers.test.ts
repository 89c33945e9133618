import { expect, test } from 'vitest';
import { type NumberRule, readNumber } from '../format/numbers.ts';

const price: NumberRule = { minimum: 0, maximum: 1e9, decimals: 4 };
const count: NumberRule = { minimum: 0, maximum: 1000, decimals: 0 };

test.each([
  ['39.95', 39.95],
  ['39,95', 39.95],
  ['1.234,50', 1234.5],
  ['1,234.50', 1234.5],
  ['1 234,5', 1234.5],
  ['1’234.50', 1234.5],
  ['1.234.567', 1_234_567],
  ['0.125', 0.125],
  ['0,125', 0.125],
  ['1234.500', 1234.5],
  [' 20 ', 20],
  ['', null],
])('the price %j is read as %j', (text, value) => {
  expect(readNumber(text, price)).toEqual({ ok: true, value });
});

test.each(['1.234', '1,234', '12,500'])('the ambiguous price %j is rejected', (text) => {
  expect(readNumber(text, price)).toMatchObject({ ok: false, message: expect.stringContaining('two ways') });
});

test.each(['12e3', 'abc', '1.2.3', '12,34,56', '1,2.3,4', '1.23,45,6', ',', '--2', '€ 20'])(
  '%j is not a number',
  (text) => {
    expect(readNumber(text, price)).toEqual({ ok: false, message: 'This is not a number.' });
  },
);

test('a fraction is rejected in fields for whole numbers, as are values out of bounds', () => {
  expect(readNumber('2.5', count)).toEqual({ ok: false, message: 'Whole numbers only.' });
  expect(readNumber('2,5', count)).toEqual({ ok: false, message: 'Whole numbers only.' });
  expect(readNumber('1.234', count)).toMatchObject({ ok: false, message: expect.stringContaining('1234') });
  expect(readNumber('1001', count)).toEqual({ ok: false, message: 'At most 1000.' });
  expect(readNumber('-1', count)).toEqual({ ok: false, message: 'At least 0.' });
  expect(readNumber('0.12345', price)).toEqual({ ok: false, message: 'At most 4 decimals.' });
  expect(readNumber('25', count)).toEqual({ ok: true, value: 25 });
});
