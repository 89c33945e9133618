/** A running session that shares its minutes with others. */
interface ChargedSession {
  readonly roomId: string;
  /** The end of the last charged minute, in milliseconds since 1970. */
  readonly chargedUntilMs: number;
}

/**
 * Computes when sessions that share the remaining minutes must end, by room. Each session continues to the end of its
 * last charged minute. If minutes remain, the sessions whose charged minute ends first get one more each. Sessions that
 * get one are not in the result.
 */
export function computeSessionEnds(sessions: readonly ChargedSession[], minutesLeft: number): Map<string, number> {
  const inOrder = sessions.toSorted((one, other) => one.chargedUntilMs - other.chargedUntilMs);
  return new Map(inOrder.slice(Math.max(0, minutesLeft)).map(({ roomId, chargedUntilMs }) => [roomId, chargedUntilMs]));
}
