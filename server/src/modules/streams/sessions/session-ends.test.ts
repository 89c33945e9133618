import { expect, test } from 'vitest';
import { computeSessionEnds } from './session-ends.ts';

const sessions = [
  { roomId: 'late', chargedUntilMs: 50_000 },
  { roomId: 'early', chargedUntilMs: 10_000 },
  { roomId: 'middle', chargedUntilMs: 30_000 },
];

test('no session ends while each has a minute left', () => {
  expect(computeSessionEnds(sessions, 3)).toEqual(new Map());
  expect(computeSessionEnds(sessions, 100)).toEqual(new Map());
});

test('the minutes that are left go to the sessions whose minute ends first', () => {
  expect(computeSessionEnds(sessions, 2)).toEqual(new Map([['late', 50_000]]));
  expect(computeSessionEnds(sessions, 1)).toEqual(
    new Map([
      ['middle', 30_000],
      ['late', 50_000],
    ]),
  );
});

test('if no minutes are left, each session ends with its last minute', () => {
  for (const minutesLeft of [0, -4])
    expect([...computeSessionEnds(sessions, minutesLeft).keys()]).toEqual(['early', 'middle', 'late']);
});
