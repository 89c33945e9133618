import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addInterval,
  calendarDate,
  calendarDateAt,
  dayOfMonth,
  daysBetween,
  earliest,
  type IntervalUnit,
  latest,
  monthsBetween,
  parseCalendarDate,
  printCalendarDate,
  parseTimeZone,
} from './calendar-date.ts';

const date = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2200-12-31'), noInvalidDate: true })
  .map((value) => calendarDate(value.toISOString().slice(0, 10)));

test.each([
  ['2026-01-31', 1, 'month', undefined, '2026-02-28'],
  ['2026-02-28', 1, 'month', 31, '2026-03-31'],
  ['2026-02-28', 1, 'month', 30, '2026-03-30'],
  ['2026-04-30', 1, 'month', 31, '2026-05-31'],
  ['2026-04-30', 1, 'month', undefined, '2026-05-30'],
  ['2024-01-31', 1, 'month', undefined, '2024-02-29'],
  ['2024-02-29', 1, 'year', undefined, '2025-02-28'],
  ['2025-02-28', 1, 'year', 29, '2026-02-28'],
  ['2027-02-28', 1, 'year', 29, '2028-02-29'],
  ['2024-02-29', 4, 'year', 29, '2028-02-29'],
  ['2026-03-31', -1, 'month', 31, '2026-02-28'],
  ['2026-02-28', -1, 'month', 31, '2026-01-31'],
  ['2026-12-31', 2, 'month', 31, '2027-02-28'],
  ['2026-02-28', 1, 'week', 31, '2026-03-07'],
  ['2024-02-28', 2, 'day', 31, '2024-03-01'],
  ['2026-05-15', 1, 'month', 31, '2026-06-15'],
  ['2026-05-15', 0, 'month', 31, '2026-05-15'],
  ['2100-02-28', 1, 'day', undefined, '2100-03-01'],
] as const)('%s plus %i %s with anchor day %s is %s', (from, count, unit: IntervalUnit, anchor, to) => {
  expect(addInterval(calendarDate(from), { count, unit }, anchor)).toBe(to);
});

test('steps of months and years reach the same day as one long step, regardless of the month ends in between', () => {
  fc.assert(
    fc.property(
      date,
      fc.constantFrom<IntervalUnit>('day', 'week', 'month', 'year'),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      (start, unit, counts) => {
        const anchor = dayOfMonth(start);
        const stepped = counts.reduce((day, count) => addInterval(day, { count, unit }, anchor), start);
        const total = counts.reduce((sum, count) => sum + count, 0);
        expect(stepped).toBe(addInterval(start, { count: total, unit }, anchor));
      },
    ),
  );
});

test('a month later is in the next month, on the anchor day or on the last day before it', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: 1, max: 400 }), (start, count) => {
      const reached = addInterval(start, { count, unit: 'month' });
      expect(monthsBetween(start, reached)).toBe(count);
      const next = addInterval(reached, { count: 1, unit: 'day' });
      if (dayOfMonth(reached) !== dayOfMonth(start)) expect(dayOfMonth(next)).toBe(1);
    }),
  );
});

test('adding days and weeks skips and repeats no day', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: -5000, max: 5000 }), (start, count) => {
      expect(daysBetween(start, addInterval(start, { count, unit: 'day' }))).toBe(count);
      expect(daysBetween(start, addInterval(start, { count, unit: 'week' }))).toBe(count * 7);
    }),
  );
});

test("dates beyond the calendar's ends are clamped", () => {
  for (const unit of ['day', 'week', 'month', 'year'] as const) {
    for (const count of [8000 * 366, 10_000_000_000]) {
      expect(addInterval(calendarDate('2026-01-31'), { count, unit })).toBe('9999-12-31');
      expect(addInterval(calendarDate('2026-01-31'), { count: -count, unit })).toBe('0001-01-01');
    }
  }
  expect(addInterval(calendarDate('9999-12-31'), { count: 1, unit: 'day' })).toBe('9999-12-31');
});

test.each([
  ['2026-01-02', '2026-01-02'],
  ['2026-01-02T23:59:59.999999Z', '2026-01-02'],
  ['2026-01-02t03:04:05z', '2026-01-02'],
  ['2026-01-02T03:04', '2026-01-02'],
  ['2026-01-02 03:04:05', '2026-01-02'],
  ['2026-01-02 03:04:05.1+00', '2026-01-02'],
  ['2026-01-02T23:00:00-11:00', '2026-01-02'],
  ['2026-01-02T01:00:00+0530', '2026-01-02'],
  ['2024-02-29', '2024-02-29'],
  ['0001-01-01', '0001-01-01'],
  ['9999-12-31', '9999-12-31'],
])('%s is read as the day %s', (text, expected) => {
  expect(parseCalendarDate(text)).toBe(expected);
});

test.each([
  '',
  'tomorrow',
  '2026-1-2',
  '20260102',
  '2026-00-10',
  '2026-13-01',
  '2026-01-00',
  '2026-01-32',
  '2026-02-29',
  '2100-02-29',
  '2026-04-31',
  '0000-01-01',
  '10000-01-01',
  '-2026-01-01',
  '+002026-01-01',
  '2026-01-02T',
  '2026-01-02T24:00:00Z',
  '2026-01-02T03:60:00Z',
  '2026-01-02T03:04:05+24:00',
  '2026-01-02T03:04:05 Z',
  '2026-01-02 BC',
  ' 2026-01-02',
  '2026-01-02x',
  '2026-01-02\n',
  'infinity',
  '２０２６-01-02',
  '9'.repeat(5000),
])('%j is not a day', (text) => {
  expect(parseCalendarDate(text)).toBeNull();
  expect(() => calendarDate(text)).toThrow(RangeError);
});

test('days are ordered as in the calendar', () => {
  fc.assert(
    fc.property(date, date, (one, other) => {
      const distance = daysBetween(other, one);
      expect(one < other).toBe(distance < 0);
      expect(one > other).toBe(distance > 0);
      expect(earliest(one, other) <= latest(one, other)).toBe(true);
    }),
  );
});

test('a day is printed as its first moment in UTC', () => {
  expect(printCalendarDate(calendarDate('2026-01-02'))).toBe('2026-01-02T00:00:00.000000Z');
});

test('the day of an instant depends on the time zone', () => {
  const moment = Date.parse('2026-03-01T02:59:59.999Z');
  expect(calendarDateAt(moment, 'UTC')).toBe('2026-03-01');
  expect(calendarDateAt(moment, 'America/Sao_Paulo')).toBe('2026-02-28');
  expect(calendarDateAt(moment + 1, 'America/Sao_Paulo')).toBe('2026-03-01');
  expect(calendarDateAt(Date.parse('2026-03-01T18:15:00Z'), 'Asia/Kathmandu')).toBe('2026-03-02');
  expect(calendarDateAt(Date.parse('2026-03-01T18:14:59Z'), 'Asia/Kathmandu')).toBe('2026-03-01');
  expect(calendarDateAt(Date.parse('2026-03-01T10:00:00Z'), 'Pacific/Kiritimati')).toBe('2026-03-02');
});

test('time zone names are case-insensitive, and stored as in the time zone database, including links', () => {
  const zones = [
    ['utc', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Argentina/Buenos_Aires'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['europe/kyiv', 'Europe/Kyiv'],
    ['us/pacific', 'US/Pacific'],
    ['africa/dar_es_salaam', 'Africa/Dar_es_Salaam'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['est5edt', 'EST5EDT'],
  ] as const;
  for (const [text, zone] of zones) expect(parseTimeZone(text)).toBe(zone);
});

test('an invalid time zone name is rejected', () => {
  for (const text of [
    '',
    'Mars/Olympus',
    '+03:00',
    'UTC+3',
    'Etc/GMT+15',
    'Europe/ Berlin',
    'Europe/Berlin\n',
    '2026-01-01T00:00Z[UTC]',
    'PST',
    'localtime',
    'posix/UTC',
    'Factory',
    'SystemV/EST5',
    'US/Pacific-New',
    'Etc/Unknown',
    'x'.repeat(500),
  ]) {
    expect([text, parseTimeZone(text)]).toEqual([text, null]);
  }
});
