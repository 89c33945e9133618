/** A running session that shares its minutes with others. */
interface PaidSession {
  readonly roomId: string;
  /** The end of the last charged minute, in milliseconds since 1970. */
  readonly paidUntilMs: number;
}

/**
 * Computes when sessions that share the remaining minutes must end, by room. Each session continues to the end of its
 * last charged minute. The sessions whose minute ends first get one more minute each, while there are any left; they are
 * not in the result.
 */
export function computeSessionEnds(sessions: readonly PaidSession[], minutesLeft: number): Map<string, number> {
  const inOrder = sessions.toSorted((one, other) => one.paidUntilMs - other.paidUntilMs);
  return new Map(inOrder.slice(Math.max(0, minutesLeft)).map(({ roomId, paidUntilMs }) => [roomId, paidUntilMs]));
}
