import { type RawBuilder, sql } from 'kysely';
import { addInterval, type CalendarDate } from '../../../platform/time/calendar-date.ts';
import { invalidInput } from '../../../platform/failures.ts';

/**
 * A condition for usable subscriptions that end within the given number of days unless renewed, including those in grace.
 * They end with their cancellation, else with the period or the trial, whichever is later. Null without a number.
 * @throws 422 if the text is not a whole number of days
 */
export function expiringWithinCondition(text: string | undefined, today: CalendarDate): RawBuilder<unknown> | null {
  if (text === undefined || text.trim() === '') return null;
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(days <= 3660)) {
    throw invalidInput({ expiring_within: ['The expiring within field must be a whole number from 0 to 3660.'] });
  }
  const lastDay = addInterval(today, { count: days, unit: 'day' });
  return sql`((subscriptions.status = 'active' and not auto_renew and greatest(ends_at, trial_ends_at) <= ${lastDay} and usable_until >= ${today})
    or (subscriptions.status = 'canceled' and usable_until between ${today} and ${lastDay}))`;
}
