import { epochMs, type Instant, printInstant } from '../../../platform/time/instant.ts';

interface SessionTimes {
  readonly started_at: Instant;
  readonly ended_at: Instant | null;
  readonly end_reason: string | null;
  /** The remaining minutes that were sent to the media server. */
  readonly minutes_left: number | null;
}

/** If the minutes are used up, the media server ends the session up to this long after its last minute. */
const endingMs = 5000;
/** The media server rejects a picture that is too large as soon as it knows the size, shortly after the start. */
const refusalMs = 10_000;

/** The started minutes of the session; 0 if the media server rejected its picture at the start. */
export function minutesOf(
  { started_at: startedAt, ended_at: endedAt, end_reason: reason, minutes_left: limit }: SessionTimes,
  now: Instant,
) {
  const end = endedAt ?? now;
  const lengthMs = Math.max(0, epochMs(printInstant(end)) - epochMs(printInstant(startedAt)));
  if (reason === 'max-resolution' && lengthMs <= refusalMs) return 0;
  const isUsedUp = endedAt !== null && reason === 'stream-minutes-used-up';
  const minutes = Math.max(1, Math.ceil((lengthMs - (isUsedUp ? endingMs : 0)) / 60_000));
  const isEndedInTime = limit !== null && endedAt !== null && lengthMs <= limit * 60_000 + endingMs;
  return isEndedInTime ? Math.max(1, Math.min(minutes, limit)) : minutes;
}
