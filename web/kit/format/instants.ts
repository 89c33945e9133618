const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 hours ago", "in 2 days". */
export function relativeTime(instant: string, nowMs: number): string {
  const seconds = (Date.parse(instant) - nowMs) / 1000;
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  // With a clock that is slightly behind, past events must not appear in the future.
  if (step === undefined) return seconds > 45 ? 'in a moment' : 'just now';
  return relativeFormat.format(Math.trunc(seconds / step[1]), step[0]);
}

/** Days from today to a day, both as calendar days. */
export function daysUntil(day: string, nowMs: number): number {
  return Math.round(
    (Date.parse(day.slice(0, 10)) - Date.parse(new Date(nowMs).toISOString().slice(0, 10))) / 86_400_000,
  );
}

/** "today", "tomorrow", "in 12 days", "3 months ago". */
export function relativeDay(day: string, nowMs: number): string {
  const days = daysUntil(day, nowMs);
  if (Math.abs(days) < 60) return relativeFormat.format(days, 'day');
  return Math.abs(days) < 700
    ? relativeFormat.format(Math.trunc(days / 30.44), 'month')
    : relativeFormat.format(Math.trunc(days / 365.25), 'year');
}

export function formatDay(day: string): string {
  return dayFormat.format(new Date(day));
}

export function nextDay(day: string): string {
  return new Date(Date.parse(day.slice(0, 10)) + 86_400_000).toISOString().slice(0, 10);
}

export function formatInstant(instant: string): string {
  return instantFormat.format(new Date(instant));
}

/** "21 Nov 2026, 15:11". */
export function formatShortInstant(instant: string): string {
  return shortInstantFormat.format(new Date(instant));
}

/** The time of day with seconds, for times in the near future. */
export function formatTime(ms: number): string {
  return timeFormat.format(ms);
}

/** An instant as `<input type="datetime-local">` takes it, in the reader's own time zone. */
export function toLocalInput(instant: string): string {
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocalInput(text: string): string {
  return new Date(text).toISOString();
}

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const instantFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const shortInstantFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
