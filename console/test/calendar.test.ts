import { expect, test } from 'vitest';
import { dayAfter } from '../src/fields/calendar.ts';

test.each([
  ['2027-01-05', 5, 'day', '2027-01-10'],
  ['2026-12-28', 1, 'week', '2027-01-04'],
  ['2027-01-31', 1, 'month', '2027-02-28'],
  ['2028-02-29', 1, 'year', '2029-02-28'],
  ['2026-11-30', 14, 'month', '2028-01-30'],
  ['2026-11-21T00:00:00.000000Z', 0, 'day', '2026-11-21'],
])('%s and %d %s later is %s', (day, count, unit, later) => {
  expect(dayAfter(day, count, unit)).toBe(later);
});
