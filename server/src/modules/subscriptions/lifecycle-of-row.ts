import { calendarDate } from '../../platform/calendar-date.ts';
import type { SubscriptionLifecycle } from './lifecycle.ts';
import type { SubscriptionRow } from './store.ts';

/** What the rules of the life cycle look at. */
export function lifecycleOf(row: SubscriptionRow): SubscriptionLifecycle {
  return {
    status: row.status as SubscriptionLifecycle['status'],
    isActive: row.is_active,
    startsOn: calendarDate(row.starts_at),
    endsOn: calendarDate(row.ends_at),
    anchorDay: row.anchor_day,
    cancelsOn: row.cancels_at === null ? null : calendarDate(row.cancels_at),
    canceledAt: row.canceled_at,
    canceledNow: row.canceled_now,
    isHandedDown: row.parent_subscription_id !== null,
    trialPeriod: row.trial_period,
    trialInterval: row.trial_interval as 'day',
    trialMode: row.trial_mode as 'outside',
    trialEndsOn: row.trial_ends_at === null ? null : calendarDate(row.trial_ends_at),
    gracePeriod: row.grace_period,
    graceInterval: row.grace_interval as 'day',
    periodicity: row.periodicity,
    periodicityType: row.periodicity_type as 'day',
  };
}

/** The columns that hold what the rules decided. */
export function rowOf(state: SubscriptionLifecycle) {
  return {
    status: state.status,
    is_active: state.isActive,
    starts_at: state.startsOn,
    ends_at: state.endsOn,
    anchor_day: state.anchorDay,
    cancels_at: state.cancelsOn,
    canceled_at: state.canceledAt,
    canceled_now: state.canceledNow,
    trial_ends_at: state.trialEndsOn,
  };
}
