import { expect, test } from 'vitest';
import { Failure } from '../../../platform/failures.ts';
import { refuseTaken, takenFaults } from './unique-members.ts';

test.each(['email', 'hostname', 'subdomain'])(
  'the second of two concurrent requests for the same %s is rejected, and the error names the field',
  (name) => {
    try {
      refuseTaken({ code: '23505', constraint: `customers_${name}` });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
      expect((error as Failure).details.errors).toEqual({ [name]: [`The ${name} has already been taken.`] });
    }
  },
);

test.each([
  ['another unique index', { code: '23505', constraint: 'customers_customer_key_key' }],
  ['another database error', { code: '23503', constraint: 'customers_email' }],
  ['an error of another kind', new TypeError('x')],
  ['nothing', null],
])('%s is not reported as a duplicate member', (_, error) => {
  expect(() => refuseTaken(error)).not.toThrow();
});

test('all duplicate members are reported together', () => {
  expect(Object.keys(takenFaults(['email', 'subdomain']))).toEqual(['email', 'subdomain']);
});
