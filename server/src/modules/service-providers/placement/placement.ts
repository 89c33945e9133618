import type { ProviderState } from '@foyer/contract/resources/providers/service-provider-health.ts';

/** How much a provider takes, null for what is not limited, and what is on it. */
export interface Capacity {
  readonly maxMeetings: number | null;
  readonly maxParticipants: number | null;
  readonly meetings: number;
  readonly participants: number;
}

/** A provider that a subscription may use, by itself or by its pool; plain values, so that the rules need nothing else. */
export interface Choice extends Capacity {
  readonly id: string;
  /** Which of the subscription's providers it stands for: 0 is the default. */
  readonly place: number;
  /** The tags that the subscription asks for there. */
  readonly wantedTags: readonly string[];
  readonly tags: readonly string[];
  readonly weight: number;
  readonly draining: boolean;
  readonly state: ProviderState;
  /** Who may yet come to meetings that were opened just now. */
  readonly expectedParticipants: number;
}

/** Why no new meeting is opened there. */
export type Obstacle = 'draining' | 'full' | 'tags-missing';

export type Placed<Candidate extends Choice> = Candidate & { readonly obstacle: Obstacle | null };

/**
 * In the order in which they are tried, each once; what no new meeting may be opened on comes last, with the reason.
 * First the default's pool, then those of the others. In a pool: who is well, then who has the least to do for its
 * weight, then by chance. Whoever is known to be down is tried when nobody else is left.
 * @param random from 0 to 1, as `Math.random`
 */
export function inOrder<Candidate extends Choice>(
  choices: readonly Candidate[],
  random: () => number,
): Placed<Candidate>[] {
  const ranked = firstOfEach(choices).map((choice) => {
    const placed = Object.assign({}, choice, { obstacle: obstacleOf(choice) });
    return { placed, key: rankOf(placed, random()) };
  });
  return ranked.toSorted((a, b) => compare(a.key, b.key)).map(({ placed }) => placed);
}

/** A provider may stand in a pool and beside it: where it bears the tags, and the sooner the better. */
function firstOfEach<Candidate extends Choice>(choices: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>();
  const isBetter = (one: Candidate, other: Candidate) =>
    compare([bearsTags(one) ? 0 : 1, one.place], [bearsTags(other) ? 0 : 1, other.place]) < 0;
  for (const choice of choices) {
    const known = best.get(choice.id);
    if (!known || isBetter(choice, known)) best.set(choice.id, choice);
  }
  return [...best.values()];
}

export function obstacleOf(choice: Choice): Obstacle | null {
  if (!bearsTags(choice)) return 'tags-missing';
  if (choice.draining) return 'draining';
  return isFull(choice) ? 'full' : null;
}

export function isFull({ maxMeetings, maxParticipants, meetings, participants }: Capacity): boolean {
  return (
    (maxMeetings !== null && meetings >= maxMeetings) || (maxParticipants !== null && participants >= maxParticipants)
  );
}

/** A member of a pool, as far as its share of the new meetings follows from it. */
export interface Sharer {
  readonly weight: number;
  readonly state: ProviderState;
  readonly takesMeetings: boolean;
}

/**
 * The part of the pool's new meetings that goes to it while all members are as they are, in percent: those who are well
 * share them by weight. The others get some only when nobody before them takes any.
 */
export function shareOf(member: Sharer, pool: readonly Sharer[]): number {
  const best = Math.min(...pool.map(tierOf));
  if (tierOf(member) !== best || best === Infinity) return 0;
  const sharing = pool.filter((other) => tierOf(other) === best);
  const part = ({ weight }: Sharer) => Math.max(weight, 1);
  return (100 * part(member)) / sharing.reduce((sum, other) => sum + part(other), 0);
}

function tierOf({ weight, state, takesMeetings }: Sharer): number {
  if (!takesMeetings) return Infinity;
  return (state === 'degraded' ? 2 : 0) + (weight === 0 ? 1 : 0);
}

function bearsTags({ wantedTags, tags }: Choice): boolean {
  return wantedTags.every((tag) => tags.includes(tag));
}

function rankOf(choice: Choice & { obstacle: Obstacle | null }, chance: number): number[] {
  const { place, weight, state, participants, expectedParticipants } = choice;
  return [
    choice.obstacle === null ? 0 : 1,
    state === 'down' ? 1 : 0,
    place,
    state === 'degraded' ? 1 : 0,
    weight === 0 ? 1 : 0,
    (participants + expectedParticipants) / Math.max(weight, 1),
    // Who comes at the same instant sees the same load: by weighted chance they do not all go to the same one.
    -Math.log(1 - chance) / Math.max(weight, 1),
  ];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

/** The tags that the settings of a provider of a subscription ask for. */
export function wantedTagsOf(settings: Readonly<Record<string, unknown>>): string[] {
  const tags = settings['tags'];
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
}
