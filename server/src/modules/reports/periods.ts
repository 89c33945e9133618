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
export function periodsOf(from: CalendarDate, to: CalendarDate, by: PeriodUnit, timeZone: string): ReportPeriod[] {
  const periods: ReportPeriod[] = [];
  let first = from;
  let startsAt = startOfDay(first, timeZone);
  while (first <= to) {
    const next = by === 'day' ? dayAfter(first) : firstOfNextMonth(first);
    const lastDay = by === 'day' ? first : lastOfMonth(first, to);
    const endsAt = startOfDay(by === 'day' ? next : dayAfter(lastDay), timeZone);
    periods.push({ label: by === 'day' ? first : first.slice(0, 7), startsAt, endsAt, lastDay });
    first = next;
    startsAt = endsAt;
  }
  return periods;
}

/** The length of `periodsOf`. */
export function countPeriods(from: CalendarDate, to: CalendarDate, by: PeriodUnit): number {
  return (by === 'day' ? daysBetween(from, to) : monthsBetween(from, to)) + 1;
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

/** The first instant after midnight where a clock change skips it. */
export function startOfDay(day: CalendarDate, timeZone: string): Instant {
  const zoned = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone });
  return instantOfMicroseconds(zoned.epochMilliseconds * 1000);
}
