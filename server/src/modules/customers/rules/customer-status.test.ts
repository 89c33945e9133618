import { customerStatuses } from '@foyer/contract/resources/customers/customer.ts';
import { expect, test } from 'vitest';
import { Failure } from '../../../platform/failures.ts';
import { customerUse, refuseTransition } from './customer-status.ts';

const changeableStatuses = customerStatuses.filter((status) => status !== 'terminated');

test.each(changeableStatuses.flatMap((from) => customerStatuses.map((to) => [from, to] as const)))(
  'a customer may move from %s to %s',
  (from, to) => {
    expect(() => refuseTransition(from, to)).not.toThrow();
  },
);

test.each(changeableStatuses)(
  'a terminated customer cannot become %s, and the error lists the allowed statuses',
  (to) => {
    const refusal = failureOf(() => refuseTransition('terminated', to));
    expect(refusal.code).toBe('status-change-not-allowed');
    expect(refusal.message).toBe(`The status cannot change from terminated to ${to}. Allowed: none.`);
    expect(refusal.details.errors).toEqual({ status: [refusal.message] });
  },
);

test('a terminated customer may stay terminated', () => {
  expect(() => refuseTransition('terminated', 'terminated')).not.toThrow();
});

test.each([
  ['active', { canSignIn: true, canUse: true, canCreate: true }],
  ['suspended', { canSignIn: true, canUse: true, canCreate: false }],
  ['inactive', { canSignIn: false, canUse: false, canCreate: false }],
  ['terminated', { canSignIn: false, canUse: false, canCreate: false }],
] as const)('a %s customer can sign in, use and create as specified', (status, use) => {
  expect(customerUse(status)).toEqual(use);
});

function failureOf(act: () => void): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}
