import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addInterval, calendarDate, dayOfMonth, type IntervalUnit } from '../../../platform/time/calendar-date.ts';
import {
  endOfCycles,
  firstPeriod,
  graceEndsOn,
  isOnTrial,
  graceOrTrialEndsOn,
  periodFrom,
  type Terms,
} from './period.ts';

const monthly: Terms = {
  trialPeriod: 0,
  trialInterval: 'day',
  trialMode: 'outside',
  gracePeriod: 0,
  graceInterval: 'day',
  periodicity: 1,
  periodicityType: 'month',
};

test.each([
  ['no trial', {}, '2026-01-31', null, '2026-01-31', '2026-02-28', 31],
  ['a trial outside', { trialPeriod: 14 }, '2026-01-01', '2026-01-15', '2026-01-15', '2026-02-15', 15],
  [
    'a trial inside',
    { trialPeriod: 14, trialMode: 'inside' },
    '2026-01-01',
    '2026-01-15',
    '2026-01-01',
    '2026-02-01',
    1,
  ],
  ['no trial, inside', { trialMode: 'inside' }, '2026-01-01', null, '2026-01-01', '2026-02-01', 1],
  [
    'a trial of a month outside, clamped',
    { trialPeriod: 1, trialInterval: 'month' },
    '2026-01-31',
    '2026-02-28',
    '2026-02-28',
    '2026-03-28',
    28,
  ],
  [
    'a trial inside that is longer than the period',
    { trialPeriod: 3, trialInterval: 'month', trialMode: 'inside' },
    '2026-01-31',
    '2026-04-30',
    '2026-01-31',
    '2026-02-28',
    31,
  ],
  ['a year from a leap day', { periodicityType: 'year' }, '2024-02-29', null, '2024-02-29', '2025-02-28', 29],
  ['weeks', { periodicity: 2, periodicityType: 'week' }, '2026-12-25', null, '2026-12-25', '2027-01-08', 25],
] as const)('the first period with %s', (_case, terms, today, trialEndsOn, startsOn, endsOn, anchorDay) => {
  expect(firstPeriod({ ...monthly, ...terms }, calendarDate(today))).toEqual({
    startsOn,
    endsOn,
    anchorDay,
    trialEndsOn,
  });
});

test('from 31 January, each period ends on the 31st or on the last day of a shorter month', () => {
  let period = { ...monthly, ...firstPeriod(monthly, calendarDate('2026-01-31')) };
  const ends = [];
  for (let cycle = 0; cycle < 12; cycle++) {
    ends.push(period.endsOn);
    period = { ...period, endsOn: endOfCycles(period, 1) };
  }
  expect(ends).toEqual([
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
    '2026-06-30',
    '2026-07-31',
    '2026-08-31',
    '2026-09-30',
    '2026-10-31',
    '2026-11-30',
    '2026-12-31',
    '2027-01-31',
  ]);
});

test('yearly periods from a leap day end on 28 February, and on 29 February in leap years', () => {
  let period = { ...monthly, periodicityType: 'year' as const, anchorDay: 29, endsOn: calendarDate('2024-02-29') };
  const ends = [];
  for (let cycle = 0; cycle < 5; cycle++) {
    period = { ...period, endsOn: endOfCycles(period, 1) };
    ends.push(period.endsOn);
  }
  expect(ends).toEqual(['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29', '2029-02-28']);
});

test('several cycles at once end on the same day as one after the other', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
      fc.constantFrom<IntervalUnit>('day', 'week', 'month', 'year'),
      fc.integer({ min: 1, max: 15 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 }),
      (start, periodicityType, periodicity, cycles) => {
        const startsOn = calendarDate(start.toISOString().slice(0, 10));
        const terms = { periodicity, periodicityType };
        const total = cycles.reduce((sum, count) => sum + count, 0);
        let endsOn = startsOn;
        for (const count of cycles) {
          const next = endOfCycles({ ...terms, endsOn, anchorDay: dayOfMonth(startsOn) }, count);
          expect(next > endsOn).toBe(true);
          endsOn = next;
        }
        expect(periodFrom(startsOn, terms, total)).toEqual({ startsOn, endsOn, anchorDay: dayOfMonth(startsOn) });
      },
    ),
  );
});

test('grace is added to the last day of the period, without regard to the anchor day', () => {
  const ended = { ...monthly, endsOn: calendarDate('2026-02-28') };
  expect(graceEndsOn(ended)).toBe('2026-02-28');
  expect(graceEndsOn({ ...ended, gracePeriod: 3 })).toBe('2026-03-03');
  expect(graceEndsOn({ ...ended, gracePeriod: 1, graceInterval: 'month' })).toBe('2026-03-28');
  const endless = { ...ended, gracePeriod: 1000, graceInterval: 'year' as const, endsOn: calendarDate('9999-12-31') };
  expect(graceEndsOn(endless)).toBe('9999-12-31');
});

test('graceOrTrialEndsOn is the end of grace or of the trial, whichever is later', () => {
  const dates = { ...monthly, gracePeriod: 2, endsOn: calendarDate('2026-02-10') };
  expect(graceOrTrialEndsOn({ ...dates, trialEndsOn: null })).toBe('2026-02-12');
  expect(graceOrTrialEndsOn({ ...dates, trialEndsOn: calendarDate('2026-02-11') })).toBe('2026-02-12');
  expect(graceOrTrialEndsOn({ ...dates, trialEndsOn: calendarDate('2026-02-13') })).toBe('2026-02-13');
});

test('the day on which the trial ends belongs to the trial', () => {
  const trialEndsOn = calendarDate('2026-02-10');
  expect(isOnTrial({ trialEndsOn }, trialEndsOn)).toBe(true);
  expect(isOnTrial({ trialEndsOn }, addInterval(trialEndsOn, { count: 1, unit: 'day' }))).toBe(false);
  expect(isOnTrial({ trialEndsOn: null }, trialEndsOn)).toBe(false);
});
