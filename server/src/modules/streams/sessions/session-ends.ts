/** A running session that shares its minutes with others. */
interface PaidSession {
  readonly roomId: string;
  /** When the last minute ends that is charged, in milliseconds since 1970. */
  readonly paidUntilMs: number;
}

/**
 * When sessions that share so many minutes have to end, by room: each goes on to the end of its last minute. Those whose
 * minute ends first get the minutes that are left; sessions that go on for more than a minute are not named.
 */
export function sessionEnds(sessions: readonly PaidSession[], left: number): Map<string, number> {
  const inOrder = sessions.toSorted((one, other) => one.paidUntilMs - other.paidUntilMs);
  return new Map(inOrder.slice(Math.max(0, left)).map(({ roomId, paidUntilMs }) => [roomId, paidUntilMs]));
}
