import { epochMs, type Instant, printInstant } from '../../../platform/time/instant.ts';

interface SessionTimes {
  readonly started_at: Instant;
  readonly ended_at: Instant | null;
  readonly end_reason: string | null;
  /** The remaining minutes that were sent to the media server. */
  readonly minutes_left: number | null;
}

/** A session that the media server ends when its minutes are used up ends some moments after its last minute. */
const endingMs = 5000;
/** The media server refuses a picture that is too large once its size arrives, which is after the start of the session. */
const refusalMs = 10_000;

/** The minutes that have begun by then; none if its picture was refused at the start. */
export function minutesOf(
  { started_at: startedAt, ended_at: endedAt, end_reason: reason, minutes_left: limit }: SessionTimes,
  at: Instant,
) {
  const end = endedAt ?? at;
  const lengthMs = Math.max(0, epochMs(printInstant(end)) - epochMs(printInstant(startedAt)));
  if (reason === 'max-resolution' && lengthMs <= refusalMs) return 0;
  const minutes = Math.max(1, Math.ceil(lengthMs / 60_000));
  const isEndedInTime = limit !== null && endedAt !== null && lengthMs <= limit * 60_000 + endingMs;
  return isEndedInTime ? Math.max(1, Math.min(minutes, limit)) : minutes;
}
