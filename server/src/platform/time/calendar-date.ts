import { Temporal } from 'temporal-polyfill';

declare const calendarDateBrand: unique symbol;

/** A day as `YYYY-MM-DD`, years 0001 to 9999. Days compare as texts. */
export type CalendarDate = string & { readonly [calendarDateBrand]: true };

export interface Interval {
  readonly count: number;
  readonly unit: IntervalUnit;
}

export type IntervalUnit = 'day' | 'week' | 'month' | 'year';

export const firstCalendarDate = '0001-01-01' as CalendarDate;
/** Stands for "never ends". Later dates become this date. */
export const lastCalendarDate = '9999-12-31' as CalendarDate;

/**
 * Months and years are clamped to the end of the month. A clamped date returns to its anchor day when the month
 * allows: 31 Jan, 28 Feb, 31 Mar. An anchor day has no effect on other dates. A negative count subtracts. A
 * result outside the years 1 to 9999 becomes the first or the last calendar date.
 */
export function addInterval(date: CalendarDate, interval: Interval, anchorDay?: number): CalendarDate {
  const { count, unit } = interval;
  if (count === 0) return date;
  if (Math.abs(count) > maxUnits[unit]) {
    return count > 0 ? lastCalendarDate : firstCalendarDate;
  }
  const from = Temporal.PlainDate.from(date);
  let result = from.add({ [`${unit}s`]: count });
  if (unit === 'month' || unit === 'year') {
    const isLastOfMonth = from.day === from.daysInMonth;
    const day = isLastOfMonth && anchorDay !== undefined ? Math.max(anchorDay, from.day) : from.day;
    if (result.day !== day) result = result.with({ day }, { overflow: 'constrain' });
  }
  if (result.year > 9999) return lastCalendarDate;
  if (result.year < 1) return firstCalendarDate;
  return result.toString() as CalendarDate;
}

/** Parses a date, or a date-time whose time part is dropped without converting the offset. Null for other texts. */
export function parseCalendarDate(text: string): CalendarDate | null {
  if (text.length < 10 || text.length > 64) return null;
  if (text.length > 10 && !timePart.test(text.slice(10))) return null;
  const date = text.slice(0, 10);
  return isCalendarDate(date) ? date : null;
}

export function isCalendarDate(text: string): text is CalendarDate {
  if (!datePart.test(text) || text < firstCalendarDate) return false;
  const day = new Date(`${text}T00:00:00Z`);
  // A day that the month does not have is invalid, or becomes one of the next month.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/**
 * For dates that are known to be valid, such as literals and database columns.
 * @throws RangeError
 */
export function calendarDate(text: string): CalendarDate {
  if (isCalendarDate(text)) return text;
  throw new RangeError(`Not a calendar date: ${text}`);
}

/** The day as the API prints it: its first instant in UTC. */
export function printCalendarDate(date: CalendarDate): string {
  return `${date}T00:00:00.000000Z`;
}

export function earliest(date: CalendarDate, ...others: CalendarDate[]): CalendarDate {
  return others.reduce((best, other) => (other < best ? other : best), date);
}

export function latest(date: CalendarDate, ...others: CalendarDate[]): CalendarDate {
  return others.reduce((best, other) => (other > best ? other : best), date);
}

/** 1 to 31. */
export function dayOfMonth(date: CalendarDate): number {
  return Number(date.slice(8));
}

/** How many days `to` lies after `from`; negative when before. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

/** The months from the month of `from` to the month of `to`. */
export function monthsBetween(from: CalendarDate, to: CalendarDate): number {
  return (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 + Number(to.slice(5, 7)) - Number(from.slice(5, 7));
}

/** The day in the time zone at that instant, in milliseconds since 1970. */
export function calendarDateAt(epochMs: number, timeZone: string): CalendarDate {
  // Midnight of every time zone is at a quarter of an hour in UTC, so a result is valid for the whole quarter.
  const quarter = Math.floor(epochMs / 900_000);
  const cached = todayByZone.get(timeZone);
  if (cached?.quarter === quarter) return cached.date;
  const date = Temporal.Instant.fromEpochMilliseconds(quarter * 900_000)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString() as CalendarDate;
  if (todayByZone.size >= 1000) todayByZone.clear();
  todayByZone.set(timeZone, { quarter, date });
  return date;
}

/**
 * Reads a name of the time zone database, also an alias (`Asia/Kolkata`, `Europe/Kyiv`), in upper or lower case; no
 * offsets. An alias is not replaced by its target. Null for other texts.
 */
export function parseTimeZone(text: string): string | null {
  if (!/^[A-Z][A-Z0-9_+/-]{0,63}$/i.test(text) || unsupportedZones.test(text)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return null;
  }
}

/** Names that Node knows and PostgreSQL does not. */
const unsupportedZones = /^(?:systemv\/.*|us\/pacific-new|canada\/east-saskatchewan)$/i;
const datePart = /^\d{4}-\d\d-\d\d$/;
const timePart =
  /^[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,20})?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;
const maxUnits = { day: 3_700_000, week: 530_000, month: 120_000, year: 10_000 };
const todayByZone = new Map<string, { quarter: number; date: CalendarDate }>();
