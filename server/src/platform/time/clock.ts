import { type CalendarDate, calendarDateAt } from './calendar-date.ts';
import { epochMs, type Instant, instantOfMicroseconds, parseInstant } from './instant.ts';

/** The only source of time, passed to functions that need it. */
export interface Clock {
  /** Strictly increasing, by at least a microsecond. */
  now(): Instant;
  /** Milliseconds since 1970. */
  nowMs(): number;
  today(timeZone: string): CalendarDate;
  /** The instant this many seconds from now, or in the past when negative. */
  after(seconds: number): Instant;
}

export interface FixedClock extends Clock {
  /** A date or a date-time, also in the past. */
  set(instant: string): void;
  advance(span: TimeSpan): void;
}

export interface TimeSpan {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly ms?: number;
}

export const systemClock: Clock = createClock(systemMicroseconds());

/** Advances only by the microsecond of each `now()`. */
export function fixedClock(start = '2026-01-01T00:00:00Z'): FixedClock {
  let microseconds = microsecondsOf(start);
  let last = microseconds - 1;
  return {
    ...createClock((isUnique) => {
      const reading = Math.max(microseconds, last + 1);
      if (isUnique) last = reading;
      return reading;
    }),
    set(instant) {
      microseconds = microsecondsOf(instant);
      last = microseconds - 1;
    },
    advance({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }) {
      const span = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
      microseconds = Math.max(microseconds, last + 1) + Math.round(span * 1000);
      last = microseconds - 1;
    },
  };
}

/** Microseconds since 1970. A unique reading is later than all earlier unique ones. */
type Microseconds = (isUnique: boolean) => number;

function createClock(read: Microseconds): Clock {
  const nowMs = () => Math.floor(read(false) / 1000);
  return {
    now: () => instantOfMicroseconds(read(true)),
    nowMs,
    today: (timeZone) => calendarDateAt(nowMs(), timeZone),
    after: (seconds) => instantOfMicroseconds(read(false) + Math.round(seconds * 1_000_000)),
  };
}

function systemMicroseconds(): Microseconds {
  let correction = 0;
  let last = 0;
  return (isUnique) => {
    const wall = Date.now();
    let time = performance.timeOrigin + performance.now() + correction;
    // The monotonic clock stops while the machine sleeps, and ignores changes of the system time.
    if (Math.abs(wall - time) > 50) {
      correction += wall - time;
      time = wall;
    }
    const reading = Math.max(Math.floor(time * 1000), last + 1);
    if (isUnique) last = reading;
    return reading;
  };
}

function microsecondsOf(text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw new RangeError(`Not an instant: ${text}`);
  return epochMs(instant) * 1000 + Number(instant.slice(23, 26));
}
