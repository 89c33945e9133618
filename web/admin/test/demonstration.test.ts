import { expect, test } from 'vitest';
import { isDemonstration } from '../src/dashboard/demonstration.ts';

const mark = { demonstration: true };
const ofDemo = { data: { id: 'cust_1', customer_metadata: mark } };
const ofOther = { data: { id: 'cust_2', customer_metadata: {} } };

test.each([
  ['a marked provider', { id: 'a', metadata: mark }, true],
  ['a provider of ones own', { id: 'a', metadata: {} }, false],
  ['a subscription of the marked customer', { id: 'a', customer: ofDemo }, true],
  ['a subscription of another customer', { id: 'a', customer: ofOther }, false],
  ['a room that was opened for the marked customer', { id: 'a', room_metadata: {}, customer: ofDemo }, false],
])('%s counts as part of the demonstration: %s', (_name, row, isPart) => {
  expect(isDemonstration(row)).toBe(isPart);
});
