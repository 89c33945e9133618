import { expect, test } from 'vitest';
import { exclusionReason, placementOrder, type PoolMember } from '../src/providers/next-in-pool.ts';

const plain: PoolMember = {
  id: 'a',
  name: 'a',
  weight: 100,
  active: true,
  draining: false,
  state: 'healthy',
  meetings: 0,
  participants: 0,
  takesMeetings: true,
  share: 50,
};

function member(name: string, changes: Partial<PoolMember> = {}): PoolMember {
  return { ...plain, id: name, name, ...changes };
}

test('the provider with the lowest load for its weight is next; unhealthy ones and weight 0 are last', () => {
  const members = [
    member('down', { state: 'down', takesMeetings: false, share: 0 }),
    member('busy', { participants: 50 }),
    member('spare', { weight: 0 }),
    member('degraded', { state: 'degraded' }),
    member('strong', { participants: 60, weight: 300 }),
    member('full', { takesMeetings: false }),
  ];
  expect(placementOrder(members).map(({ name }) => name)).toEqual([
    'strong',
    'busy',
    'spare',
    'degraded',
    'down',
    'full',
  ]);
});

test('the reason why a provider takes no meetings is shown', () => {
  const draining = member('draining', { draining: true, takesMeetings: false });
  expect(exclusionReason(draining)).toBe('draining');
  expect(exclusionReason(member('off', { active: false }))).toBe('inactive');
  expect(exclusionReason(member('full', { takesMeetings: false }))).toBe('full');
  expect(exclusionReason(member('down', { state: 'down', takesMeetings: false }))).toBe('down');
  expect(exclusionReason(plain)).toBeNull();
});
