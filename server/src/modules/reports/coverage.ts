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

/** Adjacent parts that are computed from the recorded facts. */
export interface LiveRun {
  /** The start of each part, and the end of the last. */
  readonly bounds: readonly Instant[];
  /** The period of each part. */
  readonly periods: readonly number[];
}

/** Each run is a separate query. If there are more, those with the fewest days between them are joined. */
const maxRuns = 20;

/**
 * Uses the rolled days that lie within one period, and computes the rest live, so that days of one time zone also serve
 * reports in another.
 * @param periods and `days` are in order and do not overlap.
 */
export function coverPeriods(periods: readonly ReportPeriod[], days: readonly RolledDay[]): Coverage {
  const parts = joinRuns(partsOf(periods, days));
  return {
    days: parts.filter(({ isRolled }) => isRolled).map(({ startsAt, n }) => ({ startsAt, n })),
    runs: runsOf(parts),
  };
}

interface Part {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  readonly n: number;
  readonly isRolled: boolean;
}

function partsOf(periods: readonly ReportPeriod[], days: readonly RolledDay[]): Part[] {
  const parts: Part[] = [];
  let next = 0;
  for (const [index, period] of periods.entries()) {
    const n = index + 1;
    let startsAt = period.startsAt;
    for (let day = days[next]; day && day.startsAt < period.endsAt; day = days[++next]) {
      if (day.startsAt < startsAt) continue;
      if (day.endsAt > period.endsAt) break;
      if (day.startsAt > startsAt) parts.push({ startsAt, endsAt: day.startsAt, n, isRolled: false });
      parts.push({ ...day, n, isRolled: true });
      startsAt = day.endsAt;
    }
    if (startsAt < period.endsAt) parts.push({ startsAt, endsAt: period.endsAt, n, isRolled: false });
  }
  return parts;
}

function joinRuns(parts: readonly Part[]): readonly Part[] {
  const lives = parts.flatMap(({ isRolled }, index) => (isRolled ? [] : [index]));
  const gaps = lives
    .flatMap((index, position) => (position === 0 ? [] : [{ from: (lives[position - 1] ?? 0) + 1, to: index }]))
    .filter(({ from, to }) => to > from)
    .toSorted((one, other) => one.to - one.from - (other.to - other.from));
  const joined = new Set(
    gaps
      .slice(0, Math.max(0, gaps.length + 1 - maxRuns))
      .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)),
  );
  return parts.map((part, index) => (joined.has(index) ? { ...part, isRolled: false } : part));
}

function runsOf(parts: readonly Part[]): LiveRun[] {
  const runs: { bounds: Instant[]; periods: number[] }[] = [];
  let isOpen = false;
  for (const { startsAt, endsAt, n, isRolled } of parts) {
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
