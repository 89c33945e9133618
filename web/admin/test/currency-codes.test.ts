import { parseCurrency } from '../../../server/src/platform/text/currency.ts';
import { expect, test } from 'vitest';
import { currencies } from '../../kit/format/choices.ts';
import { currencyCodes } from '../../kit/format/currency-codes.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

test('forms offer exactly the currencies that the platform accepts', () => {
  const validCodes = letters
    .flatMap((first) => letters.flatMap((second) => letters.map((third) => first + second + third)))
    .filter((code) => parseCurrency(code) === code);
  expect(currencyCodes.toSorted()).toEqual(validCodes);
  expect(currencies().map(({ value }) => value)).toEqual(currencyCodes);
});
