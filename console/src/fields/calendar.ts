/** A day so many intervals later; the end of a shorter month stands for a day that it does not have. */
export function dayAfter(day: string, count: number, unit: string): string {
  const [year = 0, month = 1, date = 1] = day.slice(0, 10).split('-').map(Number);
  if (unit === 'day' || unit === 'week')
    return iso(Date.UTC(year, month - 1, date + count * (unit === 'week' ? 7 : 1)));
  const months = month - 1 + count * (unit === 'year' ? 12 : 1);
  const lastDate = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return iso(Date.UTC(year, months, Math.min(date, lastDate)));
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
