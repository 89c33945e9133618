import type { ProviderState } from '@foyer/contract/resources/providers/service-provider-health.ts';

/** The limits of a provider (null: unlimited) and its load. */
export interface Capacity {
  readonly maxMeetings: number | null;
  readonly maxParticipants: number | null;
  readonly meetings: number;
  readonly participants: number;
}

/**
 * A provider that a subscription can use, directly or through its pool. Plain values, so that the rules are pure
 * functions.
 */
export interface PlacementCandidate extends Capacity {
  readonly id: string;
  /** Index of the subscription's provider through which this one is reachable. 0 is the default provider. */
  readonly poolIndex: number;
  /** The tags that the subscription requires. */
  readonly requiredTags: readonly string[];
  readonly tags: readonly string[];
  readonly weight: number;
  readonly draining: boolean;
  readonly state: ProviderState;
  /** Participants who are expected in meetings that have just started. */
  readonly expectedParticipants: number;
}

/** Why a provider takes no new meeting. */
export type Obstacle = 'draining' | 'full' | 'tags-missing';

/** A candidate with the reason why it takes no new meeting; null if it takes one. */
export type RankedCandidate<Candidate extends PlacementCandidate> = Candidate & { readonly obstacle: Obstacle | null };

/**
 * Orders the providers as they are tried, each once. Sorts by, in this order: can take a meeting, is not down, pool (that
 * of the default provider first), is not degraded, has a weight above 0, load relative to weight, a random value.
 * @param random from 0 to 1, as `Math.random`
 */
export function orderCandidates<Candidate extends PlacementCandidate>(
  candidates: readonly Candidate[],
  random: () => number,
): RankedCandidate<Candidate>[] {
  const ranked = deduplicate(candidates).map((candidate) => {
    const rankedCandidate = Object.assign({}, candidate, { obstacle: obstacleOf(candidate) });
    return { rankedCandidate, key: sortKeyOf(rankedCandidate, random()) };
  });
  return ranked.toSorted((a, b) => compare(a.key, b.key)).map(({ rankedCandidate }) => rankedCandidate);
}

/** A provider can appear several times, directly and in a pool. Uses the first appearance for which it has the tags. */
function deduplicate<Candidate extends PlacementCandidate>(candidates: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>();
  const isBetter = (one: Candidate, other: Candidate) =>
    compare([hasRequiredTags(one) ? 0 : 1, one.poolIndex], [hasRequiredTags(other) ? 0 : 1, other.poolIndex]) < 0;
  for (const candidate of candidates) {
    const current = best.get(candidate.id);
    if (!current || isBetter(candidate, current)) best.set(candidate.id, candidate);
  }
  return [...best.values()];
}

export function obstacleOf(candidate: PlacementCandidate): Obstacle | null {
  if (!hasRequiredTags(candidate)) return 'tags-missing';
  if (candidate.draining) return 'draining';
  return isFull(candidate) ? 'full' : null;
}

export function isFull({ maxMeetings, maxParticipants, meetings, participants }: Capacity): boolean {
  return (
    (maxMeetings !== null && meetings >= maxMeetings) || (maxParticipants !== null && participants >= maxParticipants)
  );
}

/** The values of a provider in a pool that determine its share of new meetings. */
export interface PoolMember {
  readonly weight: number;
  readonly state: ProviderState;
  readonly takesMeetings: boolean;
}

/**
 * The percentage of the pool's new meetings that the member gets in the current state: healthy members share them by
 * weight; others get some only if no healthy one takes any.
 */
export function shareOf(member: PoolMember, pool: readonly PoolMember[]): number {
  const best = Math.min(...pool.map(tierOf));
  if (tierOf(member) !== best || best === Infinity) return 0;
  const sharing = pool.filter((other) => tierOf(other) === best);
  const part = ({ weight }: PoolMember) => Math.max(weight, 1);
  return (100 * part(member)) / sharing.reduce((sum, other) => sum + part(other), 0);
}

function tierOf({ weight, state, takesMeetings }: PoolMember): number {
  if (!takesMeetings) return Infinity;
  return (state === 'degraded' ? 2 : 0) + (weight === 0 ? 1 : 0);
}

function hasRequiredTags({ requiredTags, tags }: PlacementCandidate): boolean {
  return requiredTags.every((tag) => tags.includes(tag));
}

function sortKeyOf(candidate: PlacementCandidate & { obstacle: Obstacle | null }, chance: number): number[] {
  const { poolIndex, weight, state, participants, expectedParticipants } = candidate;
  return [
    candidate.obstacle === null ? 0 : 1,
    state === 'down' ? 1 : 0,
    poolIndex,
    state === 'degraded' ? 1 : 0,
    weight === 0 ? 1 : 0,
    (participants + expectedParticipants) / Math.max(weight, 1),
    // Concurrent requests see the same load. The weighted random choice keeps them from all choosing the same provider.
    -Math.log(1 - chance) / Math.max(weight, 1),
  ];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

/** The tags that a subscription requires, from its settings for the provider. */
export function requiredTagsOf(settings: Readonly<Record<string, unknown>>): string[] {
  const tags = settings['tags'];
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
}
