import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addInterval, calendarDate, dayOfMonth, type IntervalUnit } from '../../platform/time/calendar-date.ts';
import { currentUsage, hasPassed, type UsageReset, usageWindow } from './usage-window.ts';

function resetEvery(startsOn: string, count = 1, unit: IntervalUnit = 'month'): UsageReset {
  const date = calendarDate(startsOn);
  return {
    resettablePeriod: count,
    resettableInterval: unit,
    startsOn: date,
    anchorDay: dayOfMonth(date),
  };
}

test.each([
  ['2026-01-15', 1, 'month', '2026-01-15', '2026-01-15', '2026-02-15'],
  ['2026-01-15', 1, 'month', '2026-02-14', '2026-01-15', '2026-02-15'],
  ['2026-01-15', 1, 'month', '2026-02-15', '2026-02-15', '2026-03-15'],
  ['2026-01-31', 1, 'month', '2026-02-28', '2026-02-28', '2026-03-31'],
  ['2026-01-31', 1, 'month', '2026-03-30', '2026-02-28', '2026-03-31'],
  ['2026-01-31', 1, 'month', '2026-03-31', '2026-03-31', '2026-04-30'],
  ['2024-02-29', 1, 'year', '2025-02-28', '2025-02-28', '2026-02-28'],
  ['2024-02-29', 1, 'year', '2028-02-28', '2027-02-28', '2028-02-29'],
  ['2026-01-01', 2, 'week', '2026-01-15', '2026-01-15', '2026-01-29'],
  ['2026-01-01', 1, 'day', '2026-06-15', '2026-06-15', '2026-06-16'],
  ['2026-01-01', 10, 'day', '2026-01-10', '2026-01-01', '2026-01-11'],
  ['2026-01-01', 3, 'month', '2026-12-31', '2026-10-01', '2027-01-01'],
  ['1990-01-31', 1, 'month', '2026-02-27', '2026-01-31', '2026-02-28'],
  ['2026-03-31', 1, 'month', '2026-03-01', '2026-02-28', '2026-03-31'],
  ['2026-03-31', 1, 'month', '2026-02-27', '2026-01-31', '2026-02-28'],
] as const)(
  'counted from %s, every %i %s: on %s the window is from %s until before %s',
  (startsOn, count, unit, today, first, validUntil) => {
    expect(usageWindow(resetEvery(startsOn, count, unit), calendarDate(today))).toEqual({
      startsOn: first,
      validUntil,
    });
  },
);

test('a start in a shorter month returns to the anchor day', () => {
  const reset = { ...resetEvery('2026-02-28'), anchorDay: 31 };
  expect(usageWindow(reset, calendarDate('2026-03-30'))).toEqual({
    startsOn: '2026-02-28',
    validUntil: '2026-03-31',
  });
});

const date = fc
  .date({ min: new Date('1950-01-01'), max: new Date('2150-12-31'), noInvalidDate: true })
  .map((value) => calendarDate(value.toISOString().slice(0, 10)));
const reset = fc.record({
  resettablePeriod: fc.integer({ min: 1, max: 40 }),
  resettableInterval: fc.constantFrom('day', 'week', 'month', 'year'),
  startsOn: date,
});

test('every day lies in exactly one window: each ends where the next begins', () => {
  fc.assert(
    fc.property(reset, date, (terms, today) => {
      const anchored = { ...terms, anchorDay: dayOfMonth(terms.startsOn) };
      const window = usageWindow(anchored, today);
      if (!window) throw new Error('A resettable feature has a window on every day.');
      expect(window.startsOn <= today && today < window.validUntil).toBe(true);
      const lastDay = addInterval(window.validUntil, { count: -1, unit: 'day' });
      expect(usageWindow(anchored, lastDay)).toEqual(window);
      expect(usageWindow(anchored, window.validUntil)?.startsOn).toBe(window.validUntil);
    }),
    { numRuns: 500 },
  );
});

test('the last window ends on the last day of the calendar', () => {
  for (const unit of ['day', 'week', 'month', 'year'] as const) {
    const window = usageWindow(resetEvery('2026-01-31', 1, unit), calendarDate('9999-12-31'));
    expect(window?.validUntil).toBe('9999-12-31');
    expect(usageWindow(resetEvery('9999-12-31', 5, unit), calendarDate('2026-01-31'))).not.toBeNull();
    expect(usageWindow(resetEvery('2026-01-31', 5, unit), calendarDate('0001-01-01'))).not.toBeNull();
  }
});

test('usage without a reset period is kept on every day', () => {
  const usage = { used: 7, validUntil: null };
  const neverReset = resetEvery('2026-01-15', 0);
  expect(currentUsage(usage, neverReset, calendarDate('2199-01-01'))).toBe(usage);
  expect(usageWindow(neverReset, calendarDate('2199-01-01'))).toBeNull();
});

test('usage inside its window is returned unchanged', () => {
  const usage = { used: 7, validUntil: calendarDate('2026-02-15') };
  expect(currentUsage(usage, resetEvery('2026-01-15'), calendarDate('2026-02-14'))).toBe(usage);
  expect(hasPassed(usage.validUntil, calendarDate('2026-02-14'))).toBe(false);
});

test('usage of a past window counts as 0, and the window advances to the current one', () => {
  const usage = { used: 7, validUntil: calendarDate('2026-02-15'), id: 'kept' };
  const reset = resetEvery('2026-01-15');
  expect(hasPassed(usage.validUntil, calendarDate('2026-02-15'))).toBe(true);
  for (const [today, validUntil] of [
    ['2026-02-15', '2026-03-15'],
    ['2026-03-14', '2026-03-15'],
    ['2031-07-20', '2031-08-15'],
  ] as const) {
    expect(currentUsage(usage, reset, calendarDate(today))).toEqual({
      used: 0,
      validUntil,
      id: 'kept',
    });
  }
});

test('usage is kept if its feature becomes resettable, until the first window ends, and if it is no longer reset', () => {
  const today = calendarDate('2026-01-20');
  expect(currentUsage({ used: 7, validUntil: null }, resetEvery('2026-01-15'), today)).toEqual({
    used: 7,
    validUntil: '2026-02-15',
  });
  const limited = { used: 7, validUntil: calendarDate('2026-02-15') };
  expect(currentUsage(limited, resetEvery('2026-01-15', 0), today)).toEqual({
    used: 7,
    validUntil: null,
  });
});

test('a window that was longer under earlier terms ends with the current one', () => {
  const usage = { used: 7, validUntil: calendarDate('2027-01-15') };
  expect(currentUsage(usage, resetEvery('2026-01-15'), calendarDate('2026-01-20'))).toEqual({
    used: 7,
    validUntil: '2026-02-15',
  });
});

test('daily reads and one read after a long time return the same window', () => {
  fc.assert(
    fc.property(reset, date, fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 20 }), (terms, start, steps) => {
      const anchored = { ...terms, anchorDay: dayOfMonth(terms.startsOn) };
      const first = currentUsage({ used: 3, validUntil: null }, anchored, start);
      let today = start;
      let stepped = first;
      for (const count of steps) {
        today = addInterval(today, { count, unit: 'day' });
        stepped = currentUsage(stepped, anchored, today);
      }
      expect(currentUsage(first, anchored, today)).toEqual(stepped);
    }),
  );
});
