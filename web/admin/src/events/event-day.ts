const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

/** "Today", "Yesterday" or the day, in the time zone of the browser. */
export function dayOf(instant: string, nowMs: number): string {
  const day = dayFormat.format(new Date(instant));
  if (day === dayFormat.format(nowMs)) return 'Today';
  // 24 hours ago can be another day when the clocks change.
  const yesterday = new Date(nowMs);
  yesterday.setDate(yesterday.getDate() - 1);
  return day === dayFormat.format(yesterday) ? 'Yesterday' : day;
}
