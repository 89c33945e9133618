/*
 * The state machine of a subscription. `transitions.ts` lists the transitions; the functions here apply them to the
 * dates. Every function returns the same object if nothing changes, and a `Refusal` if the state forbids the move.
 */
import { type CalendarDate, lastCalendarDate } from '../../../platform/time/calendar-date.ts';
import {
  endOfCycles,
  endOfCurrentPeriod,
  graceEndsOn,
  isOnTrial,
  graceOrTrialEndsOn,
  type Period,
  periodFrom,
  type Terms,
} from './period.ts';
import {
  type Refusal,
  settableStatuses,
  transitions,
  type SubscriptionMove,
  subscriptionMoves,
  type SubscriptionStatus,
} from './transitions.ts';

/** The members that the rules read and change; the functions pass others through. */
export interface SubscriptionLifecycle extends Period, Terms {
  readonly status: SubscriptionStatus;
  /** Active, and not expired when the state was last stored. */
  readonly isActive: boolean;
  /** The last day of use after a cancellation. */
  readonly cancelsOn: CalendarDate | null;
  readonly canceledAt: string | null;
  /** Canceled with immediate effect: not usable even on `cancelsOn`. */
  readonly canceledNow: boolean;
  /** Renewed at the end of its period, by the job or by the first request that reads it afterwards. */
  readonly autoRenew: boolean;
  /** Sold by a reseller out of its own subscription; cannot change its package. */
  readonly isResold: boolean;
}

/** Whether the status and the dates allow use on that day. */
export function isUsable(subscription: SubscriptionLifecycle, day: CalendarDate): boolean {
  return hasUsableStatus(subscription) && !isExpired(subscription, day);
}

/** The last day of use; null if the status forbids use. */
export function usableUntil(subscription: SubscriptionLifecycle): CalendarDate | null {
  return hasUsableStatus(subscription) ? lastDayOfUse(subscription) : null;
}

function hasUsableStatus({ status, canceledNow }: SubscriptionLifecycle): boolean {
  return status === 'active' || (status === 'canceled' && !canceledNow);
}

/** The day of the cancellation, else the end of grace or trial. A subscription that renews itself has no end. */
export function lastDayOfUse(subscription: SubscriptionLifecycle): CalendarDate {
  if (renewsItself(subscription)) return lastCalendarDate;
  return subscription.cancelsOn ?? graceOrTrialEndsOn(subscription);
}

export function isExpired(subscription: SubscriptionLifecycle, day: CalendarDate): boolean {
  // Most subscriptions are within their period; this avoids the date arithmetic.
  if (subscription.cancelsOn === null && day <= subscription.endsOn) return false;
  return lastDayOfUse(subscription) < day;
}

/** Whether it renews itself at the end of each period. */
export function renewsItself({ autoRenew, status, canceledAt }: SubscriptionLifecycle): boolean {
  return autoRenew && status === 'active' && canceledAt === null;
}

/** The number of cycles from the ended period to the one that includes today; 0 if no renewal is due today. */
export function dueCycles(subscription: SubscriptionLifecycle, today: CalendarDate): number {
  if (!renewsItself(subscription) || isOnTrial(subscription, today)) return 0;
  let cycles = 0;
  for (let end = subscription.endsOn; end < today && end < lastCalendarDate; cycles += 1)
    end = endOfCycles(subscription, cycles + 1);
  return cycles;
}

/** Applies the renewals that are due today. Every move does so first, because the job may run later. */
export function renewDue<S extends SubscriptionLifecycle>(subscription: S, today: CalendarDate): S {
  const cycles = dueCycles(subscription, today);
  if (cycles === 0) return subscription;
  return {
    ...subscription,
    startsOn: endOfCycles(subscription, cycles - 1),
    endsOn: endOfCycles(subscription, cycles),
  };
}

/** Whether it is expired, canceled, inactive or terminated. Scheduled package changes are withdrawn then. */
export function hasEnded(subscription: SubscriptionLifecycle, today: CalendarDate): boolean {
  if (subscription.canceledAt !== null || isExpired(subscription, today)) return true;
  return subscription.status !== 'active' && subscription.status !== 'suspended';
}

/** Suspends an expired subscription. Reads apply it too, because the job runs later. */
export function expire<S extends SubscriptionLifecycle>(subscription: S, today: CalendarDate): S {
  const canExpire = subscription.status === 'active' || subscription.status === 'canceled';
  if (!canExpire || !isExpired(subscription, today)) return subscription;
  return { ...subscription, status: 'suspended', isActive: false };
}

/** The moves allowed today, in the order of `subscriptionMoves`. */
export function allowedMoves(subscription: SubscriptionLifecycle, today: CalendarDate): SubscriptionMove[] {
  const state = expire(subscription, today);
  const isCanceled = state.canceledAt !== null;
  return subscriptionMoves.filter((move) => {
    if (transitions[state.status][move] === undefined) return false;
    if (move === 'uncancel') return isCanceled;
    if (move === 'take-back') return isUsable(state, today);
    if (move === 'renew') return !isCanceled;
    if (move === 'change-package') return !state.isResold;
    if (move !== 'set-active') return true;
    return !isCanceled && (state.status !== 'suspended' || isUsable(activeWithoutRenewal(state), today));
  });
}

/**
 * Extends the current period or trial. In grace the new period starts at the end of the old one; after grace, today.
 * `cycles` is at least 1.
 */
export function renew<S extends SubscriptionLifecycle>(
  subscription: S,
  { renew: shouldRenew = true, cycles = 1, uncancel = false }: Renewal,
  today: CalendarDate,
): S | Refusal {
  if (!shouldRenew) return subscription;
  const refusal = refuseRenewal(subscription, uncancel, today);
  if (refusal) return refusal;
  const current = renewDue(subscription, today);
  return {
    ...current,
    ...renewedPeriod(current, cycles, today),
    status: 'active',
    isActive: true,
    cancelsOn: null,
    canceledAt: null,
    canceledNow: false,
  };
}

export interface Renewal {
  readonly renew?: boolean | undefined;
  readonly cycles?: number | undefined;
  readonly uncancel?: boolean | undefined;
}

/** Does nothing unless the subscription is active. */
export function cancel<S extends SubscriptionLifecycle>(
  subscription: S,
  { cancel: shouldCancel = true, cancelNow = false }: Cancellation,
  today: CalendarDate,
  now: string,
): S {
  if (!shouldCancel || expire(subscription, today).status !== 'active') return subscription;
  return {
    ...renewDue(subscription, today),
    status: 'canceled',
    isActive: false,
    cancelsOn: cancelNow ? today : endOfCurrentPeriod(renewDue(subscription, today), today),
    canceledAt: now,
    canceledNow: cancelNow,
  };
}

export interface Cancellation {
  readonly cancel?: boolean | undefined;
  readonly cancelNow?: boolean | undefined;
}

/** Possible until the cancellation takes effect; the dates stay as they were. */
export function withdrawCancellation<S extends SubscriptionLifecycle>(
  subscription: S,
  today: CalendarDate,
): S | Refusal {
  if (subscription.status !== 'canceled' || !isUsable(subscription, today)) {
    return {
      refused: 'cancellation-not-taken-back',
      message: 'A cancellation can be withdrawn only until it takes effect.',
      allowed: allowedMoves(subscription, today),
    };
  }
  return { ...subscription, status: 'active', isActive: true, cancelsOn: null, canceledAt: null, canceledNow: false };
}

/** Sets a status by request, after expiry is applied. */
export function changeStatus<S extends SubscriptionLifecycle>(
  subscription: S,
  to: SubscriptionStatus,
  today: CalendarDate,
): S | Refusal {
  const state = expire(renewDue(subscription, today), today);
  const from = state.status;
  if (to === from) return state;
  const refuse = (reason?: string) => refuseStatus(state, to, today, reason);
  if (!settableStatuses(from).includes(to)) return refuse();
  if (to !== 'active') return { ...state, status: to, isActive: false };
  if (state.canceledAt !== null) {
    return refuse('The subscription was canceled. Renew it with uncancel.');
  }
  const activated: S = { ...state, status: 'active' };
  // Activating a suspended subscription does not renew an ended period.
  const isActive = isUsable(from === 'suspended' ? activeWithoutRenewal(state) : activated, today);
  if (from === 'suspended' && !isActive) {
    return refuse(`The subscription ended on ${lastDayOfUse(state)}. Renew it or change its dates first.`);
  }
  return { ...activated, isActive };
}

function activeWithoutRenewal<S extends SubscriptionLifecycle>(subscription: S): S {
  return { ...subscription, status: 'active', autoRenew: false };
}

function refuseStatus(
  subscription: SubscriptionLifecycle,
  to: SubscriptionStatus,
  today: CalendarDate,
  reason = `Allowed from ${subscription.status}: ${settableStatuses(subscription.status).join(', ')}.`,
): Refusal {
  return {
    refused: 'status-change-not-allowed',
    message: `The status cannot change from ${subscription.status} to ${to}. ${reason}`,
    allowed: allowedMoves(subscription, today),
  };
}

function refuseRenewal(subscription: SubscriptionLifecycle, uncancel: boolean, today: CalendarDate): Refusal | null {
  const { status, canceledAt } = subscription;
  const allowed = allowedMoves(subscription, today);
  if (status === 'inactive' || status === 'terminated') {
    return {
      refused: `subscription-${status}`,
      message: `The subscription is ${status} and cannot be renewed.`,
      allowed,
    };
  }
  // A subscription that was canceled and has expired is still canceled.
  if (canceledAt !== null && !uncancel) {
    return {
      refused: 'subscription-canceled',
      message: 'The subscription is canceled. Renew it with uncancel.',
      allowed,
    };
  }
  return null;
}

function renewedPeriod(
  subscription: SubscriptionLifecycle,
  cycles: number,
  today: CalendarDate,
): Pick<Period, 'startsOn' | 'endsOn' | 'anchorDay'> {
  const { startsOn, endsOn, anchorDay } = subscription;
  const isRunning = today <= endsOn || isOnTrial(subscription, today);
  if (!isRunning && graceEndsOn(subscription) < today) return periodFrom(today, subscription, cycles);
  return {
    startsOn: isRunning ? startsOn : endsOn,
    endsOn: endOfCycles(subscription, cycles),
    anchorDay,
  };
}
