import {
  addInterval,
  type CalendarDate,
  dayOfMonth,
  type Interval,
  type IntervalUnit,
  latest,
} from '../../../platform/time/calendar-date.ts';

/** The billing terms of a subscription. */
export interface Terms {
  readonly trialPeriod: number;
  readonly trialInterval: IntervalUnit;
  /** `outside`: the first paid period begins when the trial ends; `inside`: both begin together. */
  readonly trialMode: 'outside' | 'inside';
  readonly gracePeriod: number;
  readonly graceInterval: IntervalUnit;
  readonly periodicity: number;
  readonly periodicityType: IntervalUnit;
}

export interface Period {
  readonly startsOn: CalendarDate;
  /** The last day of the period. */
  readonly endsOn: CalendarDate;
  /** The day of the month on which periods start, 1 to 31; in a shorter month its last day. */
  readonly anchorDay: number;
  readonly trialEndsOn: CalendarDate | null;
}

/** The first period of a subscription created today. */
export function firstPeriod(terms: Omit<Terms, 'gracePeriod' | 'graceInterval'>, today: CalendarDate): Period {
  const trial: Interval = { count: terms.trialPeriod, unit: terms.trialInterval };
  const trialEndsOn = trial.count > 0 ? addInterval(today, trial) : null;
  const startsOn = terms.trialMode === 'outside' && trialEndsOn !== null ? trialEndsOn : today;
  return { ...periodFrom(startsOn, terms, 1), trialEndsOn };
}

/** A period of the given number of cycles. Its anchor day is the day of the month of its start. */
export function periodFrom(
  startsOn: CalendarDate,
  terms: Pick<Terms, 'periodicity' | 'periodicityType'>,
  cycles: number,
): Pick<Period, 'startsOn' | 'endsOn' | 'anchorDay'> {
  const anchorDay = dayOfMonth(startsOn);
  return { startsOn, endsOn: endOfCycles({ ...terms, endsOn: startsOn, anchorDay }, cycles), anchorDay };
}

/** The end of the period after the given number of further cycles. */
export function endOfCycles(
  period: Pick<Period, 'endsOn' | 'anchorDay'> & Pick<Terms, 'periodicity' | 'periodicityType'>,
  cycles: number,
): CalendarDate {
  const interval = { count: period.periodicity * cycles, unit: period.periodicityType };
  return addInterval(period.endsOn, interval, period.anchorDay);
}

/** The last day of grace; without grace, of the period. */
export function graceEndsOn(
  subscription: Pick<Period, 'endsOn'> & Pick<Terms, 'gracePeriod' | 'graceInterval'>,
): CalendarDate {
  const grace = { count: subscription.gracePeriod, unit: subscription.graceInterval };
  return addInterval(subscription.endsOn, grace);
}

/** The end of grace or of the trial, whichever is later. */
export function graceOrTrialEndsOn(
  subscription: Pick<Period, 'endsOn' | 'trialEndsOn'> & Pick<Terms, 'gracePeriod' | 'graceInterval'>,
): CalendarDate {
  const end = graceEndsOn(subscription);
  return subscription.trialEndsOn === null ? end : latest(end, subscription.trialEndsOn);
}

export function isOnTrial(subscription: Pick<Period, 'trialEndsOn'>, day: CalendarDate): boolean {
  return subscription.trialEndsOn !== null && day <= subscription.trialEndsOn;
}

/** The end of the trial during the trial, else of the paid period. */
export function endOfCurrentPeriod(
  subscription: Pick<Period, 'endsOn' | 'trialEndsOn'>,
  today: CalendarDate,
): CalendarDate {
  const { trialEndsOn, endsOn } = subscription;
  return trialEndsOn !== null && isOnTrial(subscription, today) ? trialEndsOn : endsOn;
}
