import { expect, test } from 'vitest';
import { settingSchemas } from '@foyer/contract/resources/platform/setting.ts';
import { formatCountdown, durationBaseOf, durationOf, durationText, unitsOf } from '../format/durations.ts';

test.each([
  [0, '1 second'],
  [1, '1 second'],
  [41.2, '42 seconds'],
  [90, '2 minutes'],
  [600, '10 minutes'],
  [5400, '2 hours'],
])('%d seconds are shown in the best unit', (seconds, words) => {
  expect(durationOf(seconds)).toBe(words);
});

test.each([
  [-3, '0:00'],
  [4.2, '0:05'],
  [581, '9:41'],
  [3723, '1:02:03'],
])('%d seconds are shown as a countdown', (seconds, clock) => {
  expect(formatCountdown(seconds)).toBe(clock);
});

test.each([
  [900, 'second', '15 minutes'],
  [3600, 'second', '1 hour'],
  [1_209_600, 'second', '14 days'],
  [90, 'second', '90 seconds'],
  [180, 'day', '180 days'],
  [4000, 'ms', '4 seconds'],
  [1500, 'ms', '1,500 milliseconds'],
  [0, 'minute', '0 minutes'],
] as const)('%d in the unit %s is shown as %s', (amount, base, text) => {
  expect(durationText(amount, base)).toBe(text);
});

test('every duration setting declares its unit, and is entered in this unit or larger ones', () => {
  for (const name of Object.keys(settingSchemas)) {
    const ending = { ms: 'ms', seconds: 'second', minutes: 'minute', days: 'day' }[name.split('_').at(-1) ?? ''];
    expect([name, durationBaseOf(name)]).toEqual([name, ending ?? null]);
  }
  expect(unitsOf('second').map(({ name }) => name)).toEqual(['second', 'minute', 'hour', 'day']);
  expect(unitsOf('ms').map(({ name }) => name)).toEqual(['millisecond', 'second']);
});
