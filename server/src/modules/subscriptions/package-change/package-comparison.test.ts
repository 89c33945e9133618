import { expect, test } from 'vitest';
import { compareFeatures, describeExcess, directionOf, defaultTimeOf } from './package-comparison.ts';

test.each([
  [1, 2, 'upgrade', 'now'],
  [2, 1, 'downgrade', 'period_end'],
  [2, 2, 'lateral', 'now'],
  [null, 2, 'lateral', 'now'],
  [0, null, 'lateral', 'now'],
] as const)('a change from tier %s to %s is of the kind %s and by default applies %s', (from, to, direction, when) => {
  expect(directionOf(from, to)).toBe(direction);
  expect(defaultTimeOf(direction)).toBe(when);
});

const noUsage = { used: new Map(), allocated: new Map(), unlimitedBelow: new Map() };

test.each([
  ['exactly the limit', 'max_rooms', '3', 3, '3', false],
  ['one more than the limit', 'max_rooms', '10', 4, '3', true],
  ['any number of a feature that becomes unlimited', 'max_rooms', '10', 4, 'unlimited', false],
  ['one of a counted feature that is removed', 'max_rooms', '10', 1, null, true],
  ['none of a counted feature that is removed', 'max_rooms', '10', 0, null, false],
  ['a limit that is removed', 'max_participants', '10', 0, null, false],
  ['a flag that is removed', 'recording', 'true', 0, null, false],
  ['a tag that is not in the catalogue', 'brand', 'gold', 0, null, false],
] as const)('used: %s', (_, tag, from, used, to, isExceeded) => {
  const next = to === null ? [] : [{ tag, value: to }];
  const [difference] = compareFeatures(new Map([[tag, from]]), next, { ...noUsage, used: new Map([[tag, used]]) });
  expect(difference).toMatchObject({ tag, from, to, used, isExceeded });
});

test('only exceeded limits are described, with their figures', () => {
  const differences = compareFeatures(
    new Map([
      ['max_rooms', '9'],
      ['max_accounts', '9'],
    ]),
    [
      { tag: 'max_rooms', value: '2' },
      { tag: 'max_accounts', value: '2' },
      { tag: 'polls', value: 'true' },
    ],
    {
      ...noUsage,
      used: new Map([
        ['max_rooms', 5],
        ['max_accounts', 1],
      ]),
    },
  );
  expect(describeExcess(differences)).toEqual({ max_rooms: ['5 are used, the new package allows 2.'] });
  expect(differences.find(({ tag }) => tag === 'polls')).toMatchObject({ from: null, to: 'true', isExceeded: false });
});

test('allocations count even if the subscription does not have the feature itself', () => {
  const next = [
    { tag: 'max_storage', value: '2' },
    { tag: 'max_recordings', value: '5' },
  ];
  const below = 'sub_01jq0dw000e008000000000001';
  const differences = compareFeatures(new Map(), next, {
    ...noUsage,
    allocated: new Map([['max_recordings', 6]]),
    unlimitedBelow: new Map([['max_storage', [below]]]),
  });
  expect(differences).toMatchObject([
    { tag: 'max_storage', used: 0, allocated: 0, unlimitedBelow: [below], isExceeded: true },
    { tag: 'max_recordings', used: 6, allocated: 6, unlimitedBelow: [], isExceeded: true },
  ]);
  expect(describeExcess(differences)).toEqual({
    max_storage: ['The resold subscription sub_01jq0dw000e008000000000001 has no limit, the new package allows 2.'],
    max_recordings: ['6 are used, the new package allows 5.'],
  });
});
