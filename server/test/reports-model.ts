import { Temporal } from 'temporal-polyfill';

/** A stay of a participant or a meeting, in milliseconds since 1970; null while it lasts. */
export interface Span {
  readonly group: string;
  readonly from: number;
  readonly until: number | null;
}

export interface ExpectedRow {
  participant_minutes: number;
  meetings: number;
  peak_participants: number;
  peak_meetings: number;
}

/** A simple model of the usage report that counts minute by minute. */
export function expectedUsage(
  entries: readonly Span[],
  meetings: readonly Span[],
  query: { from: string; to: string; by: 'day' | 'month'; timeZone: string; now: number },
): Map<string, ExpectedRow> {
  const rows = new Map<string, ExpectedRow>();
  const days = daysOf(query);
  const rowOf = (group: string, at: number): ExpectedRow | null => {
    const day = days.findLast(({ start }) => start <= at)?.day;
    if (day === undefined || day > query.to) return null;
    const key = `${query.by === 'day' ? day : day.slice(0, 7)} ${group}`;
    const row = rows.get(key) ?? { participant_minutes: 0, meetings: 0, peak_participants: 0, peak_meetings: 0 };
    rows.set(key, row);
    return row;
  };
  for (const entry of entries) {
    for (let minute = 0; minute < minutesOf(entry, query.now); minute++) {
      const row = rowOf(entry.group, entry.from + minute * 60_000);
      if (row) row.participant_minutes += 1;
    }
  }
  for (const meeting of meetings) {
    const row = rowOf(meeting.group, meeting.from);
    if (row) row.meetings += 1;
  }
  countPeaks(entries, 'peak_participants');
  countPeaks(meetings, 'peak_meetings');
  return rows;

  /** A peak can only be at the start of a stay or a period. */
  function countPeaks(spans: readonly Span[], member: 'peak_participants' | 'peak_meetings'): void {
    const starts = days.map(({ start }) => start);
    for (const at of [...starts, ...spans.map(({ from }) => from)]) {
      for (const group of new Set(spans.map((span) => span.group))) {
        const count = spans.filter(
          (span) =>
            span.group === group && span.from <= at && at < Math.max(span.until ?? query.now, span.from + 0.001),
        ).length;
        const row = count > 0 ? rowOf(group, at) : null;
        if (row) row[member] = Math.max(row[member], count);
      }
    }
  }
}

/** Returns the days of the query and the day after, with the first instant of each. */
function daysOf({ from, to, timeZone }: { from: string; to: string; timeZone: string }) {
  const days: { day: string; start: number }[] = [];
  const dayAfter = Temporal.PlainDate.from(to).add({ days: 1 }).toString();
  for (let day = Temporal.PlainDate.from(from); day.toString() <= dayAfter; day = day.add({ days: 1 }))
    days.push({ day: day.toString(), start: day.toZonedDateTime({ timeZone }).epochMilliseconds });
  return days;
}

/** The minutes that are charged when the participant leaves. */
export function minutesOf({ from, until }: Span, now: number): number {
  return Math.max(1, Math.ceil(((until ?? Math.max(now, from)) - from) / 60_000));
}

export function dayAt(ms: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}
