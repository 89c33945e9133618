const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

/** "Today", "Yesterday" or the day, in the time zone of the browser. */
export function dayOf(instant: string, nowMs: number): string {
  const day = dayFormat.format(new Date(instant));
  if (day === dayFormat.format(nowMs)) return 'Today';
  return day === dayFormat.format(nowMs - 86_400_000) ? 'Yesterday' : day;
}
