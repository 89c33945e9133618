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

const nothing = { used: new Map(), handedDown: new Map(), unlimitedBelow: new Map() };

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
  const next = to === null ? [] : [{ tag, value: to }];
  const [difference] = compareFeatures(new Map([[tag, from]]), next, { ...nothing, used: new Map([[tag, used]]) });
  expect(difference).toMatchObject({ tag, from, to, used, over });
});

test('what is over is told with figures, and only that', () => {
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
      ...nothing,
      used: new Map([
        ['max_rooms', 5],
        ['max_accounts', 1],
      ]),
    },
  );
  expect(describeExcess(differences)).toEqual({ max_rooms: ['5 are used, the new package allows 2.'] });
  expect(differences.find(({ tag }) => tag === 'polls')).toMatchObject({ from: null, to: 'true', over: false });
});

test('what is handed down counts also where the subscription does not have the feature itself', () => {
  const next = [
    { tag: 'max_storage', value: '2' },
    { tag: 'max_recordings', value: '5' },
  ];
  const below = 'sub_01jq0dw000e008000000000001';
  const differences = compareFeatures(new Map(), next, {
    ...nothing,
    handedDown: new Map([['max_recordings', 6]]),
    unlimitedBelow: new Map([['max_storage', [below]]]),
  });
  expect(differences).toMatchObject([
    { tag: 'max_storage', used: 0, handedDown: 0, unlimitedBelow: [below], over: true },
    { tag: 'max_recordings', used: 6, handedDown: 6, unlimitedBelow: [], over: true },
  ]);
  expect(describeExcess(differences)).toEqual({
    max_storage: ['The subscription sub_01jq0dw000e008000000000001 below has no limit, the new package allows 2.'],
    max_recordings: ['6 are used, the new package allows 5.'],
  });
});
