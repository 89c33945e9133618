import { Temporal } from 'temporal-polyfill';
import {
  addInterval,
  calendarDate,
  type CalendarDate,
  daysBetween,
  monthsBetween,
} from '../../platform/time/calendar-date.ts';
import { type Instant, instantOfMicroseconds } from '../../platform/time/instant.ts';

/** A day or month of a report, cut at the report's first and last day. */
export interface ReportPeriod {
  /** `2026-03-14` or `2026-03`. */
  readonly label: string;
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
  readonly lastDay: CalendarDate;
}

export type PeriodUnit = 'day' | 'month';

/** The days or months from the first day to the last, split at midnight in the time zone. */
export function periodsOf(from: CalendarDate, to: CalendarDate, unit: PeriodUnit, timeZone: string): ReportPeriod[] {
  const periods: ReportPeriod[] = [];
  let first = from;
  let startsAt = startOfDay(first, timeZone);
  while (first <= to) {
    const next = unit === 'day' ? dayAfter(first) : firstOfNextMonth(first);
    const lastDay = unit === 'day' ? first : lastOfMonth(first, to);
    const endsAt = startOfDay(unit === 'day' ? next : dayAfter(lastDay), timeZone);
    periods.push({ label: unit === 'day' ? first : first.slice(0, 7), startsAt, endsAt, lastDay });
    first = next;
    startsAt = endsAt;
  }
  return periods;
}

/** The number of periods that `periodsOf` returns. */
export function countPeriods(from: CalendarDate, to: CalendarDate, unit: PeriodUnit): number {
  return (unit === 'day' ? daysBetween(from, to) : monthsBetween(from, to)) + 1;
}

export function firstOfMonth(day: CalendarDate): CalendarDate {
  return calendarDate(`${day.slice(0, 8)}01`);
}

function dayAfter(day: CalendarDate): CalendarDate {
  return addInterval(day, { count: 1, unit: 'day' });
}

/** The last day of the month, at most `to`. */
function lastOfMonth(day: CalendarDate, to: CalendarDate): CalendarDate {
  const next = firstOfNextMonth(day);
  return next > to ? to : addInterval(next, { count: -1, unit: 'day' });
}

function firstOfNextMonth(day: CalendarDate): CalendarDate {
  return addInterval(firstOfMonth(day), { count: 1, unit: 'month' });
}

/** Midnight; if a clock change skips it, the first instant after it. */
export function startOfDay(day: CalendarDate, timeZone: string): Instant {
  const zoned = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone });
  return instantOfMicroseconds(zoned.epochMilliseconds * 1000);
}
