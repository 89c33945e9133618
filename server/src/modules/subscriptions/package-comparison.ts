import { findFeature, limitOf } from '@foyer/contract/features.ts';

export type Direction = 'upgrade' | 'downgrade' | 'lateral';
export type ChangeTime = 'now' | 'period_end';

export interface FeatureDifference {
  readonly tag: string;
  /** Null: the one or the other does not have it. */
  readonly from: string | null;
  readonly to: string | null;
  readonly used: number;
  /** More is used than the new value allows. */
  readonly over: boolean;
  /** What the new package allows; null: any number. */
  readonly limit: number | null;
}

export function directionOf(from: number | null, to: number | null): Direction {
  if (from === null || to === null || from === to) return 'lateral';
  return to > from ? 'upgrade' : 'downgrade';
}

/** Who pays for more keeps it until the period ends; whoever wants more has it at once. */
export function usualTimeOf(direction: Direction): ChangeTime {
  return direction === 'downgrade' ? 'period_end' : 'now';
}

/**
 * Every feature of either side: those of the new package in its order, then those that go.
 * @param unlimitedBelow of which no limit can be set, since any number was handed down
 */
export function compareFeatures(
  current: readonly { readonly tag: string; readonly value: string; readonly used: number }[],
  next: readonly { readonly tag: string; readonly value: string }[],
  unlimitedBelow: ReadonlySet<string> = new Set(),
): FeatureDifference[] {
  const had = new Map(current.map((feature) => [feature.tag, feature]));
  const gets = new Map(next.map((feature) => [feature.tag, feature.value]));
  return [...new Set([...gets.keys(), ...had.keys()])].map((tag) => {
    const used = had.get(tag)?.used ?? 0;
    const to = gets.get(tag) ?? null;
    const limit = limitAfter(tag, to);
    return {
      tag,
      from: had.get(tag)?.value ?? null,
      to,
      used,
      over: limit !== null && (used > limit || unlimitedBelow.has(tag)),
      limit,
    };
  });
}

/** Figures of what is over its limit, by feature. */
export function describeExcess(differences: readonly FeatureDifference[]): Record<string, string[]> {
  return Object.fromEntries(
    differences
      .filter(({ over }) => over)
      .map(({ tag, used, limit }) => [tag, [`${used} are used, the new package allows ${limit ?? 0}.`]]),
  );
}

function limitAfter(tag: string, value: string | null): number | null {
  const feature = findFeature(tag);
  if (feature?.valueType !== 'limit') return null;
  return limitOf(value ?? feature.absentValue ?? '0');
}
