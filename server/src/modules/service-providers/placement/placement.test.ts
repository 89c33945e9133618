import { expect, test } from 'vitest';
import { type Choice, orderCandidates, obstacleOf, shareOf, type PoolMember, requiredTagsOf } from './placement.ts';

const plain: Choice = {
  id: 'a',
  poolIndex: 0,
  requiredTags: [],
  tags: [],
  weight: 100,
  draining: false,
  maxMeetings: null,
  maxParticipants: null,
  state: 'healthy',
  meetings: 0,
  participants: 0,
  expectedParticipants: 0,
};

function choice(id: string, changes: Partial<Choice> = {}): Choice {
  return { ...plain, id, ...changes };
}

function order(choices: readonly Choice[], random: () => number = () => 0.5): string[] {
  return orderCandidates(choices, random).map(({ id, obstacle }) => (obstacle === null ? id : `${id} ${obstacle}`));
}

test('the server with the lowest load for its weight comes first', () => {
  const choices = [
    choice('busy', { participants: 90 }),
    choice('strong', { participants: 100, weight: 300 }),
    choice('idle', { participants: 5 }),
    choice('weak', { participants: 5, weight: 10 }),
  ];
  expect(order(choices)).toEqual(['idle', 'strong', 'weak', 'busy']);
});

test('expected participants of new meetings count as present', () => {
  expect(order([choice('opening', { expectedParticipants: 30 }), choice('running', { participants: 20 })])).toEqual([
    'running',
    'opening',
  ]);
});

test('the pool of the default provider comes first, regardless of its load', () => {
  const choices = [choice('other', { poolIndex: 1 }), choice('full pool', { participants: 500 })];
  expect(order(choices)).toEqual(['full pool', 'other']);
});

test('degraded providers come after healthy ones in their pool, and those that are down come last', () => {
  const choices = [
    choice('down', { state: 'down' }),
    choice('degraded', { state: 'degraded' }),
    choice('unknown', { state: 'unknown', participants: 1 }),
    choice('healthy', { participants: 2 }),
    choice('other', { poolIndex: 1 }),
  ];
  expect(order(choices)).toEqual(['unknown', 'healthy', 'degraded', 'other', 'down']);
});

test('a provider with weight 0 only gets meetings if no other one in its pool can take them', () => {
  expect(order([choice('spare', { weight: 0 }), choice('busy', { participants: 1000 })])).toEqual(['busy', 'spare']);
  expect(order([choice('spare', { weight: 0 }), choice('drained', { draining: true })])).toEqual([
    'spare',
    'drained draining',
  ]);
});

test.each([
  [{}, null],
  [{ draining: true }, 'draining'],
  [{ maxMeetings: 3, meetings: 2 }, null],
  [{ maxMeetings: 3, meetings: 3 }, 'full'],
  [{ maxMeetings: 3, meetings: 4 }, 'full'],
  [{ maxParticipants: 10, participants: 9, expectedParticipants: 10 }, null],
  [{ maxParticipants: 10, participants: 10 }, 'full'],
  [{ requiredTags: ['eu'], tags: ['eu', 'gpu'] }, null],
  [{ requiredTags: ['eu', 'recording'], tags: ['eu'] }, 'tags-missing'],
  [{ requiredTags: ['EU'], tags: ['eu'] }, 'tags-missing'],
] as const)('a provider with %j has the obstacle %j', (changes, obstacle) => {
  expect(obstacleOf(choice('a', changes))).toBe(obstacle);
});

test('a provider that appears twice is listed once, with its tags', () => {
  const twice = [choice('a', { requiredTags: ['gpu'] }), choice('a', { poolIndex: 2 }), choice('a', { poolIndex: 1 })];
  expect(orderCandidates(twice, () => 0.5)).toEqual([
    expect.objectContaining({ id: 'a', poolIndex: 1, obstacle: null }),
  ]);
});

test('providers with equal load share meetings by weight', () => {
  const first = { heavy: 0, light: 0 };
  let state = 7;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 4000; round++) {
    const [name] = order([choice('light', { weight: 100 }), choice('heavy', { weight: 300 })], random);
    first[name as 'heavy' | 'light'] += 1;
  }
  expect(first.heavy / (first.heavy + first.light)).toBeCloseTo(0.75, 1);
});

test('the result does not depend on the order of the input', () => {
  const choices = [
    choice('a', { participants: 3 }),
    choice('b', { participants: 1 }),
    choice('c', { participants: 2 }),
  ];
  expect(order(choices)).toEqual(order(choices.toReversed()));
});

test('the required tags come from the settings', () => {
  expect(requiredTagsOf({ tags: ['eu', 7, 'gpu'] })).toEqual(['eu', 'gpu']);
  expect(requiredTagsOf({})).toEqual([]);
  expect(requiredTagsOf({ tags: 'eu' })).toEqual([]);
});

test('new meetings are shared by weight among healthy providers; others get none while one is healthy', () => {
  const member = (changes: Partial<PoolMember> = {}): PoolMember => ({
    weight: 100,
    state: 'healthy',
    takesMeetings: true,
    ...changes,
  });
  const shares = (...pool: readonly PoolMember[]) => pool.map((poolMember) => shareOf(poolMember, pool));
  const down = member({ state: 'down', takesMeetings: false });
  expect(shares(member({ weight: 300 }), member(), down)).toEqual([75, 25, 0]);
  expect(shares(member(), member({ state: 'unknown' }), member({ state: 'degraded' }))).toEqual([50, 50, 0]);
  expect(shares(member({ state: 'degraded' }), member({ state: 'degraded', weight: 300 }), down)).toEqual([25, 75, 0]);
  expect(shares(member({ weight: 0 }), member({ weight: 1 }))).toEqual([0, 100]);
  expect(shares(member({ weight: 0 }), member({ weight: 0 }))).toEqual([50, 50]);
  expect(shares(down, down)).toEqual([0, 0]);
});
