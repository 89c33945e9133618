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
export interface Choice extends Capacity {
  readonly id: string;
  /** The index of the subscription's provider whose pool it is in: 0 is the default. */
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

export type Placed<Candidate extends Choice> = Candidate & { readonly obstacle: Obstacle | null };

/**
 * Orders the providers as they are tried, each once; those that take no new meeting come last, with the reason. The
 * pool of the default provider comes first, then the pools of the other providers. Within a pool: healthy ones first,
 * then by load relative to weight, then at random. Providers that are down are tried last.
 * @param random from 0 to 1, as `Math.random`
 */
export function orderCandidates<Candidate extends Choice>(
  choices: readonly Candidate[],
  random: () => number,
): Placed<Candidate>[] {
  const ranked = deduplicate(choices).map((choice) => {
    const placed = Object.assign({}, choice, { obstacle: obstacleOf(choice) });
    return { placed, key: rankOf(placed, random()) };
  });
  return ranked.toSorted((a, b) => compare(a.key, b.key)).map(({ placed }) => placed);
}

/** A provider can appear several times, directly and in a pool. Uses the first appearance for which it has the tags. */
function deduplicate<Candidate extends Choice>(choices: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>();
  const isBetter = (one: Candidate, other: Candidate) =>
    compare([hasRequiredTags(one) ? 0 : 1, one.poolIndex], [hasRequiredTags(other) ? 0 : 1, other.poolIndex]) < 0;
  for (const choice of choices) {
    const current = best.get(choice.id);
    if (!current || isBetter(choice, current)) best.set(choice.id, choice);
  }
  return [...best.values()];
}

export function obstacleOf(choice: Choice): Obstacle | null {
  if (!hasRequiredTags(choice)) return 'tags-missing';
  if (choice.draining) return 'draining';
  return isFull(choice) ? 'full' : null;
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

function hasRequiredTags({ requiredTags, tags }: Choice): boolean {
  return requiredTags.every((tag) => tags.includes(tag));
}

function rankOf(choice: Choice & { obstacle: Obstacle | null }, chance: number): number[] {
  const { poolIndex, weight, state, participants, expectedParticipants } = choice;
  return [
    choice.obstacle === null ? 0 : 1,
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

/** The tags in the settings of a subscription's provider. */
export function requiredTagsOf(settings: Readonly<Record<string, unknown>>): string[] {
  const tags = settings['tags'];
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
}
