import { type FeatureDefinition, findFeature, unlimited } from '@foyer/contract/features.ts';

/** A stored feature value as people read it, by the catalogue: "50 participants", "Unlimited", "On". */
export function featureValueText(code: string, value: string | null): string {
  const feature = findFeature(code);
  if (value === null) return '–';
  if (feature?.valueType === 'flag') return value === 'true' ? 'On' : 'Off';
  if (feature?.valueType !== 'limit') return value;
  if (value === unlimited) return 'Unlimited';
  const amount = Number(value).toLocaleString('en-GB');
  return feature.unit === null ? amount : `${amount} ${unitFor(feature, Number(value))}`;
}

export function nameOfTag(code: string): string {
  return findFeature(code)?.name ?? code;
}

/** How much of a limit is used, from 0 to 1; null where nothing is counted or nothing is limited. */
export function usedShare(value: string, used: number): number | null {
  if (value === unlimited || !/^\d+$/.test(value)) return null;
  const limit = Number(value);
  return limit === 0 ? 1 : Math.min(1, used / limit);
}

export function isCounted(code: string): boolean {
  return findFeature(code)?.consumable === true;
}

function unitFor(feature: Pick<FeatureDefinition, 'unit'>, amount: number): string {
  const unit = feature.unit ?? '';
  return amount === 1 ? unit.replace(/s$/, '') : unit;
}
