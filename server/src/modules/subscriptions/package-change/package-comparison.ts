import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';

export type Direction = 'upgrade' | 'downgrade' | 'lateral';
export type ChangeTime = 'now' | 'period_end';

export interface FeatureDifference {
  readonly tag: string;
  /** Null if the subscription does not have the feature. */
  readonly from: string | null;
  /** Null if the new package does not have the feature. */
  readonly to: string | null;
  /** Includes `allocated`. */
  readonly used: number;
  readonly allocated: number;
  /** Resold subscriptions without a limit, if the new package has one. */
  readonly unlimitedBelow: readonly string[];
  readonly isExceeded: boolean;
  /** Null: unlimited. */
  readonly limit: number | null;
}

export function directionOf(from: number | null, to: number | null): Direction {
  if (from === null || to === null || from === to) return 'lateral';
  return to > from ? 'upgrade' : 'downgrade';
}

/** Downgrades wait for the end of the paid period. */
export function defaultTimeOf(direction: Direction): ChangeTime {
  return direction === 'downgrade' ? 'period_end' : 'now';
}

/** The usage of a subscription, by feature tag. */
export interface Consumption {
  readonly used: ReadonlyMap<string, number>;
  readonly allocated: ReadonlyMap<string, number>;
  /** The resold subscriptions without a limit. */
  readonly unlimitedBelow: ReadonlyMap<string, readonly string[]>;
}

/** Compares all features: those of the new package in its order, then those that the new package does not have. */
export function compareFeatures(
  current: ReadonlyMap<string, string>,
  next: readonly { readonly tag: string; readonly value: string }[],
  consumption: Consumption,
): FeatureDifference[] {
  const nextValues = new Map(next.map((feature) => [feature.tag, feature.value]));
  return [...new Set([...nextValues.keys(), ...current.keys()])].map((tag) => {
    const allocated = consumption.allocated.get(tag) ?? 0;
    const used = (consumption.used.get(tag) ?? 0) + allocated;
    const to = nextValues.get(tag) ?? null;
    const limit = limitAfter(tag, to);
    const unlimitedBelow = limit === null ? [] : (consumption.unlimitedBelow.get(tag) ?? []);
    return {
      tag,
      from: current.get(tag) ?? null,
      to,
      used,
      allocated,
      unlimitedBelow,
      isExceeded: limit !== null && (used > limit || unlimitedBelow.length > 0),
      limit,
    };
  });
}

/** The figures of each exceeded limit, by feature tag. */
export function describeExcess(differences: readonly FeatureDifference[]): Record<string, string[]> {
  return Object.fromEntries(
    differences
      .filter(({ isExceeded }) => isExceeded)
      .map((difference) => [difference.tag, [excessSentence(difference)]]),
  );
}

function excessSentence({ used, limit, unlimitedBelow }: FeatureDifference): string {
  const [first, ...others] = unlimitedBelow;
  if (first === undefined) return `${used} are used, the new package allows ${limit ?? 0}.`;
  const names = [first, ...others].join(', ');
  return `The resold ${others.length === 0 ? 'subscription' : 'subscriptions'} ${names} ${others.length === 0 ? 'has' : 'have'} no limit, the new package allows ${limit ?? 0}.`;
}

function limitAfter(tag: string, value: string | null): number | null {
  const feature = findFeature(tag);
  if (feature?.valueType !== 'limit') return null;
  return limitOf(value ?? feature.absentValue ?? '0');
}
