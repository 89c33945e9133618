import { expect, test } from 'vitest';
import { clockOf, durationOf } from '../src/fields/durations.ts';

test.each([
  [0, '1 second'],
  [1, '1 second'],
  [41.2, '42 seconds'],
  [90, '2 minutes'],
  [600, '10 minutes'],
  [5400, '2 hours'],
])('%d seconds are said in the unit that says it best, and never too few', (seconds, words) => {
  expect(durationOf(seconds)).toBe(words);
});

test.each([
  [-3, '0:00'],
  [4.2, '0:05'],
  [581, '9:41'],
  [3723, '1:02:03'],
])('%d seconds stand on a clock that counts down', (seconds, clock) => {
  expect(clockOf(seconds)).toBe(clock);
});
