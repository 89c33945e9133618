import { calendarDate } from '../../../platform/time/calendar-date.ts';
import { lastDayOfUse, type SubscriptionLifecycle, usableUntil } from './lifecycle.ts';
import type { SubscriptionRow } from '../store.ts';

/** The columns that `lifecycleOf` reads. */
export const lifecycleColumns = [
  'status',
  'is_active',
  'starts_at',
  'ends_at',
  'anchor_day',
  'cancels_at',
  'canceled_at',
  'canceled_now',
  'parent_subscription_id',
  'trial_period',
  'trial_interval',
  'trial_mode',
  'trial_ends_at',
  'grace_period',
  'grace_interval',
  'auto_renew',
  'periodicity',
  'periodicity_type',
] as const satisfies readonly (keyof SubscriptionRow)[];

export type LifecycleRow = Pick<SubscriptionRow, (typeof lifecycleColumns)[number]>;

export function lifecycleOf(row: LifecycleRow): SubscriptionLifecycle {
  return {
    status: row.status,
    isActive: row.is_active,
    startsOn: calendarDate(row.starts_at),
    endsOn: calendarDate(row.ends_at),
    anchorDay: row.anchor_day,
    cancelsOn: row.cancels_at === null ? null : calendarDate(row.cancels_at),
    canceledAt: row.canceled_at,
    canceledNow: row.canceled_now,
    isResold: row.parent_subscription_id !== null,
    trialPeriod: row.trial_period,
    trialInterval: row.trial_interval,
    trialMode: row.trial_mode,
    trialEndsOn: row.trial_ends_at === null ? null : calendarDate(row.trial_ends_at),
    gracePeriod: row.grace_period,
    graceInterval: row.grace_interval,
    autoRenew: row.auto_renew,
    periodicity: row.periodicity,
    periodicityType: row.periodicity_type,
  };
}

/** The columns to store for a state. */
export function columnsOf(state: SubscriptionLifecycle) {
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
    trial_period: state.trialPeriod,
    trial_interval: state.trialInterval,
    trial_mode: state.trialMode,
    grace_period: state.gracePeriod,
    grace_interval: state.graceInterval,
    auto_renew: state.autoRenew,
    periodicity: state.periodicity,
    periodicity_type: state.periodicityType,
    last_day: lastDayOfUse(state),
    usable_until: usableUntil(state),
  };
}
