import type { Instant } from '../../platform/time/instant.ts';
import type { ReportPeriod } from './periods.ts';

/** A day with stored totals. */
export interface RolledDay {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** Covers the periods of a report with rolled days and live runs, without gap or overlap. */
export interface Coverage {
  /** Rolled days with the number of their period, from 1. */
  readonly days: readonly { readonly startsAt: Instant; readonly n: number }[];
  readonly runs: readonly LiveRun[];
}

/** Adjacent spans whose totals are computed from the recorded facts. */
export interface LiveRun {
  /** The start of each span, and the end of the last. */
  readonly bounds: readonly Instant[];
  /** The number of each span's period, from 1. */
  readonly periods: readonly number[];
}

/** Each run is a separate query. If there are more runs, those with the fewest days between them are joined. */
const maxRuns = 20;

/**
 * Uses the rolled days that lie within one period, and computes the rest live, so that days of one time zone also serve
 * reports in another.
 * @param periods in order and without overlap, like `days`
 */
export function coverPeriods(periods: readonly ReportPeriod[], days: readonly RolledDay[]): Coverage {
  const spans = joinRuns(splitPeriods(periods, days));
  return {
    days: spans.filter(({ isRolled }) => isRolled).map(({ startsAt, n }) => ({ startsAt, n })),
    runs: groupRuns(spans),
  };
}

interface Span {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  readonly n: number;
  readonly isRolled: boolean;
}

function splitPeriods(periods: readonly ReportPeriod[], days: readonly RolledDay[]): Span[] {
  const spans: Span[] = [];
  let nextDay = 0;
  for (const [index, period] of periods.entries()) {
    const n = index + 1;
    let startsAt = period.startsAt;
    for (let day = days[nextDay]; day && day.startsAt < period.endsAt; day = days[++nextDay]) {
      if (day.startsAt < startsAt) continue;
      if (day.endsAt > period.endsAt) break;
      if (day.startsAt > startsAt) spans.push({ startsAt, endsAt: day.startsAt, n, isRolled: false });
      spans.push({ ...day, n, isRolled: true });
      startsAt = day.endsAt;
    }
    if (startsAt < period.endsAt) spans.push({ startsAt, endsAt: period.endsAt, n, isRolled: false });
  }
  return spans;
}

function joinRuns(spans: readonly Span[]): readonly Span[] {
  const liveIndexes = spans.flatMap(({ isRolled }, index) => (isRolled ? [] : [index]));
  const gaps = liveIndexes
    .flatMap((index, position) => (position === 0 ? [] : [{ from: (liveIndexes[position - 1] ?? 0) + 1, to: index }]))
    .filter(({ from, to }) => to > from)
    .toSorted((one, other) => one.to - one.from - (other.to - other.from));
  const joinedIndexes = new Set(
    gaps
      .slice(0, Math.max(0, gaps.length + 1 - maxRuns))
      .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)),
  );
  return spans.map((span, index) => (joinedIndexes.has(index) ? { ...span, isRolled: false } : span));
}

function groupRuns(spans: readonly Span[]): LiveRun[] {
  const runs: { bounds: Instant[]; periods: number[] }[] = [];
  let isOpen = false;
  for (const { startsAt, endsAt, n, isRolled } of spans) {
    const run = isOpen ? runs.at(-1) : undefined;
    isOpen = !isRolled;
    if (isRolled) continue;
    if (!run) runs.push({ bounds: [startsAt, endsAt], periods: [n] });
    else if (run.periods.at(-1) === n) run.bounds[run.bounds.length - 1] = endsAt;
    else {
      run.bounds.push(endsAt);
      run.periods.push(n);
    }
  }
  return runs;
}
