import { type CalendarDate, dayOfMonth } from '../../../platform/time/calendar-date.ts';
import { isUsable, type SubscriptionLifecycle } from './lifecycle.ts';
import type { Terms } from './period.ts';

export interface DateFault {
  readonly invalid: 'startsOn' | 'endsOn';
  readonly message: string;
}

export function isDateFault(outcome: object): outcome is DateFault {
  return 'invalid' in outcome;
}

/** Changes dates and terms. A changed `startsOn` moves the anchor day. */
export function reviseDates<S extends SubscriptionLifecycle>(
  subscription: S,
  changes: DateChanges,
  today: CalendarDate,
): S | DateFault {
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined);
  const isSame = defined.every(([name, value]) => subscription[name as keyof DateChanges] === value);
  if (isSame) return subscription;
  const revised: S = { ...subscription, ...Object.fromEntries(defined) };
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
  readonly [Name in 'startsOn' | 'endsOn' | 'trialEndsOn' | 'autoRenew' | keyof Terms]?:
    | SubscriptionLifecycle[Name]
    | undefined;
};

function anchorOf(revised: SubscriptionLifecycle, former: SubscriptionLifecycle): number {
  if (revised.startsOn !== former.startsOn) return dayOfMonth(revised.startsOn);
  // Day and week periods have no anchor day; a change to months anchors at the current end.
  const hadNoAnchor = former.periodicityType === 'day' || former.periodicityType === 'week';
  const isUnitChanged = revised.periodicityType !== former.periodicityType;
  return hadNoAnchor && isUnitChanged ? dayOfMonth(revised.endsOn) : former.anchorDay;
}
