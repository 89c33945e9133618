/** A round maximum of the axis and its grid lines. */
export function scaleFor(largest: number): { readonly top: number; readonly ticks: readonly number[] } {
  if (!(largest > 0)) return { top: 1, ticks: [0, 1] };
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(largest < 4 ? 1 : 0, ([1, 2, 2.5, 5, 10].find((unit) => unit * power >= rough) ?? 10) * power);
  const count = Math.ceil(largest / step - 1e-9);
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

/** Formats a number for an axis: "1.2k", "3.4M". */
export function shortNumber(value: number): string {
  return shortFormat.format(value).toLowerCase().replace('m', 'M');
}

const shortFormat = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

/** Every day or month of a report, including empty ones. */
export function periodsBetween(from: string, to: string, by: 'day' | 'month'): string[] {
  const first = new Date(by === 'day' ? from : `${from.slice(0, 7)}-01`);
  const [year, month, day] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()];
  const periods: string[] = [];
  for (let step = 0; step < maxPeriods; step += 1) {
    const next = by === 'day' ? Date.UTC(year, month, day + step) : Date.UTC(year, month + step, 1);
    if (!(next <= Date.parse(to))) break;
    periods.push(new Date(next).toISOString().slice(0, by === 'day' ? 10 : 7));
  }
  return periods;
}

const maxPeriods = 1200;

/** "14 Mar" or "Mar 2026". */
export function periodLabel(period: string, withYear = false): string {
  const date = new Date(period.length === 7 ? `${period}-01` : period);
  return (period.length === 7 ? monthFormat : withYear ? longDayFormat : dayFormat).format(date);
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const longDayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });
