import { expect, test } from 'vitest';
import { sessionEnds } from './session-ends.ts';

const sessions = [
  { roomId: 'late', paidUntilMs: 50_000 },
  { roomId: 'early', paidUntilMs: 10_000 },
  { roomId: 'middle', paidUntilMs: 30_000 },
];

test('no session ends while each has a minute left', () => {
  expect(sessionEnds(sessions, 3)).toEqual(new Map());
  expect(sessionEnds(sessions, 100)).toEqual(new Map());
});

test('the minutes that are left go to the sessions whose minute ends first', () => {
  expect(sessionEnds(sessions, 2)).toEqual(new Map([['late', 50_000]]));
  expect(sessionEnds(sessions, 1)).toEqual(
    new Map([
      ['middle', 30_000],
      ['late', 50_000],
    ]),
  );
});

test('if no minutes are left, each session ends with its last minute', () => {
  for (const minutesLeft of [0, -4])
    expect([...sessionEnds(sessions, minutesLeft).keys()]).toEqual(['early', 'middle', 'late']);
});
