/** A running session that shares its minutes with others. */
interface PaidSession {
  readonly roomId: string;
  /** The end of the last charged minute, in milliseconds since 1970. */
  readonly paidUntilMs: number;
}

/**
 * When sessions that share these minutes must end, by room. Each continues to the end of its last minute. The remaining
 * minutes go to the sessions whose current minute ends first. Sessions that can run for more than a minute are left
 * out.
 */
export function sessionEnds(sessions: readonly PaidSession[], minutesLeft: number): Map<string, number> {
  const inOrder = sessions.toSorted((one, other) => one.paidUntilMs - other.paidUntilMs);
  return new Map(inOrder.slice(Math.max(0, minutesLeft)).map(({ roomId, paidUntilMs }) => [roomId, paidUntilMs]));
}
