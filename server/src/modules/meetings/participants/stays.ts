/** An instant as text, `YYYY-MM-DDTHH:MM:SS.ffffffZ`: instants compare as text does. */
type Instant = string;

/** All known instants of joining and leaving, from any source, in any order. */
export interface Sightings {
  readonly joinTimes: readonly Instant[];
  readonly leaveTimes: readonly Instant[];
}

export interface Stay {
  readonly joinedAt: Instant;
  /** Null for a current stay. */
  readonly leftAt: Instant | null;
}

/** Time outside of the meeting does not count. */
export interface MeetingSpan {
  readonly from: Instant | null;
  /** Null while the meeting is running. */
  readonly to: Instant | null;
}

/** A shorter absence does not count as leaving, for example when the participant reloads the page. */
export const maxAbsenceMs = 60_000;

/**
 * Computes the stays from the sightings, in order. The result does not depend on the source of the sightings, their
 * order, or repetitions.
 */
export function staysOf({ joinTimes, leaveTimes }: Sightings, { from, to }: MeetingSpan): Stay[] {
  const joins = new Set(joinTimes.filter((at) => to === null || at <= to));
  const leaves = new Set(leaveTimes);
  const stays: Stay[] = [];
  let joinedAt: Instant | null = null;
  for (const instant of [...new Set([...joins, ...leaves])].sort(compare)) {
    const at = clampInstant(instant, from, to);
    // A join and a leave at the same instant cancel each other.
    const isBoth = joins.has(instant) && leaves.has(instant);
    if (isBoth && joinedAt !== null) continue;
    if (joins.has(instant)) joinedAt ??= resumeLastStay(stays, at) ?? at;
    if (leaves.has(instant) && joinedAt !== null) {
      stays.push({ joinedAt, leftAt: at });
      joinedAt = null;
    }
  }
  if (joinedAt !== null) stays.push({ joinedAt, leftAt: to });
  return stays;
}

/** Continues the last stay if it ended a moment ago. */
function resumeLastStay(stays: Stay[], at: Instant): Instant | null {
  const last = stays.at(-1);
  if (!last || last.leftAt === null || Date.parse(at) - Date.parse(last.leftAt) > maxAbsenceMs) return null;
  stays.pop();
  return last.joinedAt;
}

/** The number of begun minutes, at least one. */
export function minutesOf({ joinedAt, leftAt }: Stay, now: Instant): number {
  return Math.max(1, Math.ceil((Date.parse(leftAt ?? now) - Date.parse(joinedAt)) / 60_000));
}

/** The largest number of simultaneous stays; at the same instant, leaves come before joins. */
export function peakOf(stays: readonly Stay[]): number {
  const steps = stays
    .flatMap(({ joinedAt, leftAt }) => [
      { at: joinedAt, delta: 1 },
      ...(leftAt === null ? [] : [{ at: leftAt, delta: -1 }]),
    ])
    .sort((one, other) => compare(one.at, other.at) || one.delta - other.delta);
  let count = 0;
  let peak = 0;
  for (const { delta } of steps) {
    count += delta;
    peak = Math.max(peak, count);
  }
  return Math.max(peak, stays.length > 0 ? 1 : 0);
}

/**
 * Splits the sightings of a user who had several sessions at once: the second list covers the time in which at least two
 * were open, the third at least three, and so on. There is at least one list.
 */
export function sessionsOf({ joinTimes, leaveTimes }: Sightings): Sightings[] {
  const steps = [...joinTimes.map((at) => ({ at, delta: 1 })), ...leaveTimes.map((at) => ({ at, delta: -1 }))].sort(
    (one, other) => compare(one.at, other.at) || other.delta - one.delta,
  );
  const sessions: { joinTimes: Instant[]; leaveTimes: Instant[] }[] = [{ joinTimes: [], leaveTimes: [] }];
  let openCount = 0;
  for (const { at, delta } of steps) {
    if (delta > 0) (sessions[openCount++] ??= { joinTimes: [], leaveTimes: [] }).joinTimes.push(at);
    else if (openCount > 0) sessions[--openCount]?.leaveTimes.push(at);
  }
  return sessions;
}

function clampInstant(at: Instant, from: Instant | null, to: Instant | null): Instant {
  const notBefore = from !== null && at < from ? from : at;
  return to !== null && notBefore > to ? to : notBefore;
}

function compare(one: Instant, other: Instant): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
