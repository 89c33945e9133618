/*
 * The states of a subscription and what leads from one to another.
 *
 *   from \ to    active           inactive   canceled   suspended        terminated
 *   active       renew            status     cancel     status, expiry   status
 *   inactive     status (1)       -          -          -                status
 *   canceled     renew (2)        -          -          expiry           status
 *   suspended    renew (2),       -          -          -                status
 *                status (1)(3)
 *   terminated   -                status     -          -                -
 *
 * (1) Not after a cancellation: only (2) undoes one.
 * (2) After a cancellation with `uncancel` only.
 * (3) Only while its dates allow its use.
 * A move to the state that it is in changes nothing.
 *
 * Every function returns the same object when nothing changes, and a refusal, as data, when the state forbids it.
 */
import type { ErrorCode } from '@foyer/contract/error-codes.ts';
import { type CalendarDate, dayOfMonth } from '../../platform/calendar-date.ts';
import { endOfCycles, graceEndsOn, isOnTrial, lastDayOf, type Period, periodFrom, type Terms } from './period.ts';

export type SubscriptionStatus = 'active' | 'inactive' | 'canceled' | 'suspended' | 'terminated';

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
}

export interface Refusal {
  readonly refused: ErrorCode;
  readonly message: string;
}

export function isRefusal(outcome: object): outcome is Refusal {
  return 'refused' in outcome;
}

/** Whether the subscription may be used on that day: the only answer to that question. */
export function isUsable(subscription: SubscriptionLifecycle, day: CalendarDate): boolean {
  if (subscription.status === 'active') return !isExpired(subscription, day);
  if (subscription.status !== 'canceled' || subscription.canceledNow) return false;
  return !isExpired(subscription, day);
}

/** The last day that its dates allow: that of its cancellation, else the end of grace or of the trial. */
export function expiryOf(subscription: SubscriptionLifecycle): CalendarDate {
  return subscription.cancelsOn ?? lastDayOf(subscription);
}

export function isExpired(subscription: SubscriptionLifecycle, day: CalendarDate): boolean {
  // Nearly all are in their period: no grace has to be added up for them.
  if (subscription.cancelsOn === null && day <= subscription.endsOn) return false;
  return expiryOf(subscription) < day;
}

/** What has expired is suspended. Asked when reading, too: the job only stores what this says. */
export function expire<S extends SubscriptionLifecycle>(subscription: S, today: CalendarDate): S {
  const canExpire = subscription.status === 'active' || subscription.status === 'canceled';
  if (!canExpire || !isExpired(subscription, today)) return subscription;
  return { ...subscription, status: 'suspended', isActive: false };
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
  const refusal = refuseRenewal(subscription, uncancel);
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
  const { trialEndsOn, endsOn } = subscription;
  const periodEndsOn = isOnTrial(subscription, today) && trialEndsOn ? trialEndsOn : endsOn;
  return {
    ...subscription,
    status: 'canceled',
    isActive: false,
    cancelsOn: cancelNow ? today : periodEndsOn,
    canceledAt: now,
    canceledNow: cancelNow,
  };
}

export interface Cancellation {
  readonly cancel?: boolean | undefined;
  readonly cancelNow?: boolean | undefined;
}

/** A status that an administrator sets by hand. */
export function changeStatus<S extends SubscriptionLifecycle>(
  subscription: S,
  to: SubscriptionStatus,
  today: CalendarDate,
): S | Refusal {
  const from = subscription.status;
  if (to === from) return subscription;
  if (!statusMoves[from].includes(to)) return refuseMove(from, to);
  if (to !== 'active') return { ...subscription, status: to, isActive: false };
  if (subscription.canceledAt !== null) {
    return refuseMove(from, to, 'It was canceled; only a renewal with uncancel undoes that.');
  }
  const activated: S = { ...subscription, status: 'active' };
  const isActive = isUsable(activated, today);
  if (from === 'suspended' && !isActive) {
    const ended = `Its time ended on ${expiryOf(subscription)}; renew it or move its dates first.`;
    return refuseMove(from, to, ended);
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

const statusMoves: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  active: ['inactive', 'suspended', 'terminated'],
  inactive: ['active', 'terminated'],
  canceled: ['terminated'],
  suspended: ['active', 'terminated'],
  terminated: ['inactive'],
};

function refuseMove(from: SubscriptionStatus, to: SubscriptionStatus, why?: string): Refusal {
  const reason = why ?? `Allowed from ${from}: ${statusMoves[from].join(', ')}.`;
  return {
    refused: 'status-change-not-allowed',
    message: `The status cannot change from ${from} to ${to}. ${reason}`,
  };
}

function refuseRenewal(subscription: SubscriptionLifecycle, uncancel: boolean): Refusal | null {
  const { status, canceledAt } = subscription;
  if (status === 'inactive' || status === 'terminated') {
    const message = `The subscription is ${status} and cannot be renewed.`;
    return { refused: `subscription-${status}`, message };
  }
  // A cancellation outlives its expiry: what was suspended by it is still canceled.
  if ((status === 'canceled' || canceledAt !== null) && !uncancel) {
    return {
      refused: 'subscription-canceled',
      message: 'The subscription is canceled; it is renewed only with uncancel.',
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
