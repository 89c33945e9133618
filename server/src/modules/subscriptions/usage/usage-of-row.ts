import { type CalendarDate, calendarDate } from '../../../platform/time/calendar-date.ts';
import { currentUsage } from '../../features/index.ts';
import type { UsedFeatureRow } from '../store.ts';

/** The usage on the day `today`; zero if the stored window has ended. */
export function usageOf(
  row: Pick<
    UsedFeatureRow,
    'used' | 'valid_until' | 'resettable_period' | 'resettable_interval' | 'starts_at' | 'anchor_day'
  >,
  today: CalendarDate,
): { used: number; validUntil: CalendarDate | null } {
  const usage = { used: row.used, validUntil: row.valid_until === null ? null : calendarDate(row.valid_until) };
  return currentUsage(
    usage,
    {
      resettablePeriod: row.resettable_period,
      resettableInterval: row.resettable_interval,
      startsOn: calendarDate(row.starts_at),
      anchorDay: row.anchor_day,
    },
    today,
  );
}
