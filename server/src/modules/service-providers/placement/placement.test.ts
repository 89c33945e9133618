import { expect, test } from 'vitest';
import {
  type PlacementCandidate,
  orderCandidates,
  obstacleOf,
  shareOf,
  type PoolMember,
  requiredTagsOf,
} from './placement.ts';

const plain: PlacementCandidate = {
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

function candidate(id: string, changes: Partial<PlacementCandidate> = {}): PlacementCandidate {
  return { ...plain, id, ...changes };
}

function order(candidates: readonly PlacementCandidate[], random: () => number = () => 0.5): string[] {
  return orderCandidates(candidates, random).map(({ id, obstacle }) => (obstacle === null ? id : `${id} ${obstacle}`));
}

test('the server with the lowest load for its weight comes first', () => {
  const candidates = [
    candidate('busy', { participants: 90 }),
    candidate('strong', { participants: 100, weight: 300 }),
    candidate('idle', { participants: 5 }),
    candidate('weak', { participants: 5, weight: 10 }),
  ];
  expect(order(candidates)).toEqual(['idle', 'strong', 'weak', 'busy']);
});

test('expected participants of new meetings count as present', () => {
  expect(
    order([candidate('opening', { expectedParticipants: 30 }), candidate('running', { participants: 20 })]),
  ).toEqual(['running', 'opening']);
});

test('the pool of the default provider comes first, regardless of its load', () => {
  const candidates = [candidate('other', { poolIndex: 1 }), candidate('full pool', { participants: 500 })];
  expect(order(candidates)).toEqual(['full pool', 'other']);
});

test('degraded providers come after healthy ones in their pool, and those that are down come last', () => {
  const candidates = [
    candidate('down', { state: 'down' }),
    candidate('degraded', { state: 'degraded' }),
    candidate('unknown', { state: 'unknown', participants: 1 }),
    candidate('healthy', { participants: 2 }),
    candidate('other', { poolIndex: 1 }),
  ];
  expect(order(candidates)).toEqual(['unknown', 'healthy', 'degraded', 'other', 'down']);
});

test('a provider with weight 0 only gets meetings if no other one in its pool can take them', () => {
  expect(order([candidate('spare', { weight: 0 }), candidate('busy', { participants: 1000 })])).toEqual([
    'busy',
    'spare',
  ]);
  expect(order([candidate('spare', { weight: 0 }), candidate('drained', { draining: true })])).toEqual([
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
  expect(obstacleOf(candidate('a', changes))).toBe(obstacle);
});

test('a provider that appears twice is listed once, with its tags', () => {
  const twice = [
    candidate('a', { requiredTags: ['gpu'] }),
    candidate('a', { poolIndex: 2 }),
    candidate('a', { poolIndex: 1 }),
  ];
  expect(orderCandidates(twice, () => 0.5)).toEqual([
    expect.objectContaining({ id: 'a', poolIndex: 1, obstacle: null }),
  ]);
});

test('providers with equal load share meetings by weight', () => {
  const first = { heavy: 0, light: 0 };
  let state = 7;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 4000; round++) {
    const [name] = order([candidate('light', { weight: 100 }), candidate('heavy', { weight: 300 })], random);
    first[name as 'heavy' | 'light'] += 1;
  }
  expect(first.heavy / (first.heavy + first.light)).toBeCloseTo(0.75, 1);
});

test('the result does not depend on the order of the input', () => {
  const candidates = [
    candidate('a', { participants: 3 }),
    candidate('b', { participants: 1 }),
    candidate('c', { participants: 2 }),
  ];
  expect(order(candidates)).toEqual(order(candidates.toReversed()));
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
