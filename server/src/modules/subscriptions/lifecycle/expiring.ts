import { type RawBuilder, sql } from 'kysely';
import { addInterval, type CalendarDate } from '../../../platform/time/calendar-date.ts';
import { invalidInput } from '../../../platform/failures.ts';

/**
 * Usable subscriptions that end within that many days unless renewed, including those in grace. They end with their
 * cancellation, else with the period or the trial, whichever is later.
 * @throws 422 if the text is not a whole number of days
 */
export function expiringWithin(text: string | undefined, today: CalendarDate): RawBuilder<unknown> | null {
  if (text === undefined || text.trim() === '') return null;
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(days <= 3660)) {
    throw invalidInput({ expiring_within: ['The expiring within field must be a whole number from 0 to 3660.'] });
  }
  const last = addInterval(today, { count: days, unit: 'day' });
  return sql`((subscriptions.status = 'active' and not auto_renew and greatest(ends_at, trial_ends_at) <= ${last} and usable_until >= ${today})
    or (subscriptions.status = 'canceled' and usable_until between ${today} and ${last}))`;
}
