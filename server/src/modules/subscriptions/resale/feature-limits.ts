import type { FeatureDefinition } from '@foyer/contract/resources/packages/feature-definition.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { sharedLimits } from '@foyer/contract/resources/packages/features.ts';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import type { UsedFeatureRow } from '../store.ts';
import { usageOf } from '../usage/usage-of-row.ts';

/** The value of a feature; without a row, the value of a subscription that lacks the feature. */
export function valueOf(feature: FeatureDefinition, row: UsedFeatureRow | undefined): string {
  return row?.value ?? feature.absentValue ?? '';
}

export function isShared({ code }: FeatureDefinition): boolean {
  return sharedLimits.includes(code);
}

/** The maximum that the parent can allocate, now and after its scheduled package change. */
export function availableInParent(
  feature: FeatureDefinition,
  value: string,
  next: ScheduledValues | null,
  allocated: number,
): string {
  if (!isShared(feature)) return value;
  const later = next?.values.get(feature.code) ?? feature.absentValue ?? '';
  const limits = [value, ...(next ? [later] : [])].map(limitOf).filter((limit) => limit !== null);
  return limits.length === 0 ? value : String(Math.max(0, Math.min(...limits) - allocated));
}

/** Whether the value of a feature does not exceed the available value. */
export function isWithin({ valueType }: FeatureDefinition, value: string, available: string): boolean {
  if (value === available) return true;
  if (valueType === 'flag') return value !== 'true';
  if (valueType === 'text') return false;
  const [number, limit] = [limitOf(value), limitOf(available)];
  return limit === null || (number !== null && number <= limit);
}

interface AllocationRequest {
  readonly parent: UsedFeatureRow | undefined;
  /** The values after the parent's scheduled package change. */
  readonly next: ScheduledValues | null;
  readonly value: string;
  /** The sum over all resold subscriptions of the parent. */
  readonly allocated: number;
}

/** Why the parent cannot allocate the value; null if it can. */
export function parentLimitFault(
  feature: FeatureDefinition,
  request: AllocationRequest,
  today: CalendarDate,
): string | null {
  const { parent, next, value, allocated } = request;
  const tag = feature.code;
  if (!isShared(feature)) {
    if (isWithin(feature, value, valueOf(feature, parent))) return null;
    return `The reseller's subscription has ${tag} ${valueOf(feature, parent)}, so ${value} is not possible.`;
  }
  const used = parent ? usageOf(parent, today).used : 0;
  const fault = sharedLimitFault(feature, valueOf(feature, parent), { value, used, allocated });
  if (fault !== null) return `The reseller has ${fault}`;
  if (next === null) return null;
  const later = next.values.get(tag) ?? feature.absentValue ?? '';
  const faultLater = sharedLimitFault(feature, later, { value, used, allocated });
  return faultLater === null ? null : `From ${next.effectiveOn} the reseller has ${faultLater}`;
}

function sharedLimitFault(
  { code }: FeatureDefinition,
  limitValue: string,
  { value, used, allocated }: { value: string; used: number; allocated: number },
): string | null {
  const limit = limitOf(limitValue);
  if (limit === null) return null;
  if (limitOf(value) === null) return `${limit} of ${code}, so unlimited is not possible.`;
  if (used + allocated <= limit) return null;
  return `${limit} of ${code}, but ${used} are used and ${allocated} would be allocated.`;
}

export interface ScheduledValues {
  readonly effectiveOn: string;
  readonly values: ReadonlyMap<string, string>;
}

/** The error if the limit is lower than the usage and the allocations of the subscription itself; null if it is not. */
export function ownUsageFault(
  feature: FeatureDefinition,
  ownFeature: UsedFeatureRow | undefined,
  today: CalendarDate,
): string | null {
  const limit = ownFeature && isShared(feature) ? limitOf(ownFeature.value) : null;
  if (limit === null || !ownFeature) return null;
  const used = usageOf(ownFeature, today).used + ownFeature.handed_down;
  return used <= limit ? null : `${feature.code} cannot be lower than ${used}, the amount that is used or resold.`;
}

/** The error if the limit is lower than what is used and allocated to resold subscriptions; null if it is not. */
export function childLimitFault(
  feature: FeatureDefinition,
  ownFeature: UsedFeatureRow | undefined,
  { value, allocated }: { value: string; allocated: number },
  today: CalendarDate,
): string | null {
  const limit = limitOf(valueOf(feature, ownFeature));
  if (limit === null) return null;
  if (limitOf(value) === null) return `A resold subscription has unlimited ${feature.code}.`;
  const used = ownFeature ? usageOf(ownFeature, today).used : 0;
  if (allocated === 0 || used + allocated <= limit) return null;
  return `${used} of ${feature.code} are used and ${allocated} are allocated, which is more than ${limit}.`;
}
