import { expect, test } from 'vitest';
import { readTelephone } from './telephone-number.ts';

test.each([
  ['+351 912 345 678', 'BR', '+351912345678', null],
  ['912 345 678', 'PT', '+351912345678', null],
  ['00351 912 345 678', 'DE', '+351912345678', null],
  ['(11) 96123-4567', 'BR', '+5511961234567', null],
  ['020 7946 0958', 'GB', '+442079460958', null],
  ['+1 212 555 0100 ext. 42', 'US', '+12125550100', '42'],
  ['+1 212 555 0100', 'AQ', '+12125550100', null],
])('%s in %s is %s', (text, country, number, extension) => {
  expect(readTelephone(text, country)).toEqual({ number, extension });
});

test.each([
  ['912 345 678', 'US'],
  ['12', 'PT'],
  ['+999 123 456 789', 'PT'],
  ['+351 912 345 6789 000', 'PT'],
  ['call me at +351 912 345 678', 'PT'],
  ['912 345 678', 'AQ'],
  ['+', 'PT'],
  ['constructor', 'PT'],
])('%s in %s is not a valid number', (text, country) => {
  expect(readTelephone(text, country)).toBeNull();
});
