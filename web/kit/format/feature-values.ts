import { type FeatureDefinition, unlimited } from '@foyer/contract/resources/packages/feature-definition.ts';
import { features, findFeature, isCumulative } from '@foyer/contract/resources/packages/features.ts';
import { lowered } from './label.ts';

/** A stored feature value as text: "50 participants", "Unlimited", "On". Null means that the feature is absent. */
export function featureValueText(code: string, value: string | null): string {
  const feature = findFeature(code);
  if (value === null) return absentValueText(code);
  if (feature?.valueType === 'flag') return value === 'true' ? 'On' : 'Off';
  if (feature?.valueType !== 'limit') return value;
  if (value === unlimited) return 'Unlimited';
  const amount = Number(value).toLocaleString('en-GB');
  return feature.unit === null ? amount : `${amount} ${unitFor(feature, Number(value))}`;
}

/** The text for a feature that a subscription does not have: its default in the catalogue. */
export function absentValueText(code: string): string {
  const feature = findFeature(code);
  if (feature === null || feature.absentValue === null) return 'None';
  return feature.absentValue === '0' ? 'None' : featureValueText(code, feature.absentValue);
}

/** Like `featureValueText`, in lower case: "unlimited", "2 GB". */
export function featureValueInSentence(code: string, value: string | null): string {
  return lowered(featureValueText(code, value));
}

/** For display beside the feature's name: "3", "25 participants". */
export function featureAmountText(code: string, value: string | null): string {
  const feature = findFeature(code);
  const isNamed = feature?.unit === feature?.name.toLowerCase();
  return isNamed && value !== null && /^\d+$/.test(value)
    ? Number(value).toLocaleString('en-GB')
    : featureValueInSentence(code, value);
}

export function featureName(code: string): string {
  return findFeature(code)?.name ?? code;
}

/** Replaces feature codes in a sentence with the names of the features. */
export function withFeatureNames(sentence: string): string {
  return sentence.replaceAll(featureCodes, (code) => `“${featureName(code)}”`);
}

/** Only codes that are not English words. */
const featureCodes = new RegExp(
  `\\b(${features
    .map(({ code }) => code)
    .filter((code) => code.includes('_'))
    .join('|')})\\b`,
  'g',
);

/** The used share of a limit, from 0 to 1; null if it is not counted or unlimited. */
export function usedShare(value: string, used: number): number | null {
  if (value === unlimited || !/^\d+$/.test(value)) return null;
  const limit = Number(value);
  return limit === 0 ? 1 : Math.min(1, used / limit);
}

export function isCounted(code: string): boolean {
  const feature = findFeature(code);
  return feature !== null && isCumulative(feature);
}

function unitFor(feature: Pick<FeatureDefinition, 'unit'>, amount: number): string {
  return unitOf(feature.unit ?? '', amount);
}

/** "1 meeting", "2 meetings". */
export function unitOf(unit: string, amount: number): string {
  return amount === 1 ? unit.replace(/s$/, '') : unit;
}
