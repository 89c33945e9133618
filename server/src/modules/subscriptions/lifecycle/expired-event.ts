import type { EventInput } from '../../../events/event-data.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { calendarDate } from '../../../platform/time/calendar-date.ts';
import type { SubscriptionRow } from '../store.ts';

/** The event of a subscription that is suspended because its last day has passed. */
export function expiredEvent(before: SubscriptionRow, after: SubscriptionRow | null): EventInput {
  return rowEvent('subscription.suspended', { before, after, beforeDay: calendarDate(before.last_day) });
}
