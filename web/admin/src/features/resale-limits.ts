import { findFeature, sharedLimits } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { unlimited } from '@foyer/contract/resources/packages/feature-definition.ts';

/** A feature of a reseller's subscription with its used and resold amounts. */
export interface SourceFeature {
  readonly tag: string;
  readonly value: string;
  readonly usage: { readonly data: { readonly used: number; readonly handed_down: number } };
}

/** The maximum of a feature that the reseller can resell, as a stored value. */
export function maximumOf(tag: string, source: SourceFeature | undefined): string {
  const value = source?.value ?? findFeature(tag)?.absentValue ?? '';
  if (source === undefined || value === unlimited || !sharedLimits.includes(tag)) return value;
  return String(Math.max(0, (limitOf(value) ?? 0) - source.usage.data.used - source.usage.data.handed_down));
}

/** The customer's value, limited to the amount that the reseller can resell. */
export function capTo(tag: string, value: string, maximum: string): string {
  const { valueType } = findFeature(tag) ?? {};
  if (valueType === 'flag') return maximum === 'true' ? value : 'false';
  if (valueType !== 'limit' || maximum === unlimited) return value;
  if (value === unlimited) return maximum;
  return String(Math.min(limitOf(value) ?? 0, limitOf(maximum) ?? 0));
}
