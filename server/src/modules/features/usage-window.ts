import {
  addInterval,
  type CalendarDate,
  daysBetween,
  type IntervalUnit,
  monthsBetween,
} from '../../platform/time/calendar-date.ts';

/** How the usage of a feature begins again: every so many intervals, counted from the subscription's start. */
export interface UsageReset {
  /** 0: never. */
  readonly resettablePeriod: number;
  readonly resettableInterval: IntervalUnit;
  readonly startsOn: CalendarDate;
  /** The day of the month that the subscription's periods go back to after a shorter month. */
  readonly anchorDay: number;
}

export interface UsageWindow {
  /** Its first day. */
  readonly startsOn: CalendarDate;
  /** The first day of the next one: what `valid_until` says. */
  readonly validUntil: CalendarDate;
}

export interface Usage {
  readonly used: number;
  /** Null: the usage never begins again. */
  readonly validUntil: CalendarDate | null;
}

/**
 * What the usage is on that day. A window that has passed, however long ago, reads as nothing used in the window of the
 * day. Where the intervals became shorter, the window ends with theirs. Usage that stands is returned as the same object.
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

/** The window that the day lies in, also before the start; null when the usage never begins again. */
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

/** At most one window off: years of down-time cost no more than a day. */
function estimateIndex(reset: UsageReset, today: CalendarDate): number {
  const { startsOn, resettablePeriod } = reset;
  const unit = reset.resettableInterval;
  const passed =
    unit === 'day' || unit === 'week'
      ? daysBetween(startsOn, today) / (unit === 'day' ? 1 : 7)
      : monthsBetween(startsOn, today) / (unit === 'month' ? 1 : 12);
  return Math.floor(passed / resettablePeriod);
}
