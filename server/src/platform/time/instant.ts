import { isCalendarDate } from './calendar-date.ts';

/** An instant as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, years 0001 to 9999. The text order is the order in time. */
export type Instant = string;

/** The start of the last second that an instant can have. */
export const lastInstantMs = Date.parse('9999-12-31T23:59:59Z');

/**
 * Converts the text that PostgreSQL sends in UTC (`2026-01-02 03:04:05.12+00`), or an instant.
 * @throws RangeError for `infinity`, and years before 1 or after 9999
 */
export function printInstant(raw: string): Instant {
  const length = raw.length;
  if (raw.charCodeAt(10) === blank && raw.charCodeAt(13) === colon && raw.endsWith('+00')) {
    const start = `${raw.slice(0, 10)}T${raw.slice(11, 19)}`;
    if (length === 29) return `${start}${raw.slice(19, 26)}Z`;
    if (length === 22) return `${start}.000000Z`;
    if (length > 23 && length < 29) return `${start}${raw.slice(19, length - 3).padEnd(7, '0')}Z`;
  }
  if (length === 27 && raw.charCodeAt(10) === letterT && raw.charCodeAt(19) === point && raw.endsWith('Z')) return raw;
  const parsed = parseInstant(raw);
  if (parsed === null) throw new RangeError(`Not an instant: ${raw}`);
  return parsed;
}

/**
 * Parses a date (its start in UTC), or a date-time. A date-time without an offset is in UTC. Fractions of a microsecond
 * are dropped. Null for other texts.
 */
export function parseInstant(text: string): Instant | null {
  const match = text.length <= 64 ? dateTime.exec(text) : null;
  const date = match?.[1];
  if (!match || date === undefined || !isCalendarDate(date)) return null;
  const time = `${match[2] ?? '00:00'}:${match[3] ?? '00'}`;
  const fraction = (match[4] ?? '').slice(0, 6).padEnd(6, '0');
  if (match[5] === undefined) return `${date}T${time}.${fraction}Z`;
  const minutes = Number(match[6]) * 60 + Number(match[7] ?? 0);
  if (minutes === 0) return `${date}T${time}.${fraction}Z`;
  const shifted = Date.parse(`${date}T${time}Z`) - (match[5] === '-' ? -minutes : minutes) * 60_000;
  if (shifted < firstMs || shifted > lastInstantMs) return null;
  return `${new Date(shifted).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** Milliseconds since 1970 of an instant, or of the text that PostgreSQL sends in UTC. */
export function epochMs(instant: string): number {
  const year = digits(instant, 0, 4);
  if (year < 100) return Date.parse(printInstant(instant));
  let milliseconds = 0;
  if (instant.charCodeAt(19) === point) {
    for (let index = 20, weight = 100; weight >= 1; index++, weight /= 10) {
      const digit = instant.charCodeAt(index) - zero;
      if (!(digit >= 0 && digit <= 9)) break;
      milliseconds += digit * weight;
    }
  }
  return Date.UTC(
    year,
    digits(instant, 5, 7) - 1,
    digits(instant, 8, 10),
    digits(instant, 11, 13),
    digits(instant, 14, 16),
    digits(instant, 17, 19),
    milliseconds,
  );
}

/** The instant this many microseconds after the start of 1970. */
export function instantOfMicroseconds(microseconds: number): Instant {
  const milliseconds = Math.floor(microseconds / 1000);
  const micros = String(Math.floor(microseconds - milliseconds * 1000)).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${micros}Z`;
}

const blank = 32;
const point = 46;
const zero = 48;
const colon = 58;
const letterT = 84;
const firstMs = Date.parse('0001-01-01T00:00:00Z');
const dateTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,20}))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/i;

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++) number = number * 10 + text.charCodeAt(index) - zero;
  return number;
}
