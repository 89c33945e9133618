/** "45 min", "1 h 05 min": rounded up to whole minutes, like participant minutes. */
export function lengthOf(minutes: number): string {
  const whole = Math.max(0, Math.ceil(minutes));
  if (whole < 60) return `${whole} min`;
  return `${Math.floor(whole / 60).toLocaleString('en-GB')} h ${String(whole % 60).padStart(2, '0')} min`;
}

/** "45 s", "2 min 20 s", "1 h 05 min 20 s": a length that no longer changes, to the second. */
export function exactLengthOf(minutes: number): string {
  const seconds = Math.max(0, Math.round(minutes * 60));
  const rest = `${seconds % 60} s`;
  return seconds < 60 ? rest : `${lengthOf(Math.floor(seconds / 60))}${seconds % 60 === 0 ? '' : ` ${rest}`}`;
}

/** The minutes from one instant to another, or to now if `to` is null. */
export function minutesBetween(from: string, to: string | null, nowMs: number): number {
  return Math.max(0, (to === null ? nowMs : Date.parse(to)) - Date.parse(from)) / 60_000;
}

/** "1.2 GB", as `max_storage` counts: a gigabyte is 10⁹ bytes. */
export function bytesText(bytes: number): string {
  const unit = units.findLast(([, size]) => bytes >= size) ?? units[0];
  const [name, size] = unit;
  return `${(bytes / size).toLocaleString('en-GB', { maximumFractionDigits: bytes / size < 10 ? 1 : 0 })} ${name}`;
}

/** A share of a whole as a percentage, 100 at most. */
export function percentOf(used: number, limit: number): number {
  return limit <= 0 ? 100 : Math.min(100, (used / limit) * 100);
}

const units: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ['bytes', 1],
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
];
