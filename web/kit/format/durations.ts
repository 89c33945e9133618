import { counted } from './counted.ts';

export type DurationBase = 'ms' | 'second' | 'minute' | 'day';

export interface DurationUnit {
  readonly name: string;
  /** Its length in the base unit. */
  readonly length: number;
}

/** Units in which a duration can be entered, from the smallest. */
export function unitsOf(base: DurationBase): readonly DurationUnit[] {
  const start = { ms: 0, second: 1, minute: 2, day: 4 }[base];
  const end = base === 'ms' ? 2 : 5;
  const first = lengths[start]?.[1] ?? 1;
  return lengths.slice(start, end).map(([name, length]) => ({ name, length: length / first }));
}

/** The largest unit in which the amount is a whole number: 5400 seconds are 90 minutes. */
export function fittingUnit(amount: number, base: DurationBase): DurationUnit {
  const units = unitsOf(base);
  const fitting = units.findLast(({ length }) => amount > 0 && amount % length === 0) ?? usualUnit(base);
  return fitting;
}

/** Formats a stored duration: "15 minutes", "1 day". */
export function durationText(amount: number, base: DurationBase): string {
  const { name, length } = fittingUnit(amount, base);
  return counted(amount / length, name);
}

/** The base unit of members that are durations, by name. */
export function durationBaseOf(name: string): DurationBase | null {
  return durationMembers[name] ?? null;
}

/** "40 seconds", "10 minutes", "3 hours": rounded up, in a suitable unit. */
export function durationOf(seconds: number): string {
  if (seconds < 90) return counted(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds < 5400) return counted(Math.ceil(seconds / 60), 'minute');
  return counted(Math.ceil(seconds / 3600), 'hour');
}

/** Formats the rest of a countdown: "9:41", "0:05", "1:02:03". */
export function formatCountdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = `${hours > 0 ? String(minutes).padStart(2, '0') : minutes}:${String(rest).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** The units, with their length in milliseconds. */
const lengths: readonly (readonly [name: string, length: number])[] = [
  ['millisecond', 1],
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
];

const durationMembers: Readonly<Record<string, DurationBase>> = {
  access_token_seconds: 'second',
  refresh_token_seconds: 'second',
  authorization_code_seconds: 'second',
  personal_token_days: 'day',
  provider_timeout_ms: 'ms',
  suspension_meeting_grace_minutes: 'minute',
  participant_names_days: 'day',
  event_retention_days: 'day',
  playback_link_minutes: 'minute',
  duration_minutes: 'minute',
};

function usualUnit(base: DurationBase): DurationUnit {
  return unitsOf(base)[0] ?? { name: 'second', length: 1 };
}
