/*
 * The states of a subscription and what leads from one to another.
 * `transitions.ts` says which there are; the functions here say what each does to the dates.
 * A move to the state that it is in changes nothing.
 *
 * Every function returns the same object when nothing changes, and a refusal, as data, when the state forbids it.
 */
import { type CalendarDate, dayOfMonth } from '../../../platform/time/calendar-date.ts';
import {
  endOfCycles,
  endOfPresentPeriod,
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

/** What the rules look at and change; everything else of a subscription passes through untouched. */
export interface SubscriptionLifecycle extends Period, Terms {
  readonly status: SubscriptionStatus;
  /** Set by these rules alone: active, and not expired when it was last looked at. */
  readonly isActive: boolean;
  /** The last day of use after a cancellation. */
  readonly cancelsOn: CalendarDate | null;
  /** An instant. */
  readonly canceledAt: string | null;
  /** Canceled with effect at once: no use even on `cancelsOn`. */
  readonly canceledNow: boolean;
  /** By a reseller: it keeps the package of which it is a part. */
  readonly isResold: boolean;
}

/** Whether the subscription may be used on that day: the only answer to that question. */
export function isUsable(subscription: SubscriptionLifecycle, day: CalendarDate): boolean {
  return hasUsableStatus(subscription) && !isExpired(subscription, day);
}

/** The last day on which it may be used; null if its status forbids use on every day. */
export function usableUntil(subscription: SubscriptionLifecycle): CalendarDate | null {
  return hasUsableStatus(subscription) ? lastDayOfUse(subscription) : null;
}

function hasUsableStatus({ status, canceledNow }: SubscriptionLifecycle): boolean {
  return status === 'active' || (status === 'canceled' && !canceledNow);
}

/** The last day that its dates allow: that of its cancellation, else the end of grace or of the trial. */
export function lastDayOfUse(subscription: SubscriptionLifecycle): CalendarDate {
  return subscription.cancelsOn ?? graceOrTrialEndsOn(subscription);
}

export function isExpired(subscription: SubscriptionLifecycle, day: CalendarDate): boolean {
  // Nearly all are in their period: no grace has to be added up for them.
  if (subscription.cancelsOn === null && day <= subscription.endsOn) return false;
  return lastDayOfUse(subscription) < day;
}

/** Neither active nor only suspended by hand: nothing that was planned for it takes place. */
export function hasEnded(subscription: SubscriptionLifecycle, today: CalendarDate): boolean {
  if (subscription.canceledAt !== null || isExpired(subscription, today)) return true;
  return subscription.status !== 'active' && subscription.status !== 'suspended';
}

/** What has expired is suspended. Asked when reading, too: the job only stores what this says. */
export function expire<S extends SubscriptionLifecycle>(subscription: S, today: CalendarDate): S {
  const canExpire = subscription.status === 'active' || subscription.status === 'canceled';
  if (!canExpire || !isExpired(subscription, today)) return subscription;
  return { ...subscription, status: 'suspended', isActive: false };
}

/** What can be done to it today, in the order of the table; asked of it as it is, whether or not the job ran. */
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
    return !isCanceled && (state.status !== 'suspended' || isUsable({ ...state, status: 'active' }, today));
  });
}

/**
 * Past grace the new period starts today, in grace where the old one ended; while it runs, or on trial, it grows.
 * `cycles` is at least 1. Uncanceling comes first.
 */
export function renew<S extends SubscriptionLifecycle>(
  subscription: S,
  { renew: isWanted = true, cycles = 1, uncancel = false }: Renewal,
  today: CalendarDate,
): S | Refusal {
  if (!isWanted) return subscription;
  const refusal = refuseRenewal(subscription, uncancel, today);
  if (refusal) return refusal;
  return {
    ...subscription,
    ...renewedPeriod(subscription, cycles, today),
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

/** Canceling what is not active changes nothing: the operation is ignored, not refused. `now` is an instant. */
export function cancel<S extends SubscriptionLifecycle>(
  subscription: S,
  { cancel: isWanted = true, cancelNow = false }: Cancellation,
  today: CalendarDate,
  now: string,
): S {
  if (!isWanted || expire(subscription, today).status !== 'active') return subscription;
  return {
    ...subscription,
    status: 'canceled',
    isActive: false,
    cancelsOn: cancelNow ? today : endOfPresentPeriod(subscription, today),
    canceledAt: now,
    canceledNow: cancelNow,
  };
}

export interface Cancellation {
  readonly cancel?: boolean | undefined;
  readonly cancelNow?: boolean | undefined;
}

/** A cancellation is taken back until it has taken effect; the dates are those that it had. */
export function withdrawCancellation<S extends SubscriptionLifecycle>(
  subscription: S,
  today: CalendarDate,
): S | Refusal {
  if (subscription.status !== 'canceled' || !isUsable(subscription, today)) {
    return {
      refused: 'cancellation-not-taken-back',
      message: 'Only a cancellation that has not taken effect yet is taken back.',
      allowed: allowedMoves(subscription, today),
    };
  }
  return { ...subscription, status: 'active', isActive: true, cancelsOn: null, canceledAt: null, canceledNow: false };
}

/** A status that an administrator sets by hand. What has expired is suspended first. */
export function changeStatus<S extends SubscriptionLifecycle>(
  subscription: S,
  to: SubscriptionStatus,
  today: CalendarDate,
): S | Refusal {
  const state = expire(subscription, today);
  const from = state.status;
  if (to === from) return state;
  const refuse = (why?: string) => refuseStatus(state, to, today, why);
  if (!settableStatuses(from).includes(to)) return refuse();
  if (to !== 'active') return { ...state, status: to, isActive: false };
  if (state.canceledAt !== null) {
    return refuse('It was canceled; only a renewal with uncancel undoes that.');
  }
  const activated: S = { ...state, status: 'active' };
  const isActive = isUsable(activated, today);
  if (from === 'suspended' && !isActive) {
    return refuse(`Its time ended on ${lastDayOfUse(state)}; renew it or move its dates first.`);
  }
  return { ...activated, isActive };
}

export interface DateFault {
  readonly invalid: 'startsOn' | 'endsOn';
  readonly message: string;
}

export function isDateFault(outcome: object): outcome is DateFault {
  return 'invalid' in outcome;
}

/** Dates and terms that are set by hand. Absent members stay; a changed `startsOn` moves the anchor day. */
export function reviseDates<S extends SubscriptionLifecycle>(
  subscription: S,
  changes: DateChanges,
  today: CalendarDate,
): S | DateFault {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const isSame = given.every(([name, value]) => subscription[name as keyof DateChanges] === value);
  if (isSame) return subscription;
  const revised: S = { ...subscription, ...Object.fromEntries(given) };
  if (revised.endsOn < revised.startsOn) {
    return {
      invalid: changes.endsOn === undefined ? 'startsOn' : 'endsOn',
      message: `The period would end on ${revised.endsOn}, before it starts on ${revised.startsOn}.`,
    };
  }
  return {
    ...revised,
    anchorDay: anchorOf(revised, subscription),
    isActive: revised.status === 'active' && isUsable(revised, today),
  };
}

export type DateChanges = {
  readonly [Name in 'startsOn' | 'endsOn' | 'trialEndsOn' | keyof Terms]?: SubscriptionLifecycle[Name] | undefined;
};

function refuseStatus(
  from: SubscriptionLifecycle,
  to: SubscriptionStatus,
  today: CalendarDate,
  why = `Allowed from ${from.status}: ${settableStatuses(from.status).join(', ')}.`,
): Refusal {
  return {
    refused: 'status-change-not-allowed',
    message: `The status cannot change from ${from.status} to ${to}. ${why}`,
    allowed: allowedMoves(from, today),
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
  // A cancellation outlives its expiry: what was suspended by it is still canceled.
  if (canceledAt !== null && !uncancel) {
    return {
      refused: 'subscription-canceled',
      message: 'The subscription is canceled; it is renewed only with uncancel.',
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

function anchorOf(revised: SubscriptionLifecycle, former: SubscriptionLifecycle): number {
  if (revised.startsOn !== former.startsOn) return dayOfMonth(revised.startsOn);
  // Periods of days or weeks keep to no day of the month: months that follow them count from the present end.
  const keptToNone = former.periodicityType === 'day' || former.periodicityType === 'week';
  const isOtherRhythm = revised.periodicityType !== former.periodicityType;
  return keptToNone && isOtherRhythm ? dayOfMonth(revised.endsOn) : former.anchorDay;
}
