import { expect, test } from 'vitest';
import { isDemonstration } from '../src/dashboard/demonstration.ts';

const mark = { demonstration: true };
const demoCustomer = { data: { id: 'cust_1', customer_metadata: mark } };
const otherCustomer = { data: { id: 'cust_2', customer_metadata: {} } };

test.each([
  ['a marked provider', { id: 'a', metadata: mark }, true],
  ['an unmarked provider', { id: 'a', metadata: {} }, false],
  ['a subscription of the marked customer', { id: 'a', customer: demoCustomer }, true],
  ['a subscription of another customer', { id: 'a', customer: otherCustomer }, false],
  ['a room of the marked customer', { id: 'a', room_metadata: {}, customer: demoCustomer }, false],
])('%s counts as part of the demonstration: %s', (_name, row, isPart) => {
  expect(isDemonstration(row)).toBe(isPart);
});
