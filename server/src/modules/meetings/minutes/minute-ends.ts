/** A current stay, with the join time in milliseconds of our clock. */
export interface RunningStay {
  readonly meeting: string;
  readonly sinceMs: number;
}

const minuteMs = 60_000;

/**
 * Computes when each of the meetings that share minutes must end, in milliseconds since 1970, so that their participants
 * together begin no more than `minutes` minutes. A meeting in which a minute is running at that time continues to the end of that minute. Meetings without stays are not
 * in the result. If no minutes are left at all, every meeting must end at its start.
 */
export function computeMinuteEnds(minutes: number, stays: readonly RunningStay[]): Map<string, number> {
  const ends = new Map<string, number>();
  const usedUpMs = exhaustedAtMs(minutes, stays);
  for (const { meeting, sinceMs } of stays) {
    const endMs = sinceMs + Math.max(0, Math.ceil((usedUpMs - sinceMs) / minuteMs)) * minuteMs;
    ends.set(meeting, Math.min(ends.get(meeting) ?? endMs, endMs));
  }
  return ends;
}

/** The millisecond at which the first minute beyond the limit begins. */
function exhaustedAtMs(minutes: number, stays: readonly RunningStay[]): number {
  if (stays.length === 0) return Infinity;
  const begunAt = (ms: number) =>
    stays.reduce((sum, { sinceMs }) => sum + (ms < sinceMs ? 0 : Math.floor((ms - sinceMs) / minuteMs) + 1), 0);
  const starts = stays.map(({ sinceMs }) => sinceMs);
  let early = starts.reduce((least, ms) => Math.min(least, ms));
  let late = early + (Math.max(0, minutes) + 1) * minuteMs;
  while (early < late) {
    const middle = Math.floor((early + late) / 2);
    if (begunAt(middle) > minutes) late = middle;
    else early = middle + 1;
  }
  return late;
}
