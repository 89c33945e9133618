const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay after each failed attempt. After the last one, the delivery has failed. */
const delaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const jitter = 0.1;

/** How long a webhook may fail without a success before it is disabled. */
export const disabledAfterMs = 72 * hour;

/**
 * The delay before the next attempt, in milliseconds; null to give up.
 * @param tries the attempts so far, at least 1
 * @param random from 0 to 1: spreads the attempts of many deliveries that failed together
 */
export function retryDelayMs(tries: number, random: number): number | null {
  const delay = delaysMs[tries - 1];
  return delay === undefined ? null : Math.round(delay * (1 + jitter * random));
}
