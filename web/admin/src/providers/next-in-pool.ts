/** What decides whether a provider gets the next meeting of its pool. */
export interface PoolMember {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  readonly active: boolean;
  readonly draining: boolean;
  readonly state: string;
  readonly meetings: number | null;
  readonly participants: number | null;
  /** False if it is draining, down or full. Does not consider `active`. */
  readonly takesMeetings: boolean;
  /** The share of the pool’s new meetings that this provider gets, in percent. */
  readonly share: number | null;
}

/**
 * The members of a pool in the order in which they are tried for a new meeting: healthy ones first, then by load
 * relative to weight. Members that take no meetings come last.
 */
export function placementOrder(members: readonly PoolMember[]): PoolMember[] {
  return members.toSorted((one, other) => {
    const [left, right] = [rankOf(one), rankOf(other)];
    const index = left.findIndex((value, at) => value !== right[at]);
    return index < 0 ? one.name.localeCompare(other.name) : (left[index] ?? 0) - (right[index] ?? 0);
  });
}

/** Whether the provider is active and takes new meetings. */
export function takesNewMeetings(member: PoolMember): boolean {
  return member.active && member.takesMeetings;
}

/** Whether a provider is tried only if no other provider takes the meeting. */
export function isLastResort({ active, draining, state }: PoolMember): boolean {
  return active && !draining && state === 'down';
}

/** Why a provider takes no new meetings; null if it takes them. */
export function exclusionReason(member: PoolMember): string | null {
  if (!member.active) return 'inactive';
  if (member.draining) return 'draining';
  if (member.state === 'down') return 'down';
  return member.takesMeetings ? null : 'full';
}

function rankOf(member: PoolMember): number[] {
  return [
    takesNewMeetings(member) ? 0 : isLastResort(member) ? 1 : 2,
    member.state === 'degraded' ? 1 : 0,
    member.weight === 0 ? 1 : 0,
    (member.participants ?? 0) / Math.max(member.weight, 1),
  ];
}
