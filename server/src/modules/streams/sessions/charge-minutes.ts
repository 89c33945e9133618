import type { Change } from '../../../events/change.ts';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import { recordUsages } from '../../subscriptions/index.ts';
import { minutesTag } from './minute-store.ts';
import { minutesOf } from './session-minutes.ts';
import { type SessionRow, storeSession } from './session-store.ts';

/**
 * Charges the minutes that have begun since the last charge, and refunds minutes beyond the end of the session.
 * @param endedOn the day on which the session ended, if it has ended: its usage window is charged
 */
export async function chargeMinutes(
  change: Change,
  session: SessionRow,
  endedOn: CalendarDate | null = null,
): Promise<void> {
  const { started_at: startedAt } = session;
  if (startedAt === null) return;
  const minutes = minutesOf({ ...session, started_at: startedAt }, change.now);
  if (minutes === session.minutes) return;
  await storeSession(change.tx, session.id, { minutes });
  const amounts = new Map([[session.subscription_id, minutes - session.minutes]]);
  await recordUsages(change, [minutesTag], amounts, endedOn);
}
