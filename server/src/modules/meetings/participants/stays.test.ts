import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minutesOf, peakOf, sessionsOf, type Sightings, staysOf } from './stays.ts';

const from = at(0);

/** Seconds after the beginning of the meeting. */
function at(seconds: number): string {
  return `${new Date(Date.UTC(2026, 2, 10, 12) + seconds * 1000).toISOString().slice(0, 23)}000Z`;
}

function stays(joins: readonly number[], leaves: readonly number[], end: number | null = null) {
  const sightings = { joinTimes: joins.map(at), leaveTimes: leaves.map(at) };
  return staysOf(sightings, { from, to: end === null ? null : at(end) }).map(({ joinedAt, leftAt }) => [
    (Date.parse(joinedAt) - Date.parse(from)) / 1000,
    leftAt === null ? null : (Date.parse(leftAt) - Date.parse(from)) / 1000,
  ]);
}

test.each([
  ['a join without a leave is an open stay', [10], [], null, [[10, null]]],
  ['a join and a leave are one stay', [10], [100], null, [[10, 100]]],
  ['a leave without a join is ignored', [], [100], null, []],
  ['only the first of repeated joins and the first of repeated leaves count', [10, 60], [100, 120], null, [[10, 100]]],
  [
    'a second join after a leave starts a second stay',
    [10, 300],
    [100],
    null,
    [
      [10, 100],
      [300, null],
    ],
  ],
  ['a second join within a minute continues the stay', [10, 160], [100], null, [[10, null]]],
  ['a join and a leave at the same instant are a stay of zero length', [10], [10], null, [[10, 10]]],
  [
    'a join and a leave before the start, from a clock that is behind, are a stay of zero length',
    [-50],
    [-20],
    90,
    [[0, 0]],
  ],
  ['a leave and a join at the same instant continue the stay', [10, 100], [100], null, [[10, null]]],
  ['an open stay ends with the meeting', [10], [], 90, [[10, 90]]],
  ['a leave after the end counts as a leave at the end', [10], [500], 90, [[10, 90]]],
  ['a join after the end is ignored', [100], [], 90, []],
  ['a join before the start counts as a join at the start', [-50], [60], null, [[0, 60]]],
] as const)('%s', (_, joins, leaves, end, expected) => {
  expect(stays(joins, leaves, end)).toEqual(expected);
});

const seconds = fc.array(fc.integer({ min: -100, max: 5000 }), { maxLength: 12 });

test('the result depends neither on the order nor on repetitions of the observations', () => {
  fc.assert(
    fc.property(
      seconds,
      seconds,
      fc.option(fc.integer({ min: 0, max: 6000 })),
      fc.nat(),
      (joins, leaves, end, turn) => {
        const repeatAndReorder = (list: readonly number[]) => {
          const cut = list.length === 0 ? 0 : turn % list.length;
          return [...list.slice(cut), ...list, ...list.slice(0, cut)].reverse();
        };
        expect(stays(repeatAndReorder(joins), repeatAndReorder(leaves), end)).toEqual(stays(joins, leaves, end));
      },
    ),
  );
});

test('stays are ordered, more than a minute apart and within the meeting; only the last one can be open', () => {
  fc.assert(
    fc.property(seconds, seconds, fc.option(fc.integer({ min: 0, max: 6000 })), (joins, leaves, end) => {
      const result = stays(joins, leaves, end);
      for (const [index, [joined = Number.NaN, left = null]] of result.entries()) {
        expect(Number(joined)).toBeGreaterThanOrEqual(0);
        if (left !== null) expect(left).toBeGreaterThanOrEqual(Number(joined));
        if (end !== null) expect(left ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(end);
        const next = result[index + 1]?.[0];
        if (next !== undefined) expect(Number(next) - Number(left)).toBeGreaterThan(60);
        if (left === null) expect(index).toBe(result.length - 1);
      }
    }),
  );
});

test.each([
  [0, 1],
  [1, 1],
  [60, 1],
  [61, 2],
  [119, 2],
  [3600, 60],
])('%i seconds are %i started minutes', (durationSeconds, minutes) => {
  expect(minutesOf({ joinedAt: from, leftAt: at(durationSeconds) }, from)).toBe(minutes);
  expect(minutesOf({ joinedAt: from, leftAt: null }, at(durationSeconds))).toBe(minutes);
});

test('the peak counts simultaneous participants; a join at the instant of a leave does not add to it', () => {
  const stay = (joined: number, left: number | null) => ({
    joinedAt: at(joined),
    leftAt: left === null ? null : at(left),
  });
  expect(peakOf([])).toBe(0);
  expect(peakOf([stay(0, 10), stay(10, 20)])).toBe(1);
  expect(peakOf([stay(0, 11), stay(10, 20), stay(15, null)])).toBe(2);
  expect(peakOf([stay(5, 5)])).toBe(1);
});

test('overlapping sessions of one user are separated by the number of open sessions', () => {
  const sightings: Sightings = { joinTimes: [at(0), at(50), at(500)], leaveTimes: [at(100), at(200), at(600)] };
  expect(sessionsOf(sightings)).toEqual([
    { joinTimes: [at(0), at(500)], leaveTimes: [at(200), at(600)] },
    { joinTimes: [at(50)], leaveTimes: [at(100)] },
  ]);
  expect(sessionsOf({ joinTimes: [], leaveTimes: [at(100)] })).toEqual([{ joinTimes: [], leaveTimes: [] }]);
});
