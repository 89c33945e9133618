import { expect, test } from 'vitest';
import { disabledAfterMs, retryDelayMs } from './retry-schedule.ts';

const minutes = (ms: number | null) => (ms === null ? null : ms / 60_000);
const attempts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

test('a failed delivery is sent again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then given up', () => {
  const shortest = attempts.map((tries) => minutes(retryDelayMs(tries, 0)));
  expect(shortest).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, null]);
});

test('each delay is extended at random by at most a tenth, which spreads deliveries that failed together', () => {
  for (const tries of attempts.slice(0, -1)) {
    const delay = retryDelayMs(tries, 0) ?? 0;
    expect(retryDelayMs(tries, 0.5)).toBeCloseTo(delay * 1.05);
    expect(retryDelayMs(tries, 1)).toBeCloseTo(delay * 1.1);
  }
});

test('a webhook that always fails is disabled by the last attempt of its first delivery at the latest', () => {
  const total = attempts.reduce((sum, tries) => sum + (retryDelayMs(tries, 0) ?? 0), 0);
  expect(disabledAfterMs).toBe(3 * 86_400_000);
  expect(total).toBeGreaterThan(disabledAfterMs);
});
