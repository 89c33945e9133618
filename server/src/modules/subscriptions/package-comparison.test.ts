import { expect, test } from 'vitest';
import { compareFeatures, describeExcess, directionOf, usualTimeOf } from './package-comparison.ts';

test.each([
  [1, 2, 'upgrade', 'now'],
  [2, 1, 'downgrade', 'period_end'],
  [2, 2, 'lateral', 'now'],
  [null, 2, 'lateral', 'now'],
  [0, null, 'lateral', 'now'],
] as const)('from tier %s to %s is an %s, usually %s', (from, to, direction, when) => {
  expect(directionOf(from, to)).toBe(direction);
  expect(usualTimeOf(direction)).toBe(when);
});

test.each([
  ['as much as is allowed', 'max_rooms', '3', 3, '3', false],
  ['one more than is allowed', 'max_rooms', '10', 4, '3', true],
  ['anything of what becomes unlimited', 'max_rooms', '10', 4, 'unlimited', false],
  ['anything of a countable that goes', 'max_rooms', '10', 1, null, true],
  ['nothing of a countable that goes', 'max_rooms', '10', 0, null, false],
  ['a cap that goes', 'max_participants', '10', 0, null, false],
  ['a flag that goes', 'recording', 'true', 0, null, false],
  ['a tag that the catalogue does not have', 'brand', 'gold', 0, null, false],
] as const)('used: %s', (_, tag, from, used, to, over) => {
  const [difference] = compareFeatures([{ tag, value: from, used }], to === null ? [] : [{ tag, value: to }]);
  expect(difference).toMatchObject({ tag, from, to, used, over });
});

test('what is over is told with figures, and only that', () => {
  const differences = compareFeatures(
    [
      { tag: 'max_rooms', value: '9', used: 5 },
      { tag: 'max_accounts', value: '9', used: 1 },
    ],
    [
      { tag: 'max_rooms', value: '2' },
      { tag: 'max_accounts', value: '2' },
      { tag: 'polls', value: 'true' },
    ],
  );
  expect(describeExcess(differences)).toEqual({ max_rooms: ['5 are used, the new package allows 2.'] });
  expect(differences.find(({ tag }) => tag === 'polls')).toMatchObject({ from: null, to: 'true', over: false });
});
