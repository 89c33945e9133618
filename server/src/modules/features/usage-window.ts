import {
  addInterval,
  type CalendarDate,
  daysBetween,
  type IntervalUnit,
  monthsBetween,
} from '../../platform/time/calendar-date.ts';

/** When the usage of a feature is reset: every `resettablePeriod` intervals, counted from `startsOn`. */
export interface UsageReset {
  /** 0: never. */
  readonly resettablePeriod: number;
  readonly resettableInterval: IntervalUnit;
  readonly startsOn: CalendarDate;
  /** The preferred day of the month; a shorter month uses its last day. */
  readonly anchorDay: number;
}

export interface UsageWindow {
  readonly startsOn: CalendarDate;
  /** The first day of the next window. */
  readonly validUntil: CalendarDate;
}

export interface Usage {
  readonly used: number;
  /** Null if the usage is never reset. */
  readonly validUntil: CalendarDate | null;
}

/**
 * The usage on that day: zero if the stored window has ended. If the intervals became shorter, so does the window.
 * @returns the same object if nothing changed.
 */
export function currentUsage<U extends Usage>(usage: U, reset: UsageReset, today: CalendarDate): U {
  const window = usageWindow(reset, today);
  if (window === null) return usage.validUntil === null ? usage : { ...usage, validUntil: null };
  const { validUntil } = window;
  if (hasPassed(usage.validUntil, today)) return { ...usage, used: 0, validUntil };
  const isWithin = usage.validUntil !== null && usage.validUntil <= validUntil;
  return isWithin ? usage : { ...usage, validUntil };
}

export function hasPassed(validUntil: CalendarDate | null, today: CalendarDate): boolean {
  return validUntil !== null && validUntil <= today;
}

/** The window of that day, also before the start; null if the usage is never reset. */
export function usageWindow(reset: UsageReset, today: CalendarDate): UsageWindow | null {
  if (reset.resettablePeriod < 1) return null;
  let index = estimateIndex(reset, today);
  while (startOfWindow(reset, index) > today) index--;
  let validUntil = startOfWindow(reset, index + 1);
  while (validUntil <= today && validUntil < startOfWindow(reset, index + 2)) {
    index++;
    validUntil = startOfWindow(reset, index + 1);
  }
  return { startsOn: startOfWindow(reset, index), validUntil };
}

function startOfWindow(reset: UsageReset, index: number): CalendarDate {
  const count = index * reset.resettablePeriod;
  return addInterval(reset.startsOn, { count, unit: reset.resettableInterval }, reset.anchorDay);
}

/** At most one window off, so that the caller's loops are short even after years. */
function estimateIndex(reset: UsageReset, today: CalendarDate): number {
  const { startsOn, resettablePeriod } = reset;
  const unit = reset.resettableInterval;
  const passed =
    unit === 'day' || unit === 'week'
      ? daysBetween(startsOn, today) / (unit === 'day' ? 1 : 7)
      : monthsBetween(startsOn, today) / (unit === 'month' ? 1 : 12);
  return Math.floor(passed / resettablePeriod);
}
